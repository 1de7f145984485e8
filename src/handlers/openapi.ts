// The OpenAPI documents: `/openapi/v2`, and `/openapi/v3` with a document for each group-version.
import type { OpenApiDocument, OpenApiDocuments } from '../codec/openapi-documents.ts'
import { parseAccept } from '../codec/media-type.ts'
import { OPENAPI_V2_PROTOBUF, OPENAPI_V3_PROTOBUF } from '../codec/openapi-documents.ts'
import type { Handler, HttpRequest, HttpResponse, ResponseHeaders } from '../http/http.ts'
import { plainText } from '../http/responses.ts'
import type { Route } from '../http/router.ts'
import type { Clock } from '../lib/clock.ts'
import { byteRangeOf } from './byte-range.ts'
import { headerOf } from './resource-parts.ts'

type Documents = Pick<OpenApiDocuments, 'v2' | 'v3' | 'v3Index'>

const YEAR_MS = 365 * 24 * 3600 * 1000

/** The time of this call counts as the time of the last change of the documents. */
export function openApiRoutes(documents: () => Documents, clock: Clock): Route[] {
  const modified = new Date(clock.timeOfDay()).toUTCString()
  return [
    { path: '/openapi/v2', handler: showV2(documents, modified) },
    { path: '/openapi/v3', subtree: true, handler: showV3(documents, modified, clock) },
    { path: '/openapi/v3', handler: showIndex(documents), listed: () => ['/openapi/v3', '/openapi/v3/'] },
  ]
}

function showV2(documents: () => Documents, modified: string): Handler {
  return (request) => {
    const document = documents().v2
    const headers = { etag: `"${document.hash}"`, 'last-modified': modified, vary: 'Accept-Encoding, Accept' }
    return answer(request, document, { headers, protobuf: OPENAPI_V2_PROTOBUF, compress: true })
  }
}

function showIndex(documents: () => Documents): Handler {
  return () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(documents().v3Index())) },
  })
}

function showV3(documents: () => Documents, modified: string, clock: Clock): Handler {
  return (request) => {
    const key = request.path.slice('/openapi/v3/'.length)
    const document = documents().v3(key)
    if (document === undefined) return bare(404)
    const asked = request.query.get('hash')
    if (asked !== undefined && asked !== '' && asked !== document.hash) {
      const location = `/openapi/v3/${key}?hash=${document.hash}`
      return { status: 301, headers: { location }, body: { kind: 'empty' } }
    }
    const headers = {
      etag: `"${document.hash}"`,
      'last-modified': modified,
      vary: 'Accept',
      ...(asked === document.hash
        ? { 'cache-control': 'public, immutable', expires: new Date(clock.timeOfDay() + YEAR_MS).toUTCString() }
        : {}),
    }
    return answer(request, document, { headers, protobuf: OPENAPI_V3_PROTOBUF, compress: false })
  }
}

function bare(status: number, headers: ResponseHeaders = {}): HttpResponse {
  return { status, headers, body: { kind: 'empty' } }
}

interface Form {
  readonly headers: ResponseHeaders
  readonly protobuf: string
  readonly compress: boolean
}

async function answer(
  request: HttpRequest,
  document: OpenApiDocument,
  { headers, protobuf, compress }: Form,
): Promise<HttpResponse> {
  const type = typeFor(headerOf(request, 'accept'), protobuf)
  if (type === undefined) return bare(406, { vary: headers['vary'] ?? '' })
  if (isUnchanged(request, document.hash, String(headers['last-modified']))) return bare(304, headers)
  const bytes = await (type === 'application/json' ? document.json() : document.protobuf())
  const shown = { 'content-type': type, ...headers, 'accept-ranges': 'bytes' }
  const range = isStillTheSame(request, headers) ? byteRangeOf(headerOf(request, 'range'), bytes.length) : WHOLE
  switch (range.kind) {
    case 'whole':
      return { status: 200, headers: shown, body: { kind: 'bytes', bytes, compress } }
    case 'part': {
      const { first, last } = range
      const part = { ...shown, 'content-range': `bytes ${first}-${last}/${bytes.length}` }
      return { status: 206, headers: part, body: { kind: 'bytes', bytes: bytes.subarray(first, last + 1) } }
    }
    case 'none': {
      const { vary = '' } = headers
      if (!range.beyond) return plainText(416, 'invalid range\n', { vary })
      const size = { 'content-range': `bytes */${bytes.length}` }
      return plainText(416, 'invalid range: failed to overlap\n', { vary, ...size })
    }
  }
}

const WHOLE = { kind: 'whole' } as const

/** Whether the client has a part of the same document. Otherwise the client gets the whole document. */
function isStillTheSame(request: HttpRequest, headers: ResponseHeaders): boolean {
  const known = headerOf(request, 'if-range')
  if (known === '' || known === headers['etag']) return true
  return Date.parse(known) === Date.parse(String(headers['last-modified']))
}

/**
 * The type of the answer: JSON, or protobuf in one of its two spellings. Undefined: the client accepts neither. The clause with the highest
 * weight counts.
 */
function typeFor(accept: string, protobuf: string): string | undefined {
  if (accept === '') return 'application/json'
  for (const clause of parseAccept(accept)) {
    const type = `${clause.type}/${clause.subtype}`
    if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'application/json'
    if (type === protobuf || type === protobuf.replace('.v1.0+', '@v1.0+')) return protobuf
  }
  return undefined
}

/** Whether the client has the document already. The date counts only if the request has no tag. */
function isUnchanged(request: HttpRequest, hash: string, modified: string): boolean {
  const tags = headerOf(request, 'if-none-match')
  if (tags !== '') return isKnown(tags, hash)
  return Date.parse(headerOf(request, 'if-modified-since')) >= Date.parse(modified)
}

/** Whether one of the tags in the header is the tag of the document, weak or strong. */
function isKnown(ifNoneMatch: string, hash: string): boolean {
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === `"${hash}"`)
}
