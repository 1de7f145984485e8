import { describe, expect, it } from 'vitest'
import { keepAlive, resumedQuery } from '../../../src/handlers/event-stream.ts'
import type { Piece } from '../../../src/http/http.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { fakeRequest } from '../http/fake-request.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'

describe('where a browser resumes', () => {
  const LINE = 'GET /api/v1/pods?watch=1&resourceVersion=5&resourceVersionMatch=NotOlderThan&sendInitialEvents=true'

  it('is after the last event that it has seen, without a state', () => {
    const query = resumedQuery(fakeRequest(LINE, { headers: { 'last-event-id': '17' } }))
    expect(query.get('resourceVersion')).toBe('17')
    expect(query.get('resourceVersionMatch')).toBeUndefined()
    expect(query.get('sendInitialEvents')).toBeUndefined()
    expect(query.get('watch')).toBe('1')
  })

  it('is what the query says where it has seen none', () => {
    for (const headers of [{}, { 'last-event-id': '' }]) {
      const query = resumedQuery(fakeRequest(LINE, { headers }))
      expect(query.get('resourceVersion')).toBe('5')
      expect(query.get('sendInitialEvents')).toBe('true')
    }
  })
})

it('tells of a version that is too old in an event, where others are answered 410', async () => {
  const api = await openWorld()
  const { kv } = api
  const { signal } = new AbortController()
  for (const name of ['a', 'b', 'c']) await api.send({ method: 'POST', path: MAPS, body: { metadata: { name } } })
  await kv.compact(await kv.newestRevision(signal), signal)
  const watch = { method: 'GET', path: `${MAPS}?watch=1&resourceVersion=1` }
  expect((await api.send(watch)).status).toBe(410)
  expect(await api.sendForText({ ...watch, accept: 'text/event-stream' })).toMatch(
    /^event: ERROR\nid: \ndata: \{"kind":"Status",.*"reason":"Expired","code":410\}\n\n$/,
  )
})

it('keeps a silent stream alive with comments, but not one whose client does not read', () => {
  const clock = new ManualClock()
  const written: string[] = []
  const sink = {
    bytes: 0,
    waitingBytes: 0,
    write: (piece: Piece): boolean => written.push(piece.toString()) > 0,
    drained: () => Promise.resolve(),
  }
  const letDie = keepAlive(sink, clock)
  clock.advance(30_000)
  expect(written).toEqual([':\n\n', ':\n\n'])
  sink.waitingBytes = 1
  clock.advance(30_000)
  expect(written).toHaveLength(2)
  letDie()
  expect(clock.pending).toBe(0)
})
