// POST: stores a decoded object. A generated name that is taken is generated again.
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { Decide, WriteResult } from '../store/store.ts'
import { withConversions } from './conversions.ts'
import { type AdmittedCreation, admitNew, creationOf, outcomeOfNew, prepareNew } from './create-steps.ts'
import { alreadyExistsError, noUniqueNameError } from './errors.ts'
import { HeldReservation } from './held-reservation.ts'
import { isTerminating } from './object-meta.ts'
import type { RegistryParts, Resource, WriteAnswer, WriteContext } from './registry.ts'
import { keyOf, storeFor, writeFitting } from './steps.ts'

const NAME_ATTEMPTS = 8

/** `sent` is decoded, defaulted and in the served version. Throws `ApiError`. If the code of the error is below 500, nothing was stored. */
export async function createObject(
  parts: RegistryParts,
  resource: Resource,
  sent: ApiObject,
  context: WriteContext,
): Promise<WriteAnswer> {
  const { versions } = resource
  const held = new HeldReservation()
  const creation = creationOf({ parts, resource, context, versions, sent, verb: 'post', name: '', held })
  const admitted = await withConversions(versions, (known) => admitNew({ ...creation, versions: known }), {
    signal: context.signal,
    isVital: false,
  })
  const isGenerated = metaText(admitted, 'name') === '' && metaText(admitted, 'generateName') !== ''
  for (let attempt = 1; ; attempt++) {
    const result = await storeNew({ ...creation, admitted })
    if (result.kind === 'put') return { object: result.object, created: true }
    if (!isGenerated || attempt === NAME_ATTEMPTS) throw nameTaken(resource, admitted, result)
  }
}

/** One attempt to store a new object. `kept`: the name is taken. */
async function storeNew(creation: AdmittedCreation): Promise<WriteResult> {
  const { parts, resource, context, held } = creation
  const object = await prepareNew(creation)
  const key = keyOf(resource, context.namespace, metaText(object, 'name'))
  let put: ReturnType<typeof outcomeOfNew> | undefined
  const decide: Decide = (current) =>
    current === undefined ? (put ??= outcomeOfNew(object, creation)) : { kind: 'keep' }
  try {
    const result = await writeFitting(storeFor(parts, context), { key, decide, keepsOwners: false }, context)
    await held.settle(result.kind === 'put' && !context.dryRun)
    return result
  } catch (error) {
    await held.settleFailed(error)
    throw error
  }
}

function nameTaken(resource: Resource, sent: ApiObject, result: WriteResult): ApiError {
  const existing = result.kind === 'kept' ? result.object : undefined
  const name = existing?.name ?? metaText(sent, 'name')
  const error = alreadyExistsError(resource, name)
  const terminating = existing?.kind === 'object' && isTerminating(existing.object())
  const message = terminating ? `object is being deleted: ${error.message}` : error.message
  const taken = new ApiError('AlreadyExists', message, { details: error.details ?? {} })
  return metaText(sent, 'generateName') === '' ? taken : noUniqueNameError(taken)
}
