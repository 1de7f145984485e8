// PATCH on an object or one of its subresources: four ways from what is there to what is wanted.
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isMap } from '../api/value.ts'
import { BodySyntaxError, readApplied, readPatch } from '../codec/request-body.ts'
import type { HttpResponse } from '../http/http.ts'
import { setOfFields } from '../patch/field-set.ts'
import { trackApply } from '../patch/field-tracking.ts'
import { formatGoValue } from '../patch/go-format.ts'
import { applyJsonPatch, jsonType, unknownPatchMembers } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import type { PatchType } from '../patch/patch.ts'
import { applyStrategicMerge } from '../patch/strategic-merge.ts'
import { findTypeProblems, formatProblems } from '../patch/typed-validate.ts'
import { conflictError } from '../registry/errors.ts'
import { metaText, withMeta } from '../registry/object-meta.ts'
import type { WriteContext } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import { updateFormOf } from '../registry/update-form.ts'
import { patchType } from './media-types.ts'
import { checkName } from './read-body.ts'
import type { ResourceParts, ResourceRequest, WrittenKind } from './resource-parts.ts'
import { servedAt, withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import type { WriteOptions } from './write-options.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handlePatch(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource, info } = request
  const type = patchType(parts, request)
  const served = servedAt(request)
  const view = viewOf(parts, served)
  const bytes = await http.readBody()
  const options = parseWriteOptions(http.query, 'PatchOptions', type === 'apply')
  const context = writeContext(parts, request, options)
  const name = info.name ?? ''
  const subresource = info.subresource ?? ''
  const patch = new Patch(request, { type, bytes, options, context })
  const { object, created } = await updateObject(
    parts.registry,
    resource,
    {
      name,
      subresource,
      wanted: (live) => patch.apply(live),
      tracksFields: type === 'apply',
      absent: type === 'apply' && subresource === '' ? 'apply' : 'refuse',
      uid: '',
    },
    context,
  )
  return respondWithObject(view, served, object, created ? 201 : 200)
}

interface PatchBody {
  readonly type: PatchType
  readonly bytes: Buffer
  readonly options: WriteOptions
  readonly context: WriteContext
}

/** One patch, applied as often as other writes win. Its document is read when there is an object to apply it to (W-159). */
class Patch {
  readonly #request: ResourceRequest
  readonly #body: PatchBody
  /** The kind that is patched: that of the resource, or of a view of it. */
  readonly #target: WrittenKind

  constructor(request: ResourceRequest, body: PatchBody) {
    this.#request = request
    this.#body = body
    this.#target = servedAt(request).resource
  }

  apply(live: ApiObject | undefined): ApiObject {
    const { type, context } = this.#body
    const { info } = this.#request
    const wanted = type === 'apply' ? this.#applied(live) : this.#patched(live!)
    checkName(wanted, info.name ?? '')
    return withDefaults(this.#target, wanted, context)
  }

  #patched(live: ApiObject): ApiObject {
    const { type } = this.#body
    const { document, problems } = this.#readPatch()
    switch (type) {
      case 'json': {
        const odd = [...problems.map((problem) => `json patch ${problem}`), ...unknownPatchMembers(document)]
        const patched = applyJsonPatch(live, document)
        return this.#decode(patched, odd, () => JSON.stringify(patched))
      }
      case 'merge': {
        if (document === null) throw new ApiError('BadRequest', 'Invalid JSON Patch')
        if (!isMap(document)) throw this.#notAnObject('error decoding patch: ', document)
        const patched = applyMergePatch(live, document)
        return this.#decode(patched, problems, () => JSON.stringify(patched))
      }
      default: {
        if (document === null) return live
        if (!isMap(document)) throw this.#notAnObject('', document)
        const patched = applyStrategicMerge(this.#target.schema.shape, live, document)
        return this.#decode(patched, problems, () => formatGoValue(document))
      }
    }
  }

  #readPatch(): { readonly document: Value; readonly problems: readonly string[] } {
    try {
      return readPatch(this.#body.bytes)
    } catch (error) {
      if (!(error instanceof BodySyntaxError)) throw error
      const prefix = this.#body.type === 'strategic' ? '' : 'error decoding patch: '
      throw new ApiError('BadRequest', `${prefix}${error.message}`)
    }
  }

  #notAnObject(prefix: string, document: Value): ApiError {
    const type = 'map[string]interface {}'
    return new ApiError(
      'BadRequest',
      `${prefix}json: cannot unmarshal ${jsonType(document)} into Go value of type ${type}`,
    )
  }

  /** The patched document as an object of the kind; what does not fit is 422 about the patch (W-171, W-214). */
  #decode(patched: Value, documentProblems: readonly string[], shown: () => string): ApiObject {
    const target = this.#target
    const { fieldValidation } = this.#body.options
    const refuse = (problem: string): ApiError => {
      const message = `Invalid value: ${JSON.stringify(shown())}: ${problem}`
      return new ApiError('Invalid', ` "" is invalid: patch: ${message}`, {
        details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
      })
    }
    const type = { kind: target.kind, apiVersion: formatGroupVersion(target) }
    if (isMap(patched)) refuseOtherKind(patched, type, refuse)
    let decoded: ReturnType<typeof target.decode>
    try {
      decoded = target.decode(patched)
    } catch (error) {
      throw refuse((error as Error).message)
    }
    const problems = [...documentProblems, ...decoded.problems]
    if (fieldValidation === 'Strict' && problems.length > 0)
      throw refuse(`strict decoding error: ${problems.join(', ')}`)
    if (fieldValidation === 'Warn') for (const problem of problems) this.#body.context.warn(problem)
    return { ...decoded.value, ...type } as ApiObject
  }

  #applied(live: ApiObject | undefined): ApiObject {
    const { bytes, options, context } = this.#body
    const { resource, info } = this.#request
    const { document, problems } = readAppliedBody(bytes)
    const target = this.#target
    const apiVersion = formatGroupVersion(target)
    const [kind, version] = [textOf(document, 'kind'), textOf(document, 'apiVersion')]
    if (kind !== target.kind || version !== apiVersion) {
      throw new ApiError(
        'BadRequest',
        `invalid object type: ${version.includes('/') ? version : `/${version}`}, Kind=${kind}`,
      )
    }
    const metadata = document['metadata']
    if (isMap(metadata) && metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
      throw new ApiError('BadRequest', 'metadata.managedFields must be nil')
    }
    if (live === undefined && metaText(document, 'uid') !== '') {
      throw conflictError(
        resource,
        info.name ?? '',
        `uid mismatch: the provided object specified uid ${metaText(document, 'uid')}, and no existing object was found`,
      )
    }
    const typeProblems = findTypeProblems(target.schema.shape, document)
    if (typeProblems.length > 0) {
      const subject = `${metaText(document, 'namespace')}/${metaText(document, 'name')}; ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
      throw new ApiError(
        'BadRequest',
        `failed to create typed patch object (${subject}): ${formatProblems(typeProblems)}`,
      )
    }
    const { versions, resetFields } = updateFormOf(resource, info.subresource ?? '')
    const merged = trackApply(
      {
        versions,
        apiVersion,
        manager: options.fieldManager,
        subresource: info.subresource ?? '',
        reset: setOfFields(resetFields),
        now: context.now,
        live: live ?? { kind, apiVersion },
      },
      document,
      options.force,
    )
    if (problems.length > 0 && options.fieldValidation === 'Strict') {
      throw new ApiError(
        'BadRequest',
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
      )
    }
    if (options.fieldValidation === 'Warn') for (const problem of problems) context.warn(problem)
    const { value } = target.decode(merged)
    const object = { ...value, kind, apiVersion } as ApiObject
    if (live === undefined) return withMeta(object, { resourceVersion: undefined })
    const sent = metaText(document, 'resourceVersion')
    return withMeta(object, { resourceVersion: sent === '' ? metaText(live, 'resourceVersion') : sent })
  }
}

function readAppliedBody(bytes: Buffer): { readonly document: ValueMap; readonly problems: readonly string[] } {
  try {
    return readApplied(bytes)
  } catch (error) {
    if (!(error instanceof BodySyntaxError)) throw error
    throw new ApiError('BadRequest', `error decoding YAML: ${error.message}`)
  }
}

function textOf(document: ValueMap, name: string): string {
  const value = document[name]
  return typeof value === 'string' ? value : ''
}

/** A patch may take kind and apiVersion away, which changes nothing, but not change them (W-167). */
function refuseOtherKind(
  patched: ValueMap,
  type: { readonly kind: string; readonly apiVersion: string },
  refuse: (problem: string) => ApiError,
): void {
  const [kind, apiVersion] = [textOf(patched, 'kind') || type.kind, textOf(patched, 'apiVersion') || type.apiVersion]
  if (kind === type.kind && apiVersion === type.apiVersion) return
  throw refuse(`no kind "${kind}" is registered for version "${apiVersion}"`)
}
