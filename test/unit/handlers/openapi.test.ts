import { describe, expect, it } from 'vitest'
import { OpenApiDocuments } from '../../../src/codec/openapi-documents.ts'
import { openApiRoutes } from '../../../src/handlers/openapi.ts'
import { InvariantError } from '../../../src/lib/errors.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { builtInOpenApiParts } from '../../../src/schema/openapi-parts.ts'
import { ANYBODY, fakeRequest } from '../http/fake-request.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const parts = builtInOpenApiParts().filter(({ key }) => key === 'version')
const documents = new OpenApiDocuments({ info: { title: 'Test', version: 'v1' }, turns: new Turns() }, parts)
const [v2] = openApiRoutes(() => documents, new ManualClock(Date.parse('2030-01-02T03:04:05Z')))
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const TAG = `"${documents.v2.hash}"`

const rows: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  status: number,
  type: string | undefined,
])[] = [
  ['JSON to whoever does not care', {}, 200, 'application/json'],
  ['the binary form', { accept: PROTOBUF }, 200, PROTOBUF],
  ['its older spelling', { accept: PROTOBUF.replace('.v1.0+', '@v1.0+') }, 200, PROTOBUF],
  ['the heavier of two', { accept: `application/json;q=0.5, ${PROTOBUF}` }, 200, PROTOBUF],
  ['nothing of another type', { accept: 'text/html' }, 406, undefined],
  ['nothing to whoever has it', { 'if-none-match': TAG }, 304, undefined],
  ['nothing to whoever has it or others', { 'if-none-match': `"x", W/${TAG}` }, 304, undefined],
  ['a newer one', { 'if-none-match': '"x"' }, 200, 'application/json'],
  ['nothing where it was not changed since', { 'if-modified-since': 'Wed, 02 Jan 2030 03:04:05 GMT' }, 304, undefined],
  ['one that changed since', { 'if-modified-since': 'Wed, 02 Jan 2030 03:04:04 GMT' }, 200, 'application/json'],
  ['one whose date is no date', { 'if-modified-since': 'yesterday' }, 200, 'application/json'],
  [
    'a newer one, whatever the date',
    { 'if-none-match': '"x"', 'if-modified-since': 'Thu, 03 Jan 2030 00:00:00 GMT' },
    200,
    'application/json',
  ],
  ['a part of it', { range: 'bytes=0-9' }, 206, 'application/json'],
  ['a part of what one has the rest of', { range: 'bytes=0-9', 'if-range': TAG }, 206, 'application/json'],
  [
    'a part of what is as old',
    { range: 'bytes=0-9', 'if-range': 'Wed, 02 Jan 2030 03:04:05 GMT' },
    206,
    'application/json',
  ],
  ['all of it where one has the rest of another', { range: 'bytes=0-9', 'if-range': '"x"' }, 200, 'application/json'],
  ['no part behind its end', { range: 'bytes=99999999-' }, 416, 'text/plain; charset=utf-8'],
  ['no part that is not understood', { range: 'lines=1-2' }, 416, 'text/plain; charset=utf-8'],
]

describe('the document in version 2 gives (R-313)', () => {
  it.each(rows)('%s', async (_, headers, status, type) => {
    if (v2 === undefined) throw new InvariantError('there is no route')
    const answer = await v2.handler(fakeRequest('GET /openapi/v2', { headers }), ANYBODY)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe(type)
    expect(answer.headers['vary']).toBe('Accept-Encoding, Accept')
  })
})
