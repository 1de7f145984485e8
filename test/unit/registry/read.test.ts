import { expect, it } from 'vitest'
import { objectHistory, watchObjects } from '../../../src/registry/read.ts'
import type { History } from '../../../src/store/kv-history.ts'
import type { ServedForm, Store, StoredItem } from '../../../src/store/store.ts'
import { openWorld } from '../../rigs/api-world.ts'

const { signal } = new AbortController()

it.each([
  ['as it is stored', undefined, 'stored'],
  ['in the form that is served', 'served', 'served'],
])('the past of an object is told %s', async (_name, shown, expected) => {
  const world = await openWorld()
  const resource = world.resource('configmaps')
  const past = (name: string): StoredItem =>
    ({ kind: 'object', namespace: 'ns', name, revision: 1 }) as unknown as StoredItem
  const read = (): Promise<History> => Promise.resolve({ items: [past('stored')], isCut: false, isGone: false })
  const form = { fromStored: () => Promise.resolve([past('served')]) } as unknown as ServedForm
  const stored = shown === undefined ? resource.stored : { ...resource.stored, form }
  const place = { resource: { ...resource, stored }, namespace: 'ns' }
  const { objects } = await objectHistory(read, place, { name: 'a', limit: 1 }, signal)
  expect(objects.map(({ name }) => name)).toEqual([expected])
})

it('there is no past of what never was', async () => {
  const read = (): Promise<History> => Promise.resolve({ items: [], isCut: false, isGone: false })
  const place = { resource: (await openWorld()).resource('configmaps'), namespace: 'ns' }
  const asked = objectHistory(read, place, { name: 'a', limit: 1 }, signal)
  await expect(asked).rejects.toMatchObject({ reason: 'NotFound' })
})

it.each([
  [30, 30_000],
  [undefined, undefined],
])('a watch that is to end after %s seconds asks the store for that', async (timeoutSeconds, timeoutMilliseconds) => {
  const world = await openWorld()
  const asked: unknown[] = []
  const store = { watch: (request: unknown) => Promise.resolve(asked.push(request)) } as unknown as Store
  const query = { start: { kind: 'latest' }, labels: undefined, fields: undefined, bookmarks: false, timeoutSeconds }
  await watchObjects(
    { ...world.parts, store },
    { resource: world.resource('pods'), namespace: 'n' },
    query as never,
    signal,
  )
  expect(asked).toEqual([expect.objectContaining({ namespace: 'n', timeoutMilliseconds })])
})
