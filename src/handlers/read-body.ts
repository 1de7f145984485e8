// Decodes the object in the body of a write. The messages of faults are the reference's (W-025 to W-041, 9.2).
import { asMap, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion, type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { ApiError } from '../api/status.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { Encoding } from '../codec/codec.ts'
import { plainJson } from '../codec/json-encode.ts'
import type { SourceDocument } from '../codec/request-body.ts'
import { BodySyntaxError, readDocument, warningsOf } from '../codec/request-body.ts'
import { invalidError } from '../api/invalid-error.ts'
import type { ResourceTable, WrittenKind } from '../registry/registry.ts'
import type { WriteOptions } from './write-options.ts'

type Decoded = ReturnType<WrittenKind['decode']>

interface BodyRequest {
  readonly bytes: Buffer
  readonly encoding: Encoding
  /** The type that the body must have. */
  readonly resource: WrittenKind
  /** Other versions of the group that the body may have. */
  readonly alsoVersions?: readonly string[]
  readonly resources: ResourceTable
  readonly options: Pick<WriteOptions, 'fieldValidation'>
}

/** Returns the decoded object, without defaults. Throws `BadRequest`. */
export function decodeBody(request: BodyRequest, warn: (text: string) => void): ApiObject {
  const { resource } = request
  const document = parsed(request)
  const kind = checkedKind(document.value, request)
  try {
    const { value, problems } = resource.decode(document.source)
    reportProblems([...document.problems, ...problems], request, warn)
    const object = { ...value, kind: resource.kind, apiVersion: formatGroupVersion(resource) } as ApiObject
    return withReset(object, document.value, resource)
  } catch (error) {
    throw error instanceof ApiError ? error : cannotBeHandled(kind, resource, (error as Error).message)
  }
}

function parsed({ bytes, encoding, resource }: BodyRequest): SourceDocument {
  try {
    return readDocument(bytes, encoding, resource.schema)
  } catch (error) {
    throw error instanceof BodySyntaxError ? unrecognized(bytes, resource, error.message) : error
  }
}

function unrecognized(bytes: Buffer, { kind }: WrittenKind, why: string): ApiError {
  const message = `the object provided is unrecognized (must be of type ${kind}): ${why} (${excerpt(bytes)})`
  return new ApiError('BadRequest', message)
}

/** Decodes a document that was made from a live object. Parts that it shares with the object are not decoded again. */
export function decodeMade(
  target: Pick<WrittenKind, 'decode' | 'conversion'>,
  made: Value,
  live: ApiObject | undefined,
): Decoded {
  return target.decode(made, target.conversion.isIdentity ? live : undefined)
}

/** The type that the body names. Throws `ApiError` if the type does not fit the resource. */
function checkedKind(value: Value, request: BodyRequest): GroupVersionKind {
  const { resource } = request
  if (resource.schema.custom === true) refuseUnnamed(value, request)
  const kind = kindIn(value, resource)
  const isVersion = kind.version === resource.version || request.alsoVersions?.includes(kind.version) === true
  if (kind.kind !== resource.kind || kind.group !== resource.group || !isVersion) {
    refuseKind(kind, request, metaText(asMap(value), 'name'))
  }
  return kind
}

const QUOTED_CHARACTERS = 16 * 1024

/** Refuses an object of a custom kind without `apiVersion` or `kind` (W-035, W-036). */
function refuseUnnamed(value: Value, { bytes, encoding, resource }: BodyRequest): void {
  if (textOrEmpty(asMap(value), 'kind') === '') {
    throw unrecognized(bytes, resource, kindMissing(encoding === 'json' ? bytes.toString() : plainJson(value)))
  }
  if (textOrEmpty(asMap(value), 'apiVersion') === '') throw otherVersion('', resource)
}

function kindMissing(body: string): string {
  return `Object 'Kind' is missing in '${body.slice(0, QUOTED_CHARACTERS)}'`
}

function otherVersion(given: string, resource: WrittenKind): ApiError {
  const expected = `the expected API version (${formatGroupVersion(resource)})`
  return new ApiError('BadRequest', `the API version in the data (${given}) does not match ${expected}`)
}

const EXCERPT_BYTES = 30

/** The beginning of an unreadable body: as text if it looks like JSON, otherwise in hexadecimal (W-031). */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const text = bytes.subarray(0, EXCERPT_BYTES).toString(bytes[0] === 0x7b ? 'utf8' : 'hex')
  return bytes.length > EXCERPT_BYTES ? `${text} ...` : text
}

/** The kind that the body names. Missing parts come from the path (W-034). */
function kindIn(value: Value, resource: WrittenKind): GroupVersionKind {
  const [kind, apiVersion] = [textOrEmpty(asMap(value), 'kind'), textOrEmpty(asMap(value), 'apiVersion')]
  const gv = apiVersion === '' ? resource : (parseGroupVersion(apiVersion) ?? { group: '', version: apiVersion })
  return { group: gv.group, version: gv.version, kind: kind === '' ? resource.kind : kind }
}

function refuseKind(kind: GroupVersionKind, { resource, resources }: BodyRequest, name: string): never {
  const isCustom = resource.schema.custom === true
  if (isCustom && kind.version === resource.version && kind.group === resource.group) {
    const fault = invalid(FieldPath.root('kind'), kind.kind, `must be ${resource.kind}`)
    throw invalidError({ group: resource.group, kind: kind.kind }, name, [fault])
  }
  if (isCustom || (resources.knowsKind(kind) && kind.kind === resource.kind && kind.group === resource.group)) {
    throw otherVersion(formatGroupVersion(kind), resource)
  }
  throw cannotBeHandled(kind, resource, unfitKind(kind, resource, resources))
}

function unfitKind(kind: GroupVersionKind, resource: WrittenKind, resources: ResourceTable): string {
  if (!resources.knowsKind(kind)) {
    return `no kind "${kind.kind}" is registered for version "${formatGroupVersion(kind)}"`
  }
  return `converting (${kind.version}.${kind.kind}) to (${shortGroup(resource)}.${resource.kind}): unknown conversion`
}

/** Refuses a patch that changes the kind or version of a custom object, as a fault of these fields. */
export function checkStaysCustomKind(patched: Value, resource: WrittenKind, name: string): void {
  if (resource.schema.custom !== true) return
  const kind = kindIn(patched, resource)
  const given = formatGroupVersion(kind)
  const wanted = formatGroupVersion(resource)
  const faults = [
    ...(kind.kind === resource.kind ? [] : [invalid(FieldPath.root('kind'), kind.kind, `must be ${resource.kind}`)]),
    ...(given === wanted ? [] : [invalid(FieldPath.root('apiVersion'), given, `must be ${wanted}`)]),
  ]
  if (faults.length > 0) throw invalidError({ group: kind.group, kind: kind.kind }, name, faults)
}

/** The refusal of a custom object without `apiVersion` or `kind`. Undefined: it has both, or is not of a custom kind. */
export function unnamedProblem(patched: Value, resource: WrittenKind): string | undefined {
  if (resource.schema.custom !== true) return undefined
  if (textOrEmpty(asMap(patched), 'kind') === '') return kindMissing(plainJson(patched))
  if (textOrEmpty(asMap(patched), 'apiVersion') !== '') return undefined
  // The reference answers this with 500.
  throw new ApiError('BadRequest', "Object 'apiVersion' is missing in 'object has no apiVersion field'")
}

/**
 * The refusal of a patched built-in object without an API version. Undefined: it has a version, or is a custom object. The reference
 * decodes such an object as its internal version, whose fields have other names.
 */
export function innerFormProblems(
  patched: Value,
  resource: WrittenKind,
  resources: ResourceTable,
): { readonly error?: string; readonly odd: readonly string[] } | undefined {
  if (resource.schema.custom === true || !isMap(patched) || textOrEmpty(patched, 'apiVersion') !== '') return undefined
  const kind = kindIn(patched, resource)
  if (kind.kind === resource.kind) {
    const fields = Object.keys(patched).filter((name) => name !== 'kind' && name !== 'apiVersion')
    return { odd: fields.sort().map((name) => `unknown field "${name}"`) }
  }
  const group = shortGroup(resource)
  const error = resources.knowsKind(kind)
    ? `converting (${group}.${kind.kind}) to (${group}.${resource.kind}): unknown conversion`
    : `no kind "${kind.kind}" is registered for the internal version of group "${resource.group}"`
  return { error, odd: [] }
}

/** Go's name for the package of the group's internal version. */
function shortGroup({ group }: WrittenKind): string {
  return group === '' ? 'core' : group.split('.', 1)[0]!
}

/**
 * The refusal of a document whose `apiVersion` and `kind` do not fit the resource. Undefined: they fit. The document is first decoded as
 * its own kind, whose faults come first.
 */
export function otherKindProblem(value: Value, resource: WrittenKind, resources: ResourceTable): string | undefined {
  const kind = kindIn(value, resource)
  if (kind.kind === resource.kind && kind.group === resource.group && kind.version === resource.version)
    return undefined
  for (const other of resources.all()) {
    if (other.kind !== kind.kind || other.group !== kind.group || other.version !== kind.version) continue
    try {
      other.decode(value)
    } catch (error) {
      return (error as Error).message
    }
    break
  }
  return unfitKind(kind, resource, resources)
}

function cannotBeHandled(kind: GroupVersionKind, resource: WrittenKind, problem: string): ApiError {
  const subject = `${kind.kind} in version ${JSON.stringify(kind.version)}`
  return new ApiError('BadRequest', `${subject} cannot be handled as a ${resource.kind}: ${problem}`)
}

/** Ignores, warns of, or refuses unknown and duplicate fields. */
function reportProblems(
  problems: readonly string[],
  { resource, options: { fieldValidation } }: BodyRequest,
  warn: (text: string) => void,
): void {
  if (fieldValidation === 'Ignore' || problems.length === 0) return
  if (fieldValidation === 'Strict') {
    throw cannotBeHandled(resource, resource, `strict decoding error: ${problems.join(', ')}`)
  }
  for (const text of problems.flatMap(warningsOf)) warn(text)
}

/**
 * Puts an empty managedFields list back, which decoding has dropped like every empty list. The list is a request to reset the managed
 * fields (W-280). The reference drops it from custom objects.
 */
export function withReset(object: ApiObject, document: Value, { schema }: Pick<WrittenKind, 'schema'>): ApiObject {
  if (schema.custom === true) return object
  const managed = own(mapOrEmpty(asMap(document), 'metadata'), 'managedFields')
  return isList(managed) && managed.length === 0 ? withMeta(object, { managedFields: [] }) : object
}

export function nameMissing(name: string): ApiError {
  const subject = `the name of the object (${name} based on URL)`
  return new ApiError('BadRequest', `${subject} was undeterminable: name must be provided`)
}

/** Throws `BadRequest` unless the name in the body equals the name in the path (W-099, W-100). */
export function checkName(object: ValueMap, name: string): void {
  const given = own(mapOrEmpty(object, 'metadata'), 'name')
  if (given === undefined || given === '' || given === null) throw nameMissing(name)
  if (typeof given === 'string' && given !== name) {
    throw new ApiError('BadRequest', `the name of the object (${given}) does not match the name on the URL (${name})`)
  }
}
