// What has brought HTTP/2 servers down in the last ten years, sent without end by one client: it ends that client's connection with
// the right error, before it has cost the server more than some honest requests do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request } from '../corpora/header-blocks.ts'
import { HostileClient, NOBODY } from '../fakes/hostile-client.ts'
import { floodsBy, idOf } from '../corpora/http2-attacks.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { headersFrame, numberFrame } from '../rigs/http2-frames.ts'
import { NobodyServer } from '../rigs/nobody-server.ts'

let server: NobodyServer
/** The processor time of one honest request, in milliseconds. */
let requestMs = 0

beforeAll(async () => {
  server = await NobodyServer.start()
  // The first time is for the compiler.
  for (let i = 0; i < 2; i++) requestMs = await timeRequest()
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** What a megabyte of a flood may cost, and what every one may, in honest requests: a tenth of a second each, about. */
const A_MEGABYTE = 1000
const AT_LEAST = 1000
/** What a request may cost that is reset. Only so many are taken, and few more after them. */
const A_RESET = 5
const MOST_RESETS = 1500
const MOST_UNITS = 30_000
/** Where a frame says what it is. */
const TYPE_AT = 3

function honest(id: number): Buffer {
  return headersFrame(id, request('GET', '/api', NOBODY), true)
}

async function timeRequest(): Promise<number> {
  const client = await HostileClient.dial(server.url)
  client.send(numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 30))
  const count = 2000
  const before = server.processorMilliseconds
  for (let at = 0; at < count; at += 50) {
    client.send(...Array.from({ length: 50 }, (_, i) => honest(idOf(at + i))))
    await client.frame(({ stream, flags, type }) => stream === idOf(at + 49) && type === h2.DATA && (flags & 1) !== 0)
  }
  client.close()
  return (server.processorMilliseconds - before) / count
}

describe.each(Object.entries(floodsBy(NOBODY)))('%s', (_cve, floods) => {
  const rows = floods.map((flood) => [flood.name, flood] as const)
  it.each(rows)('%s', async (_name, { code = h2.ENHANCE_YOUR_CALM, settings, before, unit }) => {
    const client = await HostileClient.dial(server.url, settings)
    if (before !== undefined) {
      client.send(...before())
      await client.settle()
    }
    const startedMs = server.processorMilliseconds
    const bytes = await client.flood(MOST_UNITS, unit)
    await expect.poll(() => client.goAwayCode).toBe(code)
    const spentMs = server.processorMilliseconds - startedMs
    const ofRequests = unit(0)[TYPE_AT] === h2.HEADERS ? MOST_RESETS * A_RESET : 0
    expect(spentMs / requestMs).toBeLessThan(AT_LEAST + ofRequests + (bytes / 1e6) * A_MEGABYTE)
    await expect.poll(() => client.isClosed).toBe(true)
    // Nobody else noticed.
    expect(await server.isWell()).toBe(true)
    client.close()
  })
})

it('a client that writes byte by byte is no flood', async () => {
  const client = await HostileClient.dial(server.url)
  const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }).padEnd(4000)
  const fields = { ...NOBODY, 'content-type': 'application/json' }
  client.send(headersFrame(1, request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', fields), false))
  await client.write(Buffer.concat(Array.from(review, (character) => h2.dataFrame(1, character))))
  client.send(h2.dataFrame(1, '', h2.END_STREAM))
  await client.frame(({ stream, flags, type }) => stream === 1 && type === h2.DATA && (flags & h2.END_STREAM) !== 0)
  const bodies = client.seen.filter(({ stream, type }) => stream === 1 && type === h2.DATA)
  expect(Buffer.concat(bodies.map(({ content }) => content)).toString()).toContain('"userInfo"')
  expect(client.goAwayCode).toBe(undefined)
  client.close()
})
