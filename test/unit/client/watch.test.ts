// Watches against a small HTTP server that ends and breaks its answers where the test says.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiStatusError, Client, k8s, WatchExpiredError } from '../../../src/client/client.ts'
import { ConnectionError } from '../../../src/client/errors.ts'
import type { Stored } from '../../../src/client/objects.ts'
import { isNews, Reconnection, type WatchEvent } from '../../../src/client/watch.ts'
import { NEVER } from '../../../src/client/waiting.ts'
import { recordingClock } from '../../fakes/recording-clock.ts'

/** What is written of an answer, and how it ends. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text: string
  readonly end: 'ends' | 'breaks'
}

function event(type: string, version: number): string {
  return `${JSON.stringify({ type, object: { metadata: { name: 'p', resourceVersion: String(version) } } })}\n`
}

function failure(code: number): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: 'Some' })
}

/** The events of a watch of pods after 5 until it throws, what it throws, and after which version each connection was asked to begin. */
async function watch(answers: readonly Answer[]) {
  const asked: (string | null)[] = []
  const server = http.createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('resourceVersion'))
    const { status = 200, headers = {}, text, end } = answers[asked.length - 1]!
    response.writeHead(status, headers)
    response.write(text, () => (end === 'ends' ? response.end() : response.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  onTestFinished(async () => {
    client.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const seen: string[] = []
  try {
    for await (const { type, object } of client.resource(k8s.Pod).watch({ resourceVersion: '5' })) {
      seen.push(`${type} ${object.metadata.resourceVersion}`)
    }
    return { seen, asked, error: undefined }
  } catch (error) {
    return { seen, asked, error }
  }
}

describe('a watch', () => {
  it('goes on after the last whole event or bookmark, and ends with what is too old', async () => {
    const { seen, asked, error } = await watch([
      { text: event('ADDED', 6) + event('MODIFIED', 7) + event('DELETED', 8).slice(0, 20), end: 'breaks' },
      { text: event('DELETED', 8) + event('BOOKMARK', 20), end: 'ends' },
      { text: '', end: 'ends' },
      { status: 503, text: failure(503), end: 'ends' },
      { text: `${JSON.stringify({ type: 'ERROR', object: JSON.parse(failure(410)) })}\n`, end: 'ends' },
    ])
    expect(seen).toEqual(['ADDED 6', 'MODIFIED 7', 'DELETED 8', 'BOOKMARK 20'])
    expect(asked).toEqual(['5', '7', '20', '20', '20'])
    expect(error).toBeInstanceOf(WatchExpiredError)
    expect(error).toMatchObject({ code: 410 })
  })

  it('ends with what will not pass', async () => {
    const expired = await watch([{ status: 410, text: failure(410), end: 'ends' }])
    expect(expired.error).toBeInstanceOf(WatchExpiredError)
    const { error } = await watch([{ status: 403, text: failure(403), end: 'ends' }])
    expect(error).toBeInstanceOf(ApiStatusError)
    expect(error).toMatchObject({ code: 403, reason: 'Some' })
  })
})

it('waits as usual where the server names a date to come back at', async () => {
  const began = performance.now()
  const dated = { 'retry-after': new Date(0).toUTCString() }
  await watch([
    { status: 503, headers: dated, text: failure(503), end: 'ends' },
    { status: 503, headers: dated, text: failure(503), end: 'ends' },
    { status: 410, text: failure(410), end: 'ends' },
  ])
  expect(performance.now() - began).toBeGreaterThan(145)
})

describe('the next connection of a watch', () => {
  const unavailable = new ApiStatusError('watch', { kind: 'Status', code: 503 })
  const cut = new ConnectionError('sent', 'cut')
  const changed = (version: string) => ({ type: 'MODIFIED' as const, object: stored(version) })
  const bookmark = (version: string) => ({ type: 'BOOKMARK' as const, object: stored(version) })

  it.each([
    ['is made at once after one that told of a change', [changed('6')], cut, 'at once'],
    ['is made at once after a change and a bookmark', [changed('6'), bookmark('7')], undefined, 'at once'],
    ['waits after one that told nothing', [], cut, 'later'],
    ['waits after one that told no more than how far it has come', [bookmark('6')], undefined, 'later'],
    ['waits after one that told what was known', [changed('5')], undefined, 'later'],
    ['waits after one that the server ended with an error', [changed('6')], unavailable, 'later'],
  ] as const)('%s', async (_, events, failure, when) => {
    expect(await delays(events, [failure])).toEqual([when])
  })

  it('waits where the one that was made at once told nothing', async () => {
    expect(await delays([changed('6')], [cut, cut])).toEqual(['at once', 'later'])
  })
})

it.each([
  ['could not be made', new ConnectionError('connecting', 'refused'), 2_000],
  ['was cut', new ConnectionError('sent', 'cut'), 2_000],
  ['ended', undefined, 2_000],
  ['a balancer answered', new ApiStatusError('watch', { kind: 'Status', code: 502 }), 2_000],
  ['was forbidden', new ApiStatusError('watch', { kind: 'Status', code: 403 }), 30_000],
  ['was one too many', new ApiStatusError('watch', { kind: 'Status', code: 429 }), 30_000],
] as const)('connections are made less and less often where each %s', async (_, failure, longestMs) => {
  const { clock, waited } = recordingClock()
  const reconnection = new Reconnection(clock)
  for (let i = 0; i < 12; i++) await reconnection.wait(NEVER, failure)
  for (const [i, ms] of waited.entries()) {
    const mostMs = Math.min(100 * 2 ** i, longestMs)
    expect(ms).toBeGreaterThanOrEqual(mostMs / 2)
    expect(ms).toBeLessThanOrEqual(mostMs)
  }
  expect(waited).toHaveLength(12)
})

it('a server that was away for long and then refuses is asked again soon', async () => {
  const { clock, waited } = recordingClock()
  const reconnection = new Reconnection(clock)
  for (let i = 0; i < 12; i++) await reconnection.wait(NEVER, new ConnectionError('connecting', 'refused'))
  await reconnection.wait(NEVER, new ApiStatusError('watch', { kind: 'Status', code: 403 }))
  expect(waited.at(-1)).toBeLessThanOrEqual(2_000)
})

function stored(resourceVersion: string): Stored<k8s.Pod> {
  return { metadata: { name: 'p', uid: 'u', resourceVersion, creationTimestamp: '' } }
}

/** How each next connection is waited for, after one that went on after version 5 and told of these. */
async function delays(events: readonly WatchEvent<k8s.Pod>[], failures: readonly unknown[]) {
  const { clock, waited } = recordingClock()
  const reconnection = new Reconnection(clock)
  for (const event of events) reconnection.succeeded(isNews(event, '5'))
  const told: string[] = []
  for (const failure of failures) {
    const before = waited.length
    await reconnection.wait(NEVER, failure)
    told.push(waited.length === before ? 'at once' : 'later')
  }
  return told
}
