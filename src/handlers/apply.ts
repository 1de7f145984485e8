// Server-side apply: reads the applied document, and merges it into the live object for a field manager.
import { textOrEmpty } from '../api/members.ts'
import { metaText, withMeta, withoutManagedFields } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { equalValues, isMap, own, type ValueMap } from '../api/value.ts'
import { type AppliedDocument, BodySyntaxError, readApplied } from '../codec/request-body.ts'
import { isTrue } from '../http/query.ts'
import { withoutValues } from '../patch/conflict-explanation.ts'
import { trackApply } from '../patch/field-tracking.ts'
import { isReset, managedFieldsOf } from '../patch/managed-fields.ts'
import type { KindVersions } from '../patch/ownership.ts'
import type { ApplyType } from '../patch/patch.ts'
import { conflictError } from '../registry/errors.ts'
import type { Resource, WriteContext, WrittenKind } from '../registry/registry.ts'
import { updateFormOf } from '../registry/update-form.ts'
import { decodeMade } from './read-body.ts'
import { type ResourceRequest, servedAt } from './resource-parts.ts'
import type { WriteOptions } from './write-options.ts'

export interface PatchBody {
  readonly bytes: Buffer
  readonly options: WriteOptions
  readonly context: WriteContext
}

/** One apply. It is merged again if another write came first. Its document is parsed at the first use (W-159). */
export class Applied {
  readonly #request: ResourceRequest
  readonly #type: ApplyType
  readonly #body: PatchBody
  /** The kind of the applied object: the kind of the resource, or of a view of it. */
  readonly #target: WrittenKind
  #read: AppliedDocument | undefined

  constructor(request: ResourceRequest, type: ApplyType, body: PatchBody) {
    this.#request = request
    this.#type = type
    this.#body = body
    this.#target = servedAt(request).resource
  }

  /** Merges the document into the live object, and returns the object to store. Throws `ApiError`. */
  apply(live: ApiObject | undefined, versions: KindVersions): ApiObject {
    const { options, context } = this.#body
    const { resource, info } = this.#request
    this.#read ??= this.#readBody()
    const { document } = this.#read
    const { kind } = this.#target
    const apiVersion = formatGroupVersion(this.#target)
    if (live === undefined && metaText(document, 'uid') !== '') {
      const sent = metaText(document, 'uid')
      const problem = `uid mismatch: the provided object specified uid ${sent}, and no existing object was found`
      throw conflictError(resource, info.name ?? '', problem)
    }
    const { resetFields } = updateFormOf(resource, info.subresource ?? '')
    const tracking = {
      versions,
      apiVersion,
      manager: options.fieldManager,
      subresource: info.subresource ?? '',
      reset: versions.sets.ofNames(resetFields),
      now: context.now,
      live: live ?? { kind, apiVersion },
      explain: isTrue(this.#request.http.query.get('explain')),
    }
    if (this.#isCustomScale && isReset(managedFieldsOf(tracking.live))) {
      throw unconvertibleScale('failed to create manager for existing fields: failed to convert live object (/;')
    }
    return this.#merged(trackApply(tracking, document, options.force), live)
  }

  get #isCustomScale(): boolean {
    const { resource, info } = this.#request
    return resource.isCustom && info.subresource === 'scale'
  }

  #merged(merged: ValueMap, live: ApiObject | undefined): ApiObject {
    const { document = {}, problems = [] } = this.#read ?? {}
    const { kind } = this.#target
    const apiVersion = formatGroupVersion(this.#target)
    this.#report(problems)
    if (this.#isCustomScale && !equalValues(withoutManagedFields(merged), withoutManagedFields(live ?? {}))) {
      throw unconvertibleScale(`failed to convert new object (/${metaText(merged, 'name')};`)
    }
    const object = { ...this.#decodeMerged(merged, live), kind, apiVersion } as ApiObject
    if (live === undefined) return withMeta(object, { resourceVersion: undefined })
    const sent = metaText(document, 'resourceVersion')
    return withMeta(object, { resourceVersion: sent === '' ? metaText(live, 'resourceVersion') : sent })
  }

  /** Malformed quantities, times and base64 are found here. The reference answers 500 for them (D20). */
  #decodeMerged(merged: ValueMap, live: ApiObject | undefined): ValueMap {
    const { kind } = this.#target
    try {
      return decodeMade(this.#target, merged, live).value
    } catch (error) {
      const form = `${slashed(formatGroupVersion(this.#target))}, Kind=${kind}`
      const why = `unable to convert unstructured object to ${form}: ${(error as Error).message}`
      throw new ApiError('BadRequest', `failed to convert new object to proper version: ${why}`, { cause: error })
    }
  }

  #readBody(): AppliedDocument {
    const read = this.#decode()
    const { document } = read
    const [kind, version] = [textOrEmpty(document, 'kind'), textOrEmpty(document, 'apiVersion')]
    if (kind !== this.#target.kind || version !== formatGroupVersion(this.#target)) {
      throw new ApiError('BadRequest', `invalid object type: ${slashed(version)}, Kind=${kind}`)
    }
    const metadata = own(document, 'metadata')
    if (isMap(metadata) && (own(metadata, 'managedFields') ?? null) !== null) {
      throw new ApiError('BadRequest', 'metadata.managedFields must be nil')
    }
    return read
  }

  #decode(): AppliedDocument {
    try {
      return readApplied(this.#body.bytes, this.#type === 'apply-cbor' ? 'cbor' : 'yaml')
    } catch (error) {
      if (!(error instanceof BodySyntaxError)) throw error
      throw new ApiError('BadRequest', error.message)
    }
  }

  /** Reports duplicate members. Conflicts are reported before them (W-232). */
  #report(problems: readonly string[]): void {
    const { options, context } = this.#body
    if (problems.length > 0 && options.fieldValidation === 'Strict') {
      const errors = `yaml: unmarshal errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`
      throw new ApiError('BadRequest', `error strict decoding YAML: error converting YAML to JSON: ${errors}`)
    }
    if (options.fieldValidation === 'Warn') for (const problem of problems) context.warn(problem)
  }
}

/**
 * Removes the values from an explained conflict if the caller may not read the object, because an apply needs no right to read. The values
 * of secrets are always removed.
 */
export async function toldToCaller(error: unknown, resource: Resource, context: WriteContext): Promise<unknown> {
  if (!(error instanceof ApiError) || error.explanation === undefined || !('conflicts' in error.explanation))
    return error
  const isSecret = resource.group === '' && resource.resource === 'secrets'
  if (!isSecret && (await mayRead(context))) return error
  const { reason, message, code, details = {} } = error
  return new ApiError(reason, message, { code, details, explanation: withoutValues(error.explanation) })
}

async function mayRead(context: WriteContext): Promise<boolean> {
  try {
    await context.authorize('get')
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Forbidden') return false
    throw error
  }
}

/** The slash stays even if there is no group. */
function slashed(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
}

/**
 * The refusal of an apply to a custom object's scale. The reference fails if it must convert the scale: to change a field, or to compute
 * the owners of an object that was never applied (W-279, D20). Unchanged fields of a scale can be applied.
 */
function unconvertibleScale(what: string): ApiError {
  const why = 'request to convert CR to an invalid group/version: autoscaling/v1'
  return new ApiError('BadRequest', `${what} autoscaling/v1, Kind=Scale) to proper version: ${why}`)
}
