// Updates an object. PUT, every patch and every writable subresource differ only in the function that makes the wanted object from the
// stored object. The steps run again, with admission, if another write came first.
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { Decide, Outcome, WriteResult } from '../store/store.ts'
import type { KindVersions } from '../patch/ownership.ts'
import { withConversions } from './conversions.ts'
import { admitNew, creationOf, outcomeOfNew, prepareNew } from './create-steps.ts'
import { notFoundError } from './errors.ts'
import { HeldReservation, release } from './held-reservation.ts'
import { finalizersOf, isTerminating, metaNumber } from './object-meta.ts'
import type { RegistryParts, Resource, WriteAnswer, WriteContext } from './registry.ts'
import {
  checkUid,
  keyOf,
  objectToChange,
  parseResourceVersion,
  putOutcome,
  readable,
  storeFor,
  writeFitting,
} from './steps.ts'
import { updateFormOf } from './update-form.ts'
import { prepareChanged, type Update, type UpdateRequest } from './update-steps.ts'

export async function updateObject(
  parts: RegistryParts,
  resource: Resource,
  request: UpdateRequest,
  context: WriteContext,
): Promise<WriteAnswer> {
  const { name, subresource, tracksFields: keepsOwners } = request
  const { main, subresources } = resource.strategy
  const endpoint = subresource === '' ? main : (subresources[subresource] ?? main)
  const form = updateFormOf(resource, subresource)
  const held = new HeldReservation()
  const key = keyOf(resource, context.namespace, name)
  const { signal } = context
  /** The last state of an object that the update removes, for the answer. */
  let last: ApiObject | undefined
  const write = (versions: KindVersions): Promise<WriteResult> => {
    const update = { parts, resource, request, context, name, endpoint, form, versions, held }
    const decide: Decide = async (current) => {
      await held.settle(false)
      const outcome = await (current === undefined ? createOutcome(update) : updateOutcome(update, readable(current)))
      if (outcome.kind === 'remove') last = outcome.last
      return outcome
    }
    return writeFitting(storeFor(parts, context), { key, decide, keepsOwners }, context)
  }
  let result: WriteResult
  try {
    result = await withConversions(form.versions, write, { signal, isVital: keepsOwners })
  } catch (error) {
    await held.settleFailed(error)
    throw error
  }
  await held.settle(result.kind === 'put' && !context.dryRun)
  switch (result.kind) {
    case 'put':
      return { object: result.object, created: result.created }
    case 'removed':
      await release(resource, last!, { parts, context })
      return { object: last!, created: false }
    case 'kept':
      return { object: readable(result.object!), created: false }
  }
}

/** Creates the object, because no object has the name. Throws `NotFound` if the verb or the kind does not create objects here. */
async function createOutcome({ parts, resource, request, context, versions, held }: Update): Promise<Outcome> {
  const { name, absent, uid } = request
  if (absent === 'refuse' || request.subresource !== '') throw notFoundError(resource, name)
  const sent = request.wanted(undefined, versions)
  if (absent === 'put') {
    const version = parseResourceVersion(metaText(sent, 'resourceVersion'))
    if (resource.strategy.createOnUpdate) checkUid(resource, name, uid, '')
    else if (uid !== '' || version !== 0) throw notFoundError(resource, name)
  }
  await context.authorize('create')
  const creation = creationOf({ parts, resource, context, versions, held, verb: absent, name, sent })
  return outcomeOfNew(await prepareNew({ ...creation, admitted: await admitNew(creation) }), creation)
}

async function updateOutcome(update: Update, item: StoredObject): Promise<Outcome> {
  const { resource, request, form, versions, held } = update
  const stored = objectToChange(resource, item)
  checkUid(resource, request.name, request.uid, metaText(stored, 'uid'))
  const live = form.live(stored)
  const object = await prepareChanged(update, { stored, live }, request.wanted(live, versions))
  if (!isFullyDeleted(object, stored) || resource.strategy.isHeldBack(object)) return putOutcome(resource, object, held)
  return { kind: 'remove', last: withMeta(object, { resourceVersion: metaOf(stored).resourceVersion }) }
}

/**
 * Whether a terminating object has no finalizer and no grace period after the update. Such an update removes the object (W-147 to W-149).
 */
function isFullyDeleted(object: ApiObject, stored: ApiObject): boolean {
  const grace = metaNumber(object, 'deletionGracePeriodSeconds') ?? 0
  return isTerminating(stored) && grace === 0 && finalizersOf(object).length === 0
}
