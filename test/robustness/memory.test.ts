// Memory that stays: work that leaves nothing behind, done again, leaves the server as large as it was. Judged by what is in use;
// `make soak` goes on for longer, and by all that the process has.
import { expect, it } from 'vitest'
import { definitionOf } from '../corpora/definitions.ts'
import { expectNoGrowthByWrites, growthOver, MOST_GROWTH, startOn } from './memory-growth.ts'
import { MemoryLoad } from './memory-load.ts'
import { rowsOf } from '../rigs/whole.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITIONS_A_SLICE = 10

it('definitions that come and go, and the documents that tell of them, leave nothing', async () => {
  const world = await startOn('--in-memory')
  const { client } = world
  let count = 0
  const { growth } = await growthOver(world, async () => {
    for (let i = 0; i < DEFINITIONS_A_SLICE; i++) {
      const definition = definitionOf('memory.example.com', `Thing${count++}`)
      expect(await client.send('POST', DEFINITIONS, { body: definition })).toMatchObject({ status: 201 })
      expect(await client.send('GET', '/openapi/v2')).toMatchObject({ status: 200 })
      const removed = await client.send('DELETE', `${DEFINITIONS}/${definition.metadata.name}`)
      expect(removed).toMatchObject({ status: 200 })
    }
  })
  expect(growth).toBeLessThan(MOST_GROWTH)
})

const STORES = { 'in memory': ['--in-memory'], 'on the embedded store': [] }

// The last test has the embedded store in any case.
it.each(rowsOf(STORES, ['in memory']))(
  'objects that are written over and over take no more memory, %s',
  (_store, flags) => expectNoGrowthByWrites(...flags),
)

it('nothing is kept of all of it at once, with watchers that come and go', async () => {
  const world = await startOn()
  const load = new MemoryLoad(world.client, { writes: 30, definitions: 5, namespaces: 2, watchers: 10 })
  await load.prepare()
  const { growth } = await growthOver(world, () => load.round())
  expect(growth).toBeLessThan(MOST_GROWTH)
})
