// Answers with objects, in the encoding and the form that the client requested.
import { encodeContinue } from '../api/continue-token.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import { isStored, type StoredObject } from '../api/read.ts'
import type { ShardSelector } from '../api/shard-selector.ts'
import { ApiError, type Status, type StatusDetails } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { allWithoutManagedFields, MANAGED_FIELDS, withoutManagedFields } from '../codec/dropped-fields.ts'
import { indentInTurns, indentJson } from '../codec/indent.ts'
import { CBOR_HEAD, encodeCbor, encodeCborValue } from '../codec/cbor-encode.ts'
import { encodeJson, plainJson } from '../codec/json-encode.ts'
import type { ListDocument, ListForm, ListItem, ListMetadata, ListType } from '../codec/list-json.ts'
import type { EncodingTools } from '../codec/list-protobuf.ts'
import { isLarge, writtenElsewhere } from '../codec/large-values.ts'
import { writeList } from '../codec/list-writer.ts'
import { type Negotiated, negotiateWatch, type Offer } from '../codec/negotiate.ts'
import { partialMetadata } from '../codec/partial-metadata.ts'
import { encodeEnvelope, encodeProtobuf } from '../codec/protobuf.ts'
import { parseStoredJson } from '../codec/stored-json.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { parseIncludeObject, tableDocument, type TableForm } from '../codec/table.ts'
import type { HttpResponse } from '../http/http.ts'
import { wantsPretty } from '../http/pretty.ts'
import type { ListPage } from '../registry/read.ts'
import { CBOR_GATE } from './media-types.ts'
import type { KindSchema, ResourceParts, ResourceRequest, ServedRequest } from './resource-parts.ts'
import { askedBy } from './resource-parts.ts'

/** The negotiated form of an answer. */
export interface View extends Negotiated {
  readonly table: TableForm | undefined
  readonly partialMetadata: KindSchema
  readonly status: KindSchema
  readonly tools: EncodingTools
  /** True: list items of every kind have `kind` and `apiVersion`. */
  readonly isTyped?: boolean
  /** Objects come without their managed fields. Tables do not change. */
  readonly dropsManagers?: boolean
}

const DROP_GATE = 'ManagedFieldsOptOut'

/** `transforms`: the available forms besides the objects themselves. */
export function viewOf(
  parts: ResourceParts,
  request: ServedRequest,
  transforms: Offer['transforms'] = formsOf(request),
): View {
  const offer = offerOf(parts, request, transforms)
  return completeView(parts, request, parts.negotiator.negotiate(askedBy(request.http), offer))
}

/** The view of an answer that has no protobuf form and is not an object of the kind. */
export function resultViewOf(parts: ResourceParts, request: ServedRequest): View {
  const offer = { ...offerOf(parts, request, 'all'), protobuf: false }
  return completeView(parts, request, parts.negotiator.negotiate(askedBy(request.http), offer))
}

/** Checks the Accept header of a request whose answer is a stream of text. */
export function checkTextAccept(parts: ResourceParts, request: ServedRequest): void {
  const offer = { ...offerOf(parts, request, 'metadata'), passed: 'text/plain' }
  parts.negotiator.negotiate(askedBy(request.http), offer)
}

export function watchViewOf(parts: ResourceParts, request: ResourceRequest): View {
  return completeView(parts, request, negotiateWatch(askedBy(request.http), offerOf(parts, request, 'all')))
}

/** Subresources without a Table in the reference. */
const WITHOUT_TABLE: ReadonlySet<string> = new Set([
  'certificatesigningrequests/approval',
  'resourceclaims/status',
  'apiservices/status',
  'customresourcedefinitions/status',
])

function formsOf({ info, resource }: ServedRequest): Offer['transforms'] {
  if (info.subresource === undefined || resource.isCustom) return 'all'
  return WITHOUT_TABLE.has(`${info.resource}/${info.subresource}`) ? 'metadata' : 'all'
}

function offerOf(parts: ResourceParts, { resource, info }: ServedRequest, transforms: Offer['transforms']): Offer {
  // The scale of a custom object is a built-in kind, and is served like the object.
  const isCustom = resource.custom !== undefined
  return {
    router: !isCustom,
    collection: info.verb === 'list' || info.verb === 'watch',
    protobuf: resource.schema.hasProtobuf && !isCustom,
    transforms,
    cbor: parts.gates.has(CBOR_GATE),
  }
}

function completeView(parts: ResourceParts, { http, caller, resource }: ServedRequest, form: Negotiated): View {
  const { transform } = form
  const { partialMetadata: partial, status } = parts.kinds
  const view = {
    ...form,
    dropsManagers: parts.gates.has(DROP_GATE) && form.dropped.includes(MANAGED_FIELDS),
    pretty: form.pretty || wantsPretty(http),
    partialMetadata: partial,
    status,
    tools:
      form.encoding === 'json'
        ? parts.encoding
        : { ...parts.encoding, asker: { user: caller.user.name, signal: http.signal } },
  }
  if (transform?.as !== 'Table') return { ...view, table: undefined }
  const include = parseIncludeObject(http.query.get('includeObject'))
  return {
    ...view,
    table: { shape: resource.columns, apiVersion: transform.apiVersion, include, now: parts.clock.timeOfDay() },
  }
}

const NEWLINE = Buffer.from('\n')

function jsonResponse(
  view: Negotiated,
  { bytes, line }: { readonly bytes: Buffer; readonly line?: Buffer },
  status: number,
): HttpResponse {
  return bytesResponse(view, view.pretty ? indentJson(bytes) : (line ?? Buffer.concat([bytes, NEWLINE])), status)
}

export function servedItem(request: ServedRequest, stored: StoredObject): ListItem {
  return request.resource.conversion.isIdentity ? stored : convertedItem(request, stored.object())
}

/** A Table is the same in all versions of a kind, so it shows the stored object. The Table of a view shows the view. */
function convertedItem({ resource }: ServedRequest, stored: ApiObject): ListItem {
  const bytes = encodeJson(resource.conversion.fromStored(stored), resource.schema)
  // The object is read from the bytes, so that it has exactly the members of the version.
  const item = { bytes, object: () => parseStoredJson(bytes) as ApiObject }
  return stored.kind === resource.storedKind.kind ? { ...item, shown: () => stored } : item
}

export function respondWithObject(
  view: View,
  request: ServedRequest,
  object: ApiObject | StoredObject,
  status: number,
): HttpResponse {
  const whole = isStored(object) ? servedItem(request, object) : convertedItem(request, object)
  const { transform, table } = view
  if (table !== undefined) return respondInJson(view, 'Table', tableDocument(table, whole), status)
  const item = view.dropsManagers === true ? withoutManagedFields(whole) : whole
  if (transform === undefined) {
    const { resource } = request
    if (whole !== object) return respond(view, resource.schema, item, status)
    return respondWithStored(view, { schema: resource.schema, apiVersion: formatGroupVersion(resource) }, item, status)
  }
  if (transform.as === 'PartialObjectMetadataList') throw notAcceptable(request, transform.as, 'not a list', '')
  const { apiVersion } = transform
  const bytes = partialMetadata(item, apiVersion)
  const metadata = { bytes, object: () => parseStoredJson(bytes) as ValueMap }
  return respondWithStored(view, { schema: view.partialMetadata, apiVersion }, metadata, status)
}

/** Transcodes stored bytes to protobuf without parsing them. */
function respondWithStored(
  view: View,
  { schema, apiVersion }: { readonly schema: KindSchema; readonly apiVersion: string },
  item: ListItem,
  status: number,
): HttpResponse {
  if (view.encoding !== 'protobuf' || isLarge(item.bytes)) return respond(view, schema, item, status)
  const names = { apiVersion, kind: schema.kind }
  return bytesResponse(view, view.tools.transcoder.enveloped(schema.shape, names, item.bytes), status)
}

/** Writes a large answer piece by piece, or in another thread. Undefined for other answers. */
function respondWithLarge(
  { encoding, contentType, pretty, tools }: Output,
  kind: KindSchema | undefined,
  json: Buffer,
  status: number,
): HttpResponse | undefined {
  if (tools === undefined || !isLarge(json)) return undefined
  if (encoding === 'json') {
    const { turns } = tools
    return pretty && turns !== undefined ? piecesResponse(contentType, indentInTurns(json, turns), status) : undefined
  }
  const written = writtenElsewhere(tools, json, { encoding, kind: kind?.custom === true ? undefined : kind })
  return written && piecesResponse(contentType, whenWritten(encoding, written), status)
}

async function* whenWritten(encoding: Negotiated['encoding'], written: Promise<Buffer>): AsyncGenerator<Buffer> {
  if (encoding === 'cbor') yield CBOR_HEAD
  yield await written
}

/** Without `tools`, every answer is written at once. */
type Output = Negotiated & { readonly tools?: EncodingTools | undefined }

export function respond(view: Output, kind: KindSchema, item: ListItem, status: number): HttpResponse {
  const large = respondWithLarge(view, kind, item.bytes, status)
  if (large !== undefined) return large
  switch (view.encoding) {
    case 'json':
      return jsonResponse(view, item, status)
    case 'yaml':
      return bytesResponse(view, Buffer.from(emitYaml(item.object())), status)
    case 'protobuf':
      return bytesResponse(view, encodeProtobuf(kind, item.object()), status)
    case 'cbor':
      return bytesResponse(view, encodeCbor(item.object(), kind), status)
  }
}

/** A value without a protobuf form travels as JSON in the envelope (D10). */
export function respondInJson(view: View, kind: string, bytes: Buffer, status: number): HttpResponse {
  const large = view.encoding === 'protobuf' ? undefined : respondWithLarge(view, undefined, bytes, status)
  if (large !== undefined) return large
  if (view.encoding === 'json') return jsonResponse(view, { bytes }, status)
  if (view.encoding === 'yaml') return bytesResponse(view, Buffer.from(emitYaml(parseStoredJson(bytes))), status)
  if (view.encoding === 'cbor') return bytesResponse(view, encodeCborValue(parseStoredJson(bytes)), status)
  const apiVersion = view.transform?.apiVersion ?? ''
  return bytesResponse(view, encodeEnvelope({ kind, apiVersion }, bytes, 'application/json'), status)
}

function bytesResponse(view: Negotiated, bytes: Buffer, status: number): HttpResponse {
  return { status, headers: { 'content-type': view.contentType }, body: { kind: 'bytes', bytes, compress: true } }
}

function piecesResponse(contentType: string, pieces: ReturnType<typeof writeList>, status: number): HttpResponse {
  return { status, headers: { 'content-type': contentType }, body: { kind: 'pieces', pieces, compress: true } }
}

/** The error if the requested form is for lists and the answer is a single object, or the reverse (R-019 d). */
export function notAcceptable({ resource }: ServedRequest, as: string, what: string, suffix: 'List' | ''): ApiError {
  const { group, kind } = resource.storedKind
  const place = group === '' ? 'core' : group.split('.', 1)[0]!
  const type = resource.isCustom ? `*unstructured.Unstructured${suffix}` : `*${place}.${kind}${suffix}`
  return new ApiError('NotAcceptable', `you requested ${as}, but the requested object is ${what} (${type})`)
}

/** The Success of a delete or of an action. `code` is in the answer only if the reference's answer has it. */
export function respondWithStatus(view: View, details: StatusDetails | undefined, code?: number): HttpResponse {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details === undefined ? {} : { details }),
    ...(code === undefined ? {} : { code }),
  }
  const value = status as unknown as ValueMap
  return respond(view, view.status, { bytes: Buffer.from(plainJson(value)), object: () => value }, code ?? 200)
}

export function listTypeOf({ resource }: ResourceRequest): ListType {
  return {
    apiVersion: formatGroupVersion(resource),
    kind: resource.custom?.listKind ?? `${resource.kind}List`,
    itemKind: resource.kind,
    custom: resource.isCustom,
  }
}

export function listMetadata(page: Omit<ListPage, 'batches'>, shard: ShardSelector | undefined): ListMetadata {
  return {
    resourceVersion: String(page.revision),
    continue: page.next === undefined ? '' : encodeContinue(page.next),
    remainingItemCount: page.remaining,
    shardInfo: shard && { selector: shard.text },
  }
}

export async function respondWithList(
  view: View,
  request: ResourceRequest,
  page: ListPage,
  shard: ShardSelector | undefined,
): Promise<HttpResponse> {
  const items = request.resource.conversion.isIdentity ? page.batches : convertedBatches(request, page.batches)
  const metadata = listMetadata(page, shard)
  const { table } = view
  if (table?.shape.ofList === undefined) return listResponse(view, request, { metadata, items })
  const all: ListItem[] = []
  for await (const batch of items) all.push(...batch)
  const shape = table.shape.ofList(all.map((item) => item.shown?.() ?? item.object()))
  return listResponse({ ...view, table: { ...table, shape } }, request, { metadata, items: [all] })
}

export function listResponse(view: View, request: ResourceRequest, list: Omit<ListDocument, 'form'>): HttpResponse {
  const { metadata, items } = list
  const isWhole = view.dropsManagers !== true || view.table !== undefined
  const wanted = isWhole ? items : allWithoutManagedFields(items)
  const pieces = writeList({ form: listFormOf(view, request), metadata, items: wanted }, view, {
    ...view.tools,
    resume: () => request.http.resume(),
  })
  return piecesResponse(view.contentType, pieces, 200)
}

function listFormOf(view: View, request: ResourceRequest): ListForm {
  const { transform, table } = view
  if (table !== undefined) return { kind: 'table', table }
  if (transform === undefined) return { kind: 'objects', type: { ...listTypeOf(request), isTyped: view.isTyped } }
  if (transform.as === 'PartialObjectMetadata') throw notAcceptable(request, transform.as, 'a list', 'List')
  return { kind: 'metadata', apiVersion: transform.apiVersion }
}

async function* convertedBatches(
  request: ResourceRequest,
  batches: ListPage['batches'],
): AsyncGenerator<readonly ListItem[]> {
  for await (const batch of batches) for (const stored of batch) yield [servedItem(request, stored)]
}

/** A list of objects that are not stored. */
export function respondWithUnstored(view: View, request: ResourceRequest, items: readonly ListItem[]): HttpResponse {
  const metadata: ListMetadata = { resourceVersion: '', continue: '', remainingItemCount: undefined }
  return listResponse(view, request, { metadata, items: [items] })
}
