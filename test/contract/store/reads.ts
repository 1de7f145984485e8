// Get: the cells of the specification's first table, and what an answer is made of.
import { expect, it } from 'vitest'
import { ANY, LATEST, nodes, notOlderThan, type OpenSubject, refusal } from './subject.ts'

export function readRules(subject: OpenSubject): void {
  it('gives an object as bytes with its version in them, and parsed', async () => {
    const revision = await subject().put('d', 'a', { labels: { app: 'web' } })
    const item = await subject().get('d', 'a')
    expect(item).toMatchObject({ kind: 'object', namespace: 'd', name: 'a', revision })
    if (item?.kind !== 'object') throw new Error('unreadable')
    const wanted =
      `{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"d","uid":"uid-a","resourceVersion":"${revision}",` +
      '"labels":{"app":"web"}},"spec":{},"status":{}}'
    expect(item.bytes.toString()).toBe(wanted)
    expect(item.object()).toEqual(JSON.parse(wanted))
  })

  it('gives nothing for what is not there, and says as of when', async () => {
    const revision = await subject().put('d', 'a')
    const { item, revision: asOf } = await subject().store.get(
      { resource: nodes, namespace: '', name: 'a' },
      LATEST,
      subject().signal,
    )
    expect(item).toBeUndefined()
    expect(asOf).toBeGreaterThanOrEqual(revision)
  })

  it('sees what another replica has just written, at latest (R-070)', async () => {
    const { other } = subject()
    for (let round = 0; round < 20; round++) {
      const revision = await subject().put('d', 'a', { spec: { round } }, other)
      expect((await subject().get('d', 'a', LATEST))?.revision).toBe(revision)
    }
    await subject().remove('d', 'a', other)
    expect(await subject().get('d', 'a', LATEST)).toBeUndefined()
  })

  it('gives whatever is at hand, at any (R-071)', async () => {
    const revision = await subject().put('d', 'a')
    await subject().get('d', 'a', LATEST)
    expect((await subject().get('d', 'a', ANY))?.revision).toBe(revision)
  })

  it('waits until it is not older than a version, and gives the newest it has (R-072)', async () => {
    const revision = await subject().put('d', 'a')
    const later = await subject().put('d', 'b', {}, subject().other)
    expect((await subject().get('d', 'a', notOlderThan(later)))?.revision).toBe(revision)
    expect((await subject().get('d', 'b', notOlderThan(revision)))?.revision).toBe(later)
  })

  it('refuses a version of the future with 504, in the words that clients look for (R-073, D18)', async () => {
    await subject().put('d', 'a')
    const error = refusal(subject().get('d', 'a', notOlderThan(999_999_999)))
    await subject().advance(3_000)
    expect(await error).toMatchObject({ reason: 'Timeout', code: 504 })
    expect((await error).message).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/)
    expect((await error).details).toEqual({
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    })
  })

  it.each(['', '..', 'a/b', 'x'.repeat(3_000)])('finds nothing under the name %j', async (name) => {
    await subject().put('d', 'a')
    expect(await subject().get('d', name)).toBeUndefined()
  })
}
