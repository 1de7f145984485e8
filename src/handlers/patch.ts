// PATCH on an object or one of its subresources: JSON patch, merge patch, strategic merge patch and apply.
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { isMap, type Value } from '../api/value.ts'
import { plainJson } from '../codec/json-encode.ts'
import { BodySyntaxError, checkTypeNames, type PatchDocument, readPatch } from '../codec/request-body.ts'
import type { HttpResponse } from '../http/http.ts'
import { formatGoValue } from '../api/go-format.ts'
import { applyJsonPatch, jsonType, oddPatchMembers } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { type ApplyType, isApply, type PatchType } from '../patch/patch.ts'
import { findConversionFault } from '../patch/from-unstructured.ts'
import { applyStrategicMerge } from '../patch/strategic-merge.ts'
import type { ResourceTable, WrittenKind } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { UpdateRequest } from '../registry/update-steps.ts'
import { Applied, type PatchBody, toldToCaller } from './apply.ts'
import { patchType } from './media-types.ts'
import {
  checkName,
  checkStaysCustomKind,
  decodeMade,
  innerFormProblems,
  nameMissing,
  otherKindProblem,
  unnamedProblem,
  withReset,
} from './read-body.ts'
import { type ResourceParts, type ResourceRequest, servedAt, withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handlePatch(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource, info } = request
  const type = patchType(parts, request)
  const served = servedAt(request)
  const view = viewOf(parts, served)
  const bytes = await http.body.read()
  const elsewhere = parts.largeWrites?.take({ verb: 'patch', request, bytes })
  if (elsewhere !== undefined) return elsewhere
  const options = parseWriteOptions(http.query, 'PatchOptions', isApply(type))
  const context = writeContext(parts, request, options)
  const name = info.name ?? ''
  const subresource = info.subresource ?? ''
  const body: PatchBody = { bytes, options, context }
  const patch = isApply(type)
    ? new Applied(request, type, body)
    : new Patch({
        resources: parts.resources(),
        target: served.resource,
        addressed: { name, subresource, isCustom: resource.schema.custom === true },
        type,
        body,
      })
  // Level 1.36 of the reference parses a patch only after it has found the object.
  if (patch instanceof Patch) patch.read()
  const update: UpdateRequest = {
    name,
    subresource,
    wanted: (live, versions) => {
      const wanted = patch.apply(live, versions)
      checkName(wanted, name)
      return withDefaults(served.resource, wanted, context, live)
    },
    tracksFields: isApply(type),
    absent: isApply(type) && subresource === '' ? 'apply' : 'refuse',
    uid: '',
  }
  try {
    const { object, created } = await updateObject(parts.registry, resource, update, context)
    return respondWithObject(view, served, object, created ? 201 : 200)
  } catch (error) {
    throw await toldToCaller(error, resource, context)
  }
}

interface PatchParts {
  readonly resources: ResourceTable
  /** The kind of the patched object: the kind of the resource, or of a view of it. */
  readonly target: WrittenKind
  readonly addressed: { readonly name: string; readonly subresource: string; readonly isCustom: boolean }
  readonly type: Exclude<PatchType, ApplyType>
  readonly body: PatchBody
}

interface PatchedFrom {
  readonly shown: () => string
  readonly live: ApiObject
}

/**
 * One patch. It is applied again whenever another write comes first. Its document is parsed when there is an object to apply it to (W-159).
 */
class Patch {
  readonly #parts: PatchParts
  #read: PatchDocument | undefined

  constructor(parts: PatchParts) {
    this.#parts = parts
  }

  /** Parses the document, once. */
  read(): PatchDocument {
    return (this.#read ??= this.#readPatch())
  }

  apply(live: ApiObject | undefined): ApiObject {
    if (live === undefined) throw new TypeError('a patch needs something to be applied to')
    switch (this.#parts.type) {
      case 'json':
        return this.#json(live, this.read())
      case 'merge':
        return this.#merge(live, this.read())
      case 'strategic':
        return this.#strategic(live, this.read())
    }
  }

  /** Without field validation, the reference does not check the patch first, so its messages differ. */
  get #isLoose(): boolean {
    return this.#parts.body.options.fieldValidation === 'Ignore'
  }

  #json(live: ApiObject, { document, spelled, problems }: PatchDocument): ApiObject {
    const patched = applyJsonPatch(live, document, { loose: this.#isLoose, spelled })
    return this.#decodeDocument(patched, oddPatchMembers(document, problems), live)
  }

  #merge(live: ApiObject, { document, problems }: PatchDocument): ApiObject {
    // Without field validation, a list replaces the object instead of being merged (W-192).
    const isTaken = this.#isLoose && Array.isArray(document)
    if (document === null || (this.#isLoose && !isMap(document) && !isTaken)) {
      throw new ApiError('BadRequest', 'Invalid JSON Patch')
    }
    if (!isMap(document) && !isTaken) throw notAnObject('error decoding patch: ', document)
    return this.#decodeDocument(applyMergePatch(live, document), problems, live)
  }

  #strategic(live: ApiObject, { document, problems }: PatchDocument): ApiObject {
    if (document === null) return live
    if (!isMap(document)) throw notAnObject('', document)
    const { shape } = this.#parts.target.schema
    const shown = (): string => formatGoValue(document)
    const patched = applyStrategicMerge(shape, live, document)
    const fault = findConversionFault(shape, patched)
    if (fault !== undefined) throw refuse(shown(), fault)
    return this.#decode(patched, problems, { shown, live })
  }

  #readPatch(): PatchDocument {
    try {
      return readPatch(this.#parts.body.bytes)
    } catch (error) {
      if (!(error instanceof BodySyntaxError)) throw error
      if (this.#parts.type === 'strategic') throw new ApiError('BadRequest', error.message)
      if (this.#parts.type === 'merge' && this.#isLoose) throw new ApiError('BadRequest', 'Invalid JSON Patch')
      throw new ApiError('BadRequest', this.#isLoose ? error.message : `error decoding patch: ${error.message}`)
    }
  }

  /** A patched document is read like a body: it has kind and apiVersion. */
  #decodeDocument(patched: Value, problems: readonly string[], live: ApiObject): ApiObject {
    const shown = (): string => plainJson(patched)
    try {
      checkTypeNames(patched)
    } catch (error) {
      if (!(error instanceof BodySyntaxError)) throw error
      throw refuse(shown(), error.message)
    }
    this.#checkKind(patched, problems, shown)
    return this.#decode(patched, problems, { shown, live })
  }

  /** Checks the kind. For custom objects the reference checks neither the kind of a patched status nor the version of a patched scale. */
  #checkKind(patched: Value, problems: readonly string[], shown: () => string): void {
    const { name, subresource, isCustom } = this.#parts.addressed
    const unnamed = unnamedProblem(patched, this.#parts.target)
    if (unnamed !== undefined) throw refuse(shown(), unnamed)
    if (isCustom && subresource === 'status') return
    checkStaysCustomKind(patched, this.#parts.target, name)
    if (!isCustom) this.#checkVersioned(patched, problems, shown)
    const other = otherKindProblem(patched, this.#parts.target, this.#parts.resources)
    if (other !== undefined) throw refuse(shown(), other)
  }

  #checkVersioned(patched: Value, problems: readonly string[], shown: () => string): void {
    const found = innerFormProblems(patched, this.#parts.target, this.#parts.resources)
    if (found === undefined) return
    if (found.error !== undefined) throw refuse(shown(), found.error)
    this.#report([...problems, ...found.odd], shown)
    throw nameMissing(this.#parts.addressed.name)
  }

  /** Ignores, warns of, or refuses unknown and duplicate fields. */
  #report(problems: readonly string[], shown: () => string): void {
    const { fieldValidation } = this.#parts.body.options
    if (fieldValidation === 'Strict' && problems.length > 0) {
      throw refuse(shown(), `strict decoding error: ${problems.join(', ')}`)
    }
    if (fieldValidation === 'Warn') for (const problem of problems) this.#parts.body.context.warn(problem)
  }

  /** Decodes the patched document as an object of the kind. Values that do not fit are a 422 about the patch (W-171, W-214). */
  #decode(patched: Value, documentProblems: readonly string[], { shown, live }: PatchedFrom): ApiObject {
    const target = this.#parts.target
    let decoded: ReturnType<typeof target.decode>
    try {
      decoded = decodeMade(target, patched, live)
    } catch (error) {
      throw refuse(shown(), (error as Error).message)
    }
    this.#report([...documentProblems, ...decoded.problems], shown)
    const object = { ...decoded.value, kind: target.kind, apiVersion: formatGroupVersion(target) } as ApiObject
    return withReset(object, patched, target)
  }
}

function refuse(shown: string, problem: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`
  return new ApiError('Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  })
}

function notAnObject(prefix: string, document: Value): ApiError {
  const target = 'Go value of type map[string]interface {}'
  return new ApiError('BadRequest', `${prefix}json: cannot unmarshal ${jsonType(document)} into ${target}`)
}
