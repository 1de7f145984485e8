// How much memory a server keeps of work that leaves nothing behind, done again.
import { expect, onTestFinished } from 'vitest'
import { type ApiClient, clientOf } from '../rigs/api-client.ts'
import { memoryInUse } from '../rigs/memory-in-use.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

/** By so much it may be larger after three times the work. */
export const MOST_GROWTH = 1.2
const MEASUREMENTS = 10
/** The store reopens its file where more than 24 MB of it are mapped, which it looks at every 4 MB. */
const MOST_MAPPED_MB = 32
/** What is remembered of the past where little is stored: 32 MiB. */
const MOST_PAST_MB = 34

const MAPS = '/api/v1/namespaces/default/configmaps'
const MAP_COUNT = 20
const MAP_BYTES = 100_000
/** 40 MB: more than any store keeps of the past in memory. */
const UPDATES_A_SLICE = 400
const WRITERS = 4

export async function startOn(...flags: readonly string[]): Promise<{ server: ServerProcess; client: ApiClient }> {
  const server = await startServerProcess(['--profiling', ...flags], await newHome())
  const client = clientOf(server)
  onTestFinished(() => client[Symbol.dispose]())
  return { server, client }
}

/** How many times as large as after the first slice the server is after two more; and what it remembers of the past. */
export async function growthOver(
  { server, client }: { readonly server: ServerProcess; readonly client: ApiClient },
  slice: () => Promise<void>,
): Promise<{ readonly growth: number; readonly past: number }> {
  await slice()
  const before = await memoryInUse(server, client)
  await slice()
  await slice()
  let after = await memoryInUse(server, client)
  const growth = (): number => (after.megabytes + before.mapped) / (before.megabytes + before.mapped)
  // Buffers are freed behind a collection, on a busy machine long behind it.
  for (let i = 0; i < MEASUREMENTS && growth() >= MOST_GROWTH; i++) after = await memoryInUse(server, client)
  expect(await server.stop()).toMatchObject({ code: 0 })
  // What is mapped of the store goes up and down within its bound, and is looked at by itself.
  expect(after.mapped - before.mapped).toBeLessThan(MOST_MAPPED_MB)
  return { growth: growth(), past: after.past }
}

/** Objects that are written over and over take no more memory. */
export async function expectNoGrowthByWrites(...flags: readonly string[]): Promise<void> {
  const world = await startOn(...flags)
  const { client } = world
  let count = 0
  const write = async (): Promise<void> => {
    const metadata = { name: `map-${count++ % MAP_COUNT}` }
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: `${count} `.padEnd(MAP_BYTES, 'x') } }
    const { status } = await client.send('PUT', `${MAPS}/${metadata.name}`, { body })
    expect([200, 201]).toContain(status)
  }
  const { growth, past } = await growthOver(world, async () => {
    const each = Array.from({ length: WRITERS }, async () => {
      for (let i = 0; i < UPDATES_A_SLICE / WRITERS; i++) await write()
    })
    await Promise.all(each)
  })
  expect(growth).toBeLessThan(MOST_GROWTH)
  expect(past).toBeLessThan(MOST_PAST_MB)
}
