// Update: PUT, every patch and every writable subresource differ only in the function from the stored object to the wanted one.
// The pipeline runs again, admission included, where another write won.
import { type FieldError, invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues, isList, isMap, own, sharedWith, type Value } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Decide, Outcome, WriteResult } from '../store/store.ts'
import { admitNew, creationOf, outcomeOfNew, prepareNew } from './create-steps.ts'
import { invalidError } from '../api/invalid-error.ts'
import { conflictError, notFoundError } from './errors.ts'
import { whenOwned, withOwners } from './field-ownership.ts'
import { HeldReservation } from './held-reservation.ts'
import { finalizersOf, isTerminating, metaForUpdate, metaNumber, withManagedFieldsOf } from './object-meta.ts'
import {
  LARGE_BYTES,
  type RegistryParts,
  type Resource,
  type UpdateEndpoint,
  type WriteAnswer,
  type WriteContext,
} from './registry.ts'
import {
  admissionRequest,
  checkUid,
  fromAdmission,
  keyOf,
  objectToChange,
  parseResourceVersion,
  putOutcome,
  readable,
  refuseInvalid,
  storeFor,
  withNamespace,
  writeFitting,
} from './steps.ts'
import { type UpdateForm, updateFormOf } from './update-form.ts'

export interface UpdateRequest {
  readonly name: string
  /** Empty for the resource itself. */
  readonly subresource: string
  /**
   * The wanted object, decoded and defaulted, in the served version, given the live one (undefined: none). Called again where
   * another write won.
   */
  readonly wanted: (live: ApiObject | undefined) => ApiObject | Promise<ApiObject>
  /** `wanted` records managed fields itself: applies. */
  readonly tracksFields: boolean
  /** What to do where there is nothing: nothing, what PUT does (D26), or create as apply does. */
  readonly absent: 'refuse' | 'put' | 'apply'
  /** The uid in the request; empty where there is none. */
  readonly uid: string
}

export async function updateObject(
  parts: RegistryParts,
  resource: Resource,
  request: UpdateRequest,
  context: WriteContext,
): Promise<WriteAnswer> {
  const pipeline = new UpdatePipeline(parts, resource, request, context)
  return pipeline.run()
}

class UpdatePipeline {
  private readonly parts: RegistryParts
  private readonly resource: Resource
  private readonly request: UpdateRequest
  private context: WriteContext
  private readonly endpoint: UpdateEndpoint
  private readonly form: UpdateForm
  private readonly held = new HeldReservation()
  /** The object as the last round left it, for the answer to an update that removes. */
  private last: ApiObject | undefined

  constructor(parts: RegistryParts, resource: Resource, request: UpdateRequest, context: WriteContext) {
    this.parts = parts
    this.resource = resource
    this.request = request
    this.context = context
    const { main, subresources } = resource.strategy
    this.endpoint = request.subresource === '' ? main : (subresources[request.subresource] ?? main)
    this.form = updateFormOf(resource, request.subresource)
  }

  async run(): Promise<WriteAnswer> {
    const { name } = this.request
    let result: WriteResult
    try {
      const key = keyOf(this.resource, this.context.namespace, name)
      const decide: Decide = async (current) => {
        const settling = this.held.settle(false)
        if (settling !== undefined) await settling
        if (current === undefined) return this.createOutcome()
        const stored = readable(current)
        if (stored.bytes.length >= LARGE_BYTES) this.context = { ...this.context, ...this.context.ifLarge }
        return this.updateOutcome(objectToChange(this.resource, stored))
      }
      const store = storeFor(this.parts, this.context)
      result = await writeFitting(store, { key, decide, keepsOwners: this.request.tracksFields }, this.context.signal)
    } catch (error) {
      await this.held.settleFailed(error)
      throw error
    }
    await this.held.settle(result.kind === 'put' && !this.context.dryRun)
    if (result.kind === 'removed') await this.release(this.last!)
    switch (result.kind) {
      case 'put':
        return { object: result.object, created: result.created }
      case 'removed':
        return { object: this.last!, created: false }
      case 'kept':
        return { object: readable(result.object!), created: false }
    }
  }

  /** Releases what a removed object had reserved. */
  private async release(stored: ApiObject): Promise<void> {
    const { context, resource, parts } = this
    if (context.dryRun) return
    const reservation = await resource.strategy.reserve?.({ object: undefined, stored }, context, parts)
    await reservation?.settle(true)
  }

  /** There is nothing under the name: create, where the verb and the kind do that. */
  private async createOutcome(): Promise<Outcome> {
    const { resource, request, context } = this
    if (request.absent === 'refuse' || request.subresource !== '') throw notFoundError(resource, request.name)
    const wanted = await request.wanted(undefined)
    if (request.absent === 'put') {
      const version = parseResourceVersion(metaText(wanted, 'resourceVersion'))
      if (resource.strategy.createOnUpdate) checkUid(resource, request.name, request.uid, '')
      else if (request.uid !== '' || version !== 0) throw notFoundError(resource, request.name)
    }
    await context.authorize('create')
    const { parts, held } = this
    const creation = creationOf({
      parts,
      resource,
      context,
      held,
      verb: request.absent,
      name: request.name,
      sent: wanted,
    })
    return outcomeOfNew(await prepareNew({ ...creation, admitted: await admitNew(creation) }), creation)
  }

  private async updateOutcome(stored: ApiObject): Promise<Outcome> {
    const { resource, request, context, endpoint, form } = this
    const { strategy } = resource
    checkUid(resource, request.name, request.uid, metaText(stored, 'uid'))
    const live = form.live(stored)
    if (this.isTurnOver) await this.nextTurn()
    const wanted = withNamespace(this.shared(await request.wanted(live), live), resource, context)
    if (this.isTurnOver) await this.nextTurn()
    const isTrackedLater = this.isTrackedOnceValid()
    const tracked = isTrackedLater ? withManagedFieldsOf(wanted, live) : await this.track(live, wanted)
    if (this.isTurnOver) await this.nextTurn()
    const admitted = form.adopt(await this.admit(form.toAdmission(tracked), form.shown(stored)), stored)
    if (strategy.authorizeWrite !== undefined) {
      await strategy.authorizeWrite({ object: admitted, stored, name: request.name }, context, this.parts)
    }
    this.checkVersion(admitted, stored)
    const restored = metaForUpdate(withNamespace(admitted, resource, context), stored)
    const bumped = this.withGeneration(endpoint.prepare(restored, stored, context), stored)
    const reservation =
      strategy.reserve === undefined
        ? undefined
        : await strategy.reserve({ object: bumped, stored }, context, this.parts)
    this.held.hold(reservation)
    const canonical = await this.canonical(reservation?.object ?? bumped, stored)
    if (this.isTurnOver) await this.nextTurn()
    refuseInvalid(resource, canonical, await this.faultsOf(canonical, stored))
    if (this.isTurnOver) await this.nextTurn()
    const owned = isTrackedLater ? withManagedFieldsOf(canonical, await this.track(live, wanted)) : canonical
    const object = withoutNewTimes(owned, stored)
    for (const text of this.warningsOf(object, stored)) context.warn(text)
    await this.parts.admission.validate(this.admissionStep(form.shown(object), form.shown(stored)), context.signal)
    if (this.isTurnOver) await this.nextTurn()
    if (isFullyDeleted(object, stored) && !strategy.isHeldBack(object)) {
      this.last = withMeta(object, { resourceVersion: own(metaOf(stored), 'resourceVersion') })
      return { kind: 'remove', last: this.last }
    }
    return putOutcome(resource, object, context)
  }

  /** What a large object shares with the live one is not looked for: that takes as long as it saves. */
  private shared(wanted: ApiObject, live: ApiObject): ApiObject {
    return this.context.turns === undefined ? (sharedWith(wanted, live) as ApiObject) : wanted
  }

  /** Where the body is large and this has taken long, the event loop is given to others. */
  private get isTurnOver(): boolean {
    return this.context.turns?.isOver === true
  }

  private nextTurn(): Promise<void> | undefined {
    return this.context.turns?.next()
  }

  private faultsOf(object: ApiObject, stored: ApiObject): MaybePromise<readonly FieldError[]> {
    const { context, resource, endpoint, request } = this
    const { turns } = context
    if (turns !== undefined && request.subresource === '' && resource.large?.validateUpdate !== undefined) {
      return resource.large.validateUpdate({ object, stored }, context, turns)
    }
    return endpoint.validate(object, stored, context)
  }

  private canonical(object: ApiObject, stored: ApiObject): MaybePromise<ApiObject> {
    const { turns } = this.context
    const known = { object: stored, isInOrder: true }
    const { large } = this.resource
    if (turns === undefined || large === undefined) return this.resource.toCanonical(object, known)
    return large.toCanonical(object, turns, known)
  }

  /** To scale an object is to write it; other subresources have warnings of their own, if any. */
  private warningsOf(object: ApiObject, stored: ApiObject): readonly string[] {
    const { subresource } = this.request
    const isObject = subresource === '' || subresource === 'scale'
    if (isObject) return this.resource.strategy.warnings(object, stored, this.context)
    return this.endpoint.warnings?.(object) ?? []
  }

  /** A view of another kind has managed fields of its own. */
  private isTrackedOnceValid(): boolean {
    const { parts, resource, context, request } = this
    if (request.tracksFields || resource.subresources.get(request.subresource)?.view !== undefined) return false
    return whenOwned(parts, resource, context) !== 'sent'
  }

  private track(live: { readonly [key: string]: Value }, wanted: ApiObject): MaybePromise<ApiObject> {
    if (this.request.tracksFields) return wanted
    const { versions } = this.form
    const request = {
      versions,
      apiVersion: wanted.apiVersion,
      manager: this.context.fieldManager,
      subresource: this.request.subresource,
      reset: versions.sets.ofNames(this.form.resetFields),
      now: this.context.now,
      live,
    }
    return withOwners(request, wanted, this.context)
  }

  private admit(object: ApiObject, stored: ApiObject): MaybePromise<ApiObject> {
    const mutating = this.parts.admission.mutate(this.admissionStep(object, stored), this.context.signal)
    return whenKnown(mutating, (mutated) => fromAdmission(object, mutated, this.context.warn))
  }

  private admissionStep(object: ApiObject, oldObject: ApiObject): ReturnType<typeof admissionRequest> {
    const { resource, request, context } = this
    const { name, subresource } = request
    const { kind } = this.form
    return admissionRequest({ resource, kind, operation: 'UPDATE', subresource, name, object, oldObject }, context)
  }

  /** The version that the caller has seen must be the one that is stored; kinds differ in whether it must say one. */
  private checkVersion(object: ApiObject, stored: ApiObject): void {
    const { resource, request } = this
    const given = parseResourceVersion(metaText(object, 'resourceVersion'))
    if (given === 0) {
      if (resource.strategy.unconditionalUpdate) return
      const fault = invalid(FieldPath.root('metadata').child('resourceVersion'), 0, 'must be specified for an update')
      throw invalidError({ group: resource.group, kind: resource.resource }, request.name, [fault])
    }
    if (String(given) !== metaText(stored, 'resourceVersion')) throw conflictError(resource, request.name)
  }

  private withGeneration(object: ApiObject, stored: ApiObject): ApiObject {
    const { strategy } = this.resource
    if (this.request.subresource !== '' && !strategy.bumpsGenerationOn.has(this.request.subresource)) return object
    if (strategy.firstGeneration === undefined || !strategy.bumpsGeneration(object, stored)) return object
    return withMeta(object, { generation: (metaNumber(stored, 'generation') ?? 0) + 1 })
  }
}

/** A terminating object that nothing holds any more goes with the update that lets it go (W-147 to W-149). */
function isFullyDeleted(object: ApiObject, stored: ApiObject): boolean {
  const grace = metaNumber(object, 'deletionGracePeriodSeconds') ?? 0
  return isTerminating(stored) && grace === 0 && finalizersOf(object).length === 0
}

/** A write that would change nothing but the times in managedFields keeps the old ones, and so changes nothing (W-141). */
function withoutNewTimes(object: ApiObject, stored: ApiObject): ApiObject {
  const now = own(metaOf(object), 'managedFields')
  const before = own(metaOf(stored), 'managedFields')
  if (!isList(now) || !isList(before) || now.length !== before.length) return object
  if (!now.every((entry, i) => equalButTime(entry, before[i]!))) return object
  const kept = withMeta(object, { managedFields: before, resourceVersion: own(metaOf(stored), 'resourceVersion') })
  return equalValues(kept, stored) ? kept : object
}

function equalButTime(one: Value, other: Value): boolean {
  if (!isMap(one) || !isMap(other)) return equalValues(one, other)
  const isEqual = (name: string): boolean => name === 'time' || equalValues(own(one, name), own(other, name))
  return (
    Object.keys(one).every(isEqual) && Object.keys(other).every((name) => Object.hasOwn(one, name) || isEqual(name))
  )
}
