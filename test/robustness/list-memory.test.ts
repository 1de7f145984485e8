// A list is sent as it is read: its length must not show in the memory of the server.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ABSENT, putKey } from '../../src/kv/kv.ts'
import { CountingClient } from '../bench/growth-client.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const PODS = 100_000
const AT_A_TIME = 2_000
const MOST_GROWTH_MB = 50
const ALL_PODS = '/api/v1/pods'

/** As the server stores it. */
function storedPod(at: number): Buffer {
  const number = String(at).padStart(6, '0')
  return Buffer.from(
    JSON.stringify({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name: `pod-${number}`,
        namespace: 'default',
        uid: `5b1c4b7e-9c56-4f1f-8c0a-000000${number}`,
        creationTimestamp: '2026-03-01T12:00:00Z',
        labels: { app: 'many', shard: String(at % 100) },
        annotations: { note: 'n'.repeat(800) },
      },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/app:v1' }] },
      status: { phase: 'Pending' },
    }),
  )
}

/** Past the server: a hundred thousand requests would take longer than the rest of the test. */
async function seed(folder: string): Promise<void> {
  const { signal } = new AbortController()
  const kv = await openEmbedded({ dataDir: folder }, signal)
  const put = (at: number): Promise<unknown> =>
    putKey(
      kv,
      { key: `/registry/pods/default/pod-${String(at).padStart(6, '0')}`, value: storedPod(at), expected: ABSENT },
      signal,
    )
  for (let first = 0; first < PODS; first += AT_A_TIME) {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, at) => put(first + at)))
  }
  await kv.close()
}

/** By how much the process was at most larger than before, while something went on. */
async function growthMegabytes(pid: number, work: () => Promise<void>): Promise<number> {
  const kilobytes = (what: string): number =>
    Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  // From here on the kernel counts the most anew.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  await work()
  return (kilobytes('VmHWM') - before) / 1_000
}

it(`a list of ${PODS.toLocaleString('en')} pods grows the server by less than ${MOST_GROWTH_MB} MB`, async () => {
  const home = await newHome()
  const dataDir = path.join(home, 'data')
  await seed(path.join(dataDir, 'store'))
  const server = await startServerProcess(['--data-dir', dataDir], home)
  using client = new CountingClient(server)
  // The cache is filled by whoever asks first, and everything that a list needs is loaded and compiled.
  for (let turn = 0; turn < 50; turn++) await client.read(`${ALL_PODS}?limit=500`)
  let bytes = 0
  const growth = await growthMegabytes(server.child.pid ?? 0, async () => {
    bytes = await client.read(ALL_PODS)
  })
  expect(bytes).toBeGreaterThan(2 * MOST_GROWTH_MB * 1_000_000)
  expect(growth).toBeLessThan(MOST_GROWTH_MB)
})
