// What is asked of the past after so many changes that a store with little memory has forgotten it: the storage has not.
import { beforeEach, expect, it } from 'vitest'
import { exact, LATEST, namesIn, type OpenSubject, refusal } from './subject.ts'

/** The bytes that a cache may have for the past, so that it remembers the last of the changes below and not the first. */
export const LITTLE_PAST_BYTES = 12_000

const CHANGES = 20

export function pastRules(subject: OpenSubject): void {
  /** When there were three pods. */
  let three = 0
  /** What happened then, in short. */
  let told: string[] = []

  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) three = await subject().put('d', name, { labels: { app: 'x' } })
    told = []
    for (let i = 0; i < CHANGES; i++) {
      const revision = await subject().put('d', 'a', { labels: { app: i % 2 === 0 ? 'y' : 'x' }, spec: { i } })
      told.push(`MODIFIED d/a@${revision}`)
    }
    told.push(`DELETED d/b@${await subject().remove('d', 'b')}`)
    await subject().list()
  })

  const after = (revision: number) => ({ kind: 'after', revision }) as const

  it('is listed as it was', async () => {
    expect(await subject().names(exact(three))).toEqual(['d/a', 'd/b', 'd/c'])
    expect(await subject().names(exact(three), { labels: 'app=x' })).toEqual(['d/a', 'd/b', 'd/c'])
    expect(await subject().names(exact(three + 1), { labels: 'app=x' })).toEqual(['d/b', 'd/c'])
    expect(await subject().names()).toEqual(['d/a', 'd/c'])
  })

  it('is on the next page of a list that was begun then', async () => {
    const { next, revision } = await subject().list(LATEST, { limit: 1 })
    for (let i = 0; i < CHANGES; i++) await subject().put('d', 'a', { spec: { i } })
    await subject().remove('d', 'c')
    const second = await subject().list({ kind: 'continuation', position: next! }, { limit: 1 })
    expect([await namesIn(second), second.revision]).toEqual([['d/c'], revision])
  })

  it('is told to a watch from whichever version, each change once, and then what comes', async () => {
    const versions = [three, ...told.map((event) => Number(event.split('@')[1]))]
    for (const [place, version] of versions.entries()) {
      const watch = await subject().watch(after(version))
      expect(await watch.take(told.length - place)).toEqual(told.slice(place))
      await watch.close()
    }
    const live = await subject().watch(after(three))
    const last = await subject().put('d', 'z')
    expect(await live.take(told.length + 1)).toEqual([...told, `ADDED d/z@${last}`])
  })

  it('is what decides on the first events of a watch that selects', async () => {
    const watch = await subject().watch(after(three), { labels: 'app=x' })
    const types = (await watch.take(4)).map((event) => event.split(' ')[0])
    expect(types).toEqual(['DELETED', 'ADDED', 'DELETED', 'ADDED'])
  })

  it('is gone once the storage has forgotten it: 410', async () => {
    const { next } = await subject().list(LATEST, { limit: 1 })
    for (let i = 0; i < CHANGES; i++) await subject().put('d', 'a', { spec: { i } })
    await subject().forgetBefore(await subject().put('d', 'a'))
    const expired = { reason: 'Expired', code: 410 }
    expect(await refusal(subject().list(exact(three)))).toMatchObject(expired)
    expect(await refusal(subject().list({ kind: 'continuation', position: next! }))).toMatchObject(expired)
    expect(await refusal(subject().watch(after(three)))).toMatchObject(expired)
  })
}
