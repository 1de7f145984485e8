import { expect, it } from 'vitest'
import { watchObjects } from '../../../src/registry/read.ts'
import type { Store } from '../../../src/store/store.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

const { signal } = new AbortController()

it.each([
  [30, 30_000],
  [undefined, undefined],
])('a watch that is to end after %s seconds asks the store for that', async (timeoutSeconds, timeoutMilliseconds) => {
  const world = new ApiWorld()
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
