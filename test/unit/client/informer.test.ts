// Informers over a source that the test plays: every order of events and every end of a connection.
import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiStatusError, ConnectionError, WatchExpiredError } from '../../../src/client/errors.ts'
import { Informer, type InformerOptions } from '../../../src/client/informer.ts'
import type { KubernetesObject, Stored } from '../../../src/client/objects.ts'
import type { WatchEvent } from '../../../src/client/watch.ts'
import { recordingClock } from '../../fakes/recording-clock.ts'

type Some = Stored<KubernetesObject>
type Step = WatchEvent<KubernetesObject> | Error

function object(name: string, resourceVersion: number, uid = name): Some {
  return { metadata: { name, uid, resourceVersion: String(resourceVersion), creationTimestamp: '' } }
}

function status(code: number, causes: readonly { reason: string }[] = []) {
  return { kind: 'Status' as const, code, details: { causes } }
}

const added = (name: string, version: number, uid?: string): Step => ({
  type: 'ADDED',
  object: object(name, version, uid),
})
const modified = (name: string, version: number): Step => ({ type: 'MODIFIED', object: object(name, version) })
const deleted = (name: string, version: number): Step => ({ type: 'DELETED', object: object(name, version) })
const bookmark = (version: number): Step => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: String(version) } },
})
const complete = (version: number): Step => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } } },
})
const cut = new ConnectionError('sent', 'cut')
const expired = new WatchExpiredError('watch', status(410))

/** One row of steps a connection; after the last there is silence. What was asked for is written down: `initial`, `list`, `after 12`. */
function play(connections: readonly (readonly Step[])[], options: InformerOptions<KubernetesObject, never> = {}) {
  const asked: string[] = []
  const told: string[] = []
  const errors: unknown[] = []
  const rows = [...connections]
  async function* next(
    what: string,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<KubernetesObject>, void, undefined> {
    asked.push(what)
    const row = rows.shift()
    for (const step of row ?? []) {
      if (step instanceof Error) throw step
      yield step
    }
    if (row === undefined)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
  const informer = new Informer<KubernetesObject>(
    {
      async list() {
        asked.push('list')
        return { metadata: { resourceVersion: '50' }, items: [object('listed', 40)] }
      },
      watch: (version, signal) => next(`after ${version}`, signal),
      watchList: (signal) => next('initial', signal),
    },
    { onError: (error) => errors.push(error), ...options },
  )
  informer.addHandler({
    add: ({ metadata }) => void told.push(`add ${metadata.name} ${metadata.resourceVersion}`),
    update: (old, { metadata }) =>
      void told.push(`update ${metadata.name} ${old.metadata.resourceVersion} ${metadata.resourceVersion}`),
    delete: ({ metadata }) => void told.push(`delete ${metadata.name}`),
  })
  informer.start()
  onTestFinished(() => informer.stop())
  return { informer, asked, told, errors }
}

describe('an informer', () => {
  it('is complete with the bookmark that says so, and goes on after the last that it was told', async () => {
    const scene = play([
      [
        added('a', 3),
        added('b', 2),
        modified('a', 5),
        added('c', 4),
        deleted('c', 6),
        complete(7),
        modified('b', 8),
        cut,
      ],
      [bookmark(20), cut],
    ])
    await expect.poll(() => scene.asked).toEqual(['initial', 'after 8', 'after 20'])
    expect(scene.told).toEqual(['add a 5', 'add b 2', 'update b 2 8'])
    expect([scene.informer.hasSynced, scene.informer.size, scene.errors]).toEqual([true, 2, []])
  })

  it('begins anew where it was cut before it was complete, and has told nobody', async () => {
    const scene = play([
      [added('a', 1), added('b', 2), cut],
      [added('b', 2), complete(3)],
    ])
    await scene.informer.waitForSync()
    await expect.poll(() => scene.told).toEqual(['add b 2'])
    expect(scene.asked.slice(0, 2)).toEqual(['initial', 'initial'])
  })

  it('tells the difference after what was forgotten: gone, changed, another of that name, new', async () => {
    const scene = play([
      [added('same', 1), added('gone', 2), added('changed', 3), added('another', 4), complete(5), cut],
      [expired],
      [added('same', 1), added('changed', 9), added('another', 8, 'new'), added('new', 7), complete(10)],
    ])
    await expect.poll(() => scene.asked.slice(0, 4)).toEqual(['initial', 'after 5', 'initial', 'after 10'])
    expect(scene.told.slice(4)).toEqual([
      'delete gone',
      'update changed 3 9',
      'delete another',
      'add another 8',
      'add new 7',
    ])
  })

  it('reads anew soon where a server that was away for long comes back with nothing of before', async () => {
    const { clock, waited } = recordingClock()
    const away = Array.from({ length: 12 }, (): Step[] => [new ConnectionError('connecting', 'refused')])
    const { asked } = play([[complete(5)], ...away, [expired]], { clock })
    await expect.poll(() => asked).toHaveLength(15)
    expect(asked.at(-1)).toBe('initial')
    expect(waited[12]).toBeGreaterThanOrEqual(1_000)
    expect(waited.at(-1)).toBeLessThanOrEqual(100)
  })

  it('reads anew where the server has gone back', async () => {
    const tooLarge = new ApiStatusError('watch', status(504, [{ reason: 'ResourceVersionTooLarge' }]))
    const scene = play([[added('a', 9), complete(9), cut], [tooLarge], [added('a', 2), complete(3)]])
    await expect.poll(() => scene.told).toEqual(['add a 9', 'update a 9 2'])
  })

  it('tells nothing twice and nothing of what it never had', async () => {
    const scene = play([[added('a', 1), complete(2), added('a', 1), deleted('b', 3), deleted('a', 4), deleted('a', 4)]])
    await expect.poll(() => scene.asked).toContain('after 4')
    expect(scene.told).toEqual(['add a 1', 'delete a'])
  })

  it('lists where the server does not know how to stream', async () => {
    const scene = play([[new ApiStatusError('watch', status(422))], [modified('listed', 60), cut], [expired]])
    await expect.poll(() => scene.asked).toEqual(['initial', 'list', 'after 50', 'after 60', 'list', 'after 50'])
    expect(scene.told).toEqual(['add listed 40', 'update listed 40 60', 'update listed 60 40'])
  })

  it('reports refusals and goes on', async () => {
    const forbidden = new ApiStatusError('watch', status(403))
    const scene = play([[forbidden], [complete(1)]])
    await scene.informer.waitForSync()
    expect(scene.errors).toEqual([forbidden])
  })

  it('tells a handler that comes later of what is there', async () => {
    const { informer } = play([[added('a', 1), complete(2)]])
    await informer.waitForSync()
    const late: string[] = []
    const registration = informer.addHandler({ add: ({ metadata }) => void late.push(metadata.name) })
    await registration.waitForSync()
    expect(late).toEqual(['a'])
    await registration.remove()
  })

  it('waits for a handler that is ten thousand events behind, and then goes on', async () => {
    const many = function* (): Generator<Step> {
      yield complete(1)
      for (let i = 0; i < 20_000; i++) yield added(`n${i}`, i + 2)
    }
    const { informer } = play([[...many()]])
    const stuck = Promise.withResolvers<void>()
    let told = 0
    informer.addHandler({
      async add() {
        told++
        await stuck.promise
      },
    })
    await expect.poll(() => informer.size).toBe(10_000)
    expect(told).toBe(1)
    stuck.resolve()
    await expect.poll(() => [informer.size, told]).toEqual([20_000, 20_000])
  })

  it('stops while it waits, reads or tells, and tells nobody any more', async () => {
    const { informer } = play([[added('a', 1), added('b', 2), complete(3)]])
    const told: string[] = []
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const registration = informer.addHandler({
      async add({ metadata }) {
        told.push(metadata.name)
        begun.resolve()
        await held.promise
      },
    })
    await begun.promise
    const stopped = informer.stop()
    held.resolve()
    await stopped
    expect(told).toEqual(['a'])
    await expect(registration.waitForSync()).rejects.toThrow('its informer stopped')
    const never = play([[cut]]).informer
    const waiting = never.waitForSync()
    await never.stop()
    await expect(waiting).rejects.toThrow('the informer was stopped')
  })
})
