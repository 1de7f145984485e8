// Content negotiation: finds the best clause of Accept that can be served, or throws 406 in the reference's words. No other code reads
// these headers.
import { ApiError } from '../api/status.ts'
import type { Encoding } from './codec.ts'
import {
  type AcceptClause,
  acceptedTypes,
  type Brand,
  brandOf,
  brandOfGroup,
  clauseTexts,
  essenceOf,
  mediaTypeOf,
  parseAccept,
} from './media-type.ts'

/** Objects are converted to this form before they are written. */
interface Transform {
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** The apiVersion of the answer: `meta.k8s.io/v1`, in the requested brand and version. */
  readonly apiVersion: string
}

export interface Negotiated {
  readonly encoding: Encoding
  /** The Content-Type of the answer. */
  readonly contentType: string
  readonly brand: Brand
  /** Undefined: the object itself is written. */
  readonly transform: Transform | undefined
  /** Whether the clause requests indented JSON. The query or the client's name can request indentation too (D14). */
  readonly pretty: boolean
  /** The fields that the clause does not want, including unknown fields. */
  readonly dropped: readonly string[]
}

/** The forms that an endpoint can serve. */
export interface Offer {
  /** Whether the router checks Accept first, with messages of its own. It does not check custom resources and a few other endpoints. */
  readonly router: boolean
  /** True for a list or a watch: the router's messages then name the media types of streams too. */
  readonly collection: boolean
  /** False for custom resources (D16). Their metadata-only forms and Tables still have protobuf. */
  readonly protobuf: boolean
  /** `metadata`: resources that are not stored have no tables. `none`: discovery documents have no other form. */
  readonly transforms: 'all' | 'metadata' | 'none'
  /** Whether the gate `CBORServingAndStorage` is on. */
  readonly cbor: boolean
  /** A media type that the router accepts, although no object is served in it. */
  readonly passed?: string
}

export interface Asked {
  readonly accept: string | undefined
  /** Decides the brand if Accept does not. */
  readonly contentType: string | undefined
}

const TRANSFORMS: ReadonlySet<string> = new Set<Transform['as']>([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
])

/** The number and the length of remembered headers. Clients send only a few different headers. */
const REMEMBERED = 256
const LONGEST_REMEMBERED = 2048

/** Remembers its results: clients request the same forms again and again. */
export class Negotiator {
  /** The results by the Accept header. */
  readonly #found = new Map<string, { readonly asked: Asked; readonly offer: Offer; readonly form: Negotiated }[]>()
  #size = 0

  /** See `negotiate`. */
  negotiate(asked: Asked, offer: Offer): Negotiated {
    const { accept = '', contentType = '' } = asked
    const known = this.#found.get(accept)
    if (known !== undefined) {
      for (const one of known) {
        if (one.asked.contentType === asked.contentType && isSameOffer(one.offer, offer)) return one.form
      }
    }
    const form = negotiate(asked, offer)
    if (accept.length + contentType.length > LONGEST_REMEMBERED) return form
    if (this.#size++ >= REMEMBERED) {
      this.#found.clear()
      this.#size = 1
    }
    const others = this.#found.get(accept) ?? []
    this.#found.set(accept, [...others, { asked, offer, form }])
    return form
  }
}

function isSameOffer(a: Offer, b: Offer): boolean {
  return (
    a.router === b.router &&
    a.collection === b.collection &&
    a.protobuf === b.protobuf &&
    a.transforms === b.transforms &&
    a.cbor === b.cbor &&
    a.passed === b.passed
  )
}

/** The form of an object or a list. Throws 406 (R-019, R-221, R-224). */
export function negotiate(asked: Asked, offer: Offer): Negotiated {
  const clauses = clausesOf(asked)
  if (offer.router) refuseByRouter(asked.accept ?? '', offer)
  const found = firstServed(clauses, encodings(offer.cbor), serving(offer, false))
  if (found === undefined) throw refused(acceptedTypes(offer.cbor))
  return negotiated(found, asked)
}

/** JSON for `EventSource` in browsers. Only watches are served in this type. */
export const EVENT_STREAM = 'text/event-stream'

/** The form of the events of a watch. Throws 406 (R-019 c, R-168, D29). */
export function negotiateWatch(asked: Asked, offer: Offer): Negotiated {
  const clauses = clausesOf(asked)
  if (offer.router && !clauses.some(isEventStream)) refuseByRouter(asked.accept ?? '', offer)
  const offered = encodings(offer.cbor)
  const isServed = serving(offer, true)
  const found = firstServed(
    clauses,
    offered.filter((encoding) => encoding !== 'yaml'),
    isServed,
  )
  if (found === undefined) {
    // Either a form is acceptable but cannot be streamed, or no form is acceptable.
    const isWhole = offer.router && firstServed(clauses, offered, isServed) !== undefined
    throw refused(isWhole ? streamTypes(offer.cbor) : acceptedTypes(offer.cbor))
  }
  const form = negotiated(found, asked)
  const contentType = isEventStream(found.clause) ? EVENT_STREAM : streamType(form.encoding, form.contentType)
  return { ...form, contentType }
}

/** The form of a Status. Undefined: no accepted form fits, and the answer is indented JSON (R-008). */
export function negotiateStatus(asked: Asked, cbor: boolean): Negotiated | undefined {
  const found = firstServed(
    clausesOf(asked),
    encodings(cbor),
    (clause, encoding) => matches(clause, encoding) && takesPlain(clause),
  )
  return found === undefined ? undefined : negotiated(found, asked)
}

/** A kind to which only certain endpoints convert their answer. Clients can request this kind in either brand (R-306). */
export interface NamedForm {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface NegotiatedForm extends Negotiated {
  readonly form: NamedForm
}

/**
 * The form that the best clause with one of the forms requests. Other clauses and their weights do not count. Undefined: no clause requests
 * one of the forms. The Content-Type repeats the parameters of the clause.
 */
export function negotiateForm(asked: Asked, forms: readonly NamedForm[], cbor: boolean): NegotiatedForm | undefined {
  for (const clause of clausesOf(asked)) {
    const found = formAsked(clause, forms, encodings(cbor))
    if (found === undefined) continue
    const base = negotiated({ clause, encoding: found.encoding }, asked)
    return { ...base, transform: undefined, contentType: base.contentType + found.parameters, form: found.form }
  }
  return undefined
}

/** The requested form and encoding of a clause, with the parameters that repeat the request. */
function formAsked<E extends Encoding>(clause: AcceptClause, forms: readonly NamedForm[], offered: readonly E[]) {
  const form = forms.find((candidate) => asksFor(clause, candidate))
  const encoding = offered.find((candidate) => matches(clause, candidate))
  if (form === undefined || encoding === undefined) return undefined
  const group = clause.parameters.get('g') ?? form.group
  return { encoding, form: { ...form, group }, parameters: `;g=${group};v=${form.version};as=${form.kind}` }
}

/** The form of a page. It is text unless the client requests another form. */
type PageForm =
  | { readonly kind: 'text' }
  | {
      readonly kind: 'form'
      readonly encoding: Exclude<Encoding, 'protobuf'>
      /** The Content-Type repeats the parameters of the clause. */
      readonly contentType: string
      readonly form: NamedForm
    }

/** The form of a page by the best clause that requests one of the forms, or text. Throws 406 (R-343). */
export function negotiatePage(asked: Asked, forms: readonly NamedForm[], cbor: boolean): PageForm {
  const offered = cbor ? (['json', 'yaml', 'cbor'] as const) : (['json', 'yaml'] as const)
  for (const clause of clausesOf({ ...asked, accept: asked.accept?.trim() })) {
    const { parameters } = clause
    if ((parameters.get('stream') ?? '') !== '' || (parameters.get('sv') ?? '') !== '') continue
    const found = formAsked(clause, forms, offered)
    if (found !== undefined) {
      const { encoding, form } = found
      return { kind: 'form', encoding, contentType: mediaTypeOf(encoding, 'k8s') + found.parameters, form }
    }
    if (takesText(clause)) return { kind: 'text' }
  }
  throw refused([...offered.map((encoding) => mediaTypeOf(encoding, 'k8s')), 'text/plain'])
}

function takesText(clause: AcceptClause): boolean {
  const { type, subtype } = clause
  const names = type === 'text' ? subtype === 'plain' || subtype === '*' : type === '*' && subtype === '*'
  return names && transformOf(clause) === undefined
}

function asksFor({ parameters }: AcceptClause, { group, version, kind }: NamedForm): boolean {
  const asked = parameters.get('g')
  return (
    parameters.get('as') === kind &&
    parameters.get('v') === version &&
    (asked === group || asked === group.replace(/\.k8s\.io$/, '.svc.io'))
  )
}

function encodings(cbor: boolean): readonly Encoding[] {
  return cbor ? ['json', 'yaml', 'protobuf', 'cbor'] : ['json', 'yaml', 'protobuf']
}

const ANYTHING: readonly AcceptClause[] = [{ type: '*', subtype: '*', parameters: new Map(), weight: 1 }]

function clausesOf({ accept }: Asked): readonly AcceptClause[] {
  return accept === undefined || accept === '' ? ANYTHING : parseAccept(accept)
}

interface Served {
  readonly clause: AcceptClause
  readonly encoding: Encoding
}

/** The first clause that accepts one of the encodings, and the first of the accepted encodings. */
function firstServed(
  clauses: readonly AcceptClause[],
  offered: readonly Encoding[],
  serve: (clause: AcceptClause, encoding: Encoding) => boolean,
): Served | undefined {
  for (const clause of clauses) {
    const encoding = offered.find((candidate) => serve(clause, candidate))
    if (encoding !== undefined) return { clause, encoding }
  }
  return undefined
}

/** Whether the clause names the encoding, or accepts any type. For a stream, `application/cbor-seq` names CBOR. */
function matches(clause: AcceptClause, encoding: Encoding, stream = false): boolean {
  if (clause.type === '*' && clause.subtype === '*') return true
  if (isEventStream(clause)) return stream && encoding === 'json'
  if (clause.type !== 'application') return false
  if (clause.subtype === '*') return true
  const name = `application/${clause.subtype}`
  if (encoding === 'protobuf') return brandOf(name) !== undefined
  return name === mediaTypeOf(encoding, 'k8s') || (stream && encoding === 'cbor' && clause.subtype === 'cbor-seq')
}

function isEventStream({ type, subtype }: AcceptClause): boolean {
  return `${type}/${subtype}` === EVENT_STREAM
}

function offersForm({ transforms }: Offer, { as }: Pick<Transform, 'as'>): boolean {
  return transforms === 'all' || (transforms === 'metadata' && as !== 'Table')
}

/** Returns a function that tells whether a clause is served in an encoding. */
function serving(offer: Offer, stream: boolean): (clause: AcceptClause, encoding: Encoding) => boolean {
  return (clause, encoding) => {
    const transform = transformOf(clause)
    if (transform === 'unknown' || !takesStream(clause) || !matches(clause, encoding, stream)) return false
    return transform === undefined ? encoding !== 'protobuf' || offer.protobuf : offersForm(offer, transform)
  }
}

/** Whether the clause requests the object itself. */
function takesPlain(clause: AcceptClause): boolean {
  return transformOf(clause) === undefined && takesStream(clause)
}

function takesStream({ parameters }: AcceptClause): boolean {
  const [stream, version] = [parameters.get('stream') ?? '', parameters.get('sv') ?? '']
  return (stream === '' || stream === 'watch') && (version === '' || version === 'v1')
}

/** `unknown`: the clause requests an unknown form. */
function transformOf({ parameters }: AcceptClause): Transform | 'unknown' | undefined {
  const [as, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name) ?? '')
  if (as === '' && group === '' && version === '') return undefined
  if (as === undefined || !TRANSFORMS.has(as) || brandOfGroup(group ?? '') === undefined) return 'unknown'
  if (version !== 'v1' && version !== 'v1beta1') return 'unknown'
  return { as: as as Transform['as'], apiVersion: `${group}/${version}` }
}

function negotiated({ clause, encoding }: Served, asked: Asked): Negotiated {
  const brand = brandAsked(clause, asked)
  const transform = transformOf(clause)
  return {
    encoding,
    contentType: mediaTypeOf(encoding, brandOf(`${clause.type}/${clause.subtype}`) ?? brand),
    brand,
    transform: transform === 'unknown' ? undefined : transform,
    pretty: clause.parameters.get('pretty') === '1',
    dropped: clause.parameters.get('drop')?.split('+') ?? [],
  }
}

function brandAsked(clause: AcceptClause, { contentType }: Asked): Brand {
  const named = brandOf(`${clause.type}/${clause.subtype}`) ?? brandOfGroup(clause.parameters.get('g') ?? '')
  if (named !== undefined) return named
  const body = contentType === undefined ? undefined : essenceOf(contentType)
  return (body === undefined ? undefined : brandOf(body)) ?? 'k8s'
}

/**
 * Throws 406 like the reference's router, which checks only the names of the types: one name must be known, or be a wildcard (R-223). The
 * reference's router refuses `application/*`, but this code accepts it (R-221).
 */
function refuseByRouter(accept: string, { collection, cbor, passed }: Offer): void {
  const whole = [...(passed === undefined ? [] : [passed]), ...acceptedTypes(cbor)]
  const isKnown = (name: string): boolean =>
    whole.includes(name) || brandOf(name) !== undefined || (collection && cbor && name === 'application/cbor-seq')
  const names = clauseTexts(accept).map((clause) => clause.split(';', 1)[0]!.trim())
  if (accept === '' || names.some((name) => name === '*/*' || name === 'application/*' || isKnown(name))) return
  const types = collection ? [...whole, ...streamTypes(cbor)] : whole
  const text = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`
  throw new ApiError('NotAcceptable', text, { details: {} })
}

function refused(types: readonly string[]): ApiError {
  return new ApiError('NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`)
}

function streamTypes(cbor: boolean): readonly string[] {
  const types = ['application/json;stream=watch', `${mediaTypeOf('protobuf', 'k8s')};stream=watch`]
  return cbor ? [...types, 'application/cbor-seq'] : types
}

function streamType(encoding: Encoding, mediaType: string): string {
  return encoding === 'protobuf'
    ? `${mediaType};stream=watch`
    : encoding === 'cbor'
      ? 'application/cbor-seq'
      : mediaType
}
