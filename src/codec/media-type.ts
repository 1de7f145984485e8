// Media types: the names of the encodings, and parsers for Accept and Content-Type. Two brands of names mean
// the same (D1): `vnd.kubernetes.protobuf` and `vnd.svc.protobuf`, `meta.k8s.io` and `meta.svc.io`.
import { ApiError } from '../api/status.ts'
import type { Encoding } from './codec.ts'

export type Brand = 'k8s' | 'svc'

const PROTOBUF_TYPES: Readonly<Record<Brand, string>> = {
  k8s: 'application/vnd.kubernetes.protobuf',
  svc: 'application/vnd.svc.protobuf',
}

/** The group of Tables and metadata-only forms. */
const META_GROUPS: Readonly<Record<Brand, string>> = { k8s: 'meta.k8s.io', svc: 'meta.svc.io' }

const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: PROTOBUF_TYPES.k8s,
  cbor: 'application/cbor',
}

const ENCODINGS = Object.keys(MEDIA_TYPES) as readonly Encoding[]

export function mediaTypeOf(encoding: Encoding, brand: Brand): string {
  return encoding === 'protobuf' ? PROTOBUF_TYPES[brand] : MEDIA_TYPES[encoding]
}

export function brandOfGroup(group: string): Brand | undefined {
  return group === META_GROUPS.k8s ? 'k8s' : group === META_GROUPS.svc ? 'svc' : undefined
}

/** The encoding of a media type. Undefined: the API does not have the media type. */
export function encodingOf(mediaType: string): Encoding | undefined {
  const named = ENCODINGS.find((encoding) => MEDIA_TYPES[encoding] === mediaType)
  return named ?? (brandOf(mediaType) === undefined ? undefined : 'protobuf')
}

/** The brand of a media type. Undefined: the media type has no brand, which is usual. */
export function brandOf(mediaType: string): Brand | undefined {
  return mediaType === PROTOBUF_TYPES.k8s ? 'k8s' : mediaType === PROTOBUF_TYPES.svc ? 'svc' : undefined
}

/** A Content-Type without its parameters, in lower case. Undefined: the Content-Type or its parameters are malformed. */
export function essenceOf(contentType: string): string | undefined {
  const at = contentType.indexOf(';')
  const text = (at < 0 ? contentType : contentType.slice(0, at)).trim().toLowerCase()
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/.test(text)) return undefined
  return at < 0 || areParameters(contentType.slice(at)) ? text : undefined
}

/** Whether the text is a sequence of `; name=value` without contradictions. A semicolon may follow the last parameter. */
function areParameters(text: string): boolean {
  const parameter = /;\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*=\s*([!#$%&'*+.^_`|~0-9a-z-]+|"(?:[^"\\\r\n]|\\.)*")\s*/giy
  const seen = new Map<string, string>()
  let at = 0
  for (const [whole, name = '', value = ''] of text.matchAll(parameter)) {
    const key = name.toLowerCase()
    if ((seen.get(key) ?? value) !== value) return false
    seen.set(key, value)
    at += whole.length
  }
  return /^;?\s*$/.test(text.slice(at))
}

interface BodyTypes {
  /** False for custom resources, which have no protobuf (D16). */
  readonly protobuf: boolean
  /** Whether the gate `CBORServingAndStorage` is on. */
  readonly cbor: boolean
}

/** The encoding of the body of a create or an update. Default: JSON. Throws 415 (W-025, W-027, R-020). */
export function encodingOfBody(contentType: string | undefined, types: BodyTypes): Encoding {
  if (contentType === undefined || contentType === '') return 'json'
  const essence = essenceOf(contentType)
  const encoding = essence === undefined ? undefined : encodingOf(essence)
  if (encoding === undefined || (encoding === 'cbor' && !types.cbor) || (encoding === 'protobuf' && !types.protobuf)) {
    throw unsupportedMediaType(acceptedTypes(types.cbor))
  }
  return encoding
}

/** Error 415 with the message of handlers. */
export function unsupportedMediaType(types: readonly string[]): ApiError {
  const list = types.join(', ')
  return new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${list}`,
  )
}

/** The types of single objects in the server's order of preference, as messages list them. */
export function acceptedTypes(cbor: boolean): readonly string[] {
  const types = [MEDIA_TYPES.json, MEDIA_TYPES.yaml, MEDIA_TYPES.protobuf]
  return cbor ? [...types, MEDIA_TYPES.cbor] : types
}

/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
  readonly weight: number
}

/** Clients send fewer clauses. Later clauses are ignored, because a few compressed bytes can contain thousands of clauses. */
const MAX_CLAUSES = 64
const MAX_PARAMETERS = 16

/** The clauses of an Accept header in their order. */
export function clauseTexts(header: string): readonly string[] {
  return header.split(',', MAX_CLAUSES)
}

/**
 * The clauses of an Accept header, best first: by weight, then by specificity, then in their order. Malformed clauses are
 * left out. A malformed weight counts as 0. The weight 0 does not exclude a clause.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = clauseTexts(header).flatMap((text) => {
    const clause = parseClause(text)
    return clause === undefined ? [] : [clause]
  })
  return clauses.sort((a, b) => b.weight - a.weight || specificity(b) - specificity(a))
}

function parseClause(text: string): AcceptClause | undefined {
  const [range = '', ...rest] = text.split(';', 1 + MAX_PARAMETERS)
  const name = range.trim()
  const [type = '', subtype, more] = name === '*' ? ['*', '*'] : name.split('/')
  if (subtype === undefined || subtype === '' || more !== undefined) return undefined
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const [key = '', value = '', ...more] = parameter.split('=')
    if (value !== '' && more.length === 0) parameters.set(key.trim(), value.trim())
  }
  return { type: type.trim(), subtype: subtype.trim(), parameters, weight: weightOf(parameters.get('q')) }
}

function weightOf(text: string | undefined): number {
  if (text === undefined) return 1
  return /^[0-9]*\.?[0-9]+$|^[0-9]+\.$/.test(text) ? Number(text) : 0
}

function specificity(clause: AcceptClause): number {
  return clause.subtype !== '*' ? 2 : clause.type !== '*' ? 1 : 0
}
