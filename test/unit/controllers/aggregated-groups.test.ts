import { expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { DiscoveryGroup } from '../../../src/registry/discovery.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { AggregatedGroups } from '../../../src/controllers/aggregated-groups.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { runUntilFinished } from '../../rigs/running-controller.ts'

const SOON = { interval: 2 }
const GROUP = 'apiregistration.k8s.io'

function group(name: string, priority: number): DiscoveryGroup {
  return { group: name, versions: [{ version: 'v1', priority: { group: priority, version: 15 }, resources: [] }] }
}

it('groups of other servers stand by their priorities, and it is counted when one goes away (P-388, P-391)', async () => {
  const { resources } = await openWorld()
  const { stored: resource } = resources.find({ group: GROUP, version: 'v1', resource: 'apiservices' })!
  // A store of its own: the controllers of a server would look for the servers, and say themselves how they are.
  const store = openKvStore({ kv: openMemory(), prefix: '/registry/' })
  const { signal } = new AbortController()
  const write = (name: string, change: (live: object) => object): Promise<unknown> =>
    store.write(
      { resource, namespace: '', name },
      (current) => {
        const live = current?.kind === 'object' ? current.object() : { kind: 'APIService', apiVersion: `${GROUP}/v1` }
        return { kind: 'put', object: { metadata: { name }, ...change(live) } as unknown as ApiObject }
      },
      signal,
    )
  const remotes = new AggregatedGroups({
    resources: () => Promise.resolve([]),
    documents: (service) => Promise.resolve({ service, v3Address: undefined, v2: undefined }),
    clock: systemClock,
  })
  runUntilFinished({ name: 'remotes', run: (stop) => remotes.follow(store, resources, stop) })
  const serve = async (version: string, of: string, priorities: readonly [number, number]): Promise<void> => {
    const [groupPriorityMinimum, versionPriority] = priorities
    const service = { namespace: 'ns', name: 'elsewhere' }
    const spec = { group: of, version, service, groupPriorityMinimum, versionPriority }
    await write(`${version}.${of}`, (live) => ({ ...live, spec }))
  }
  const tell = async (name: string, status: string, reason: string): Promise<void> => {
    const conditions = [{ type: 'Available', status, reason, lastTransitionTime: '2030-01-01T00:00:00Z' }]
    await write(name, (live) => ({ ...live, status: { conditions } }))
  }
  await serve('v1', 'low.example.com', [10, 10])
  await serve('v1beta1', 'high.example.com', [17000, 10])
  await serve('v2', 'high.example.com', [17000, 10])
  await serve('v1', 'high.example.com', [17000, 20])
  const own = [group('', 18000), group('apps', 17800), group('batch', 16000), group('custom.example.com', 1000)]
  const told = (): unknown =>
    remotes.among(own).map(({ group: name, versions }) => `${name} ${versions.map(({ version }) => version).join()}`)
  await expect
    .poll(told, SOON)
    .toEqual([
      ' v1',
      'apps v1',
      'high.example.com v1,v2,v1beta1',
      'batch v1',
      'custom.example.com v1',
      'low.example.com v1',
    ])

  const spec = { group: 'named.example.com', version: 'v1', groupPriorityMinimum: 16500, versionPriority: 1 }
  await write('v1.named.example.com', (live) => ({ ...live, spec }))
  const named = (): readonly string[] => remotes.withNamed(remotes.among(own)).map(({ group: name }) => name)
  await expect.poll(() => named().slice(2, 5), SOON).toEqual(['high.example.com', 'named.example.com', 'batch'])
  expect(told()).not.toContainEqual(expect.stringContaining('named'))

  const measured = async (name: string): Promise<unknown> => {
    const family = remotes.measures.find((one) => one.name === name)
    await family?.refresh()
    const all = [...(family?.all() ?? [])]
    return Object.fromEntries(
      all.map(({ values, series }) => [values.join(' '), 'value' in series ? series.value : series]),
    )
  }
  await tell('v1.low.example.com', 'True', 'Passed')
  await expect
    .poll(() => measured('aggregator_unavailable_apiservice'), SOON)
    .toMatchObject({ 'v1.low.example.com': 0, 'v1.high.example.com': 1 })
  expect(await measured('aggregator_unavailable_apiservice_total')).toEqual({})
  await tell('v1.low.example.com', 'False', 'FailedDiscoveryCheck')
  await expect
    .poll(() => measured('aggregator_unavailable_apiservice_total'), SOON)
    .toEqual({ 'v1.low.example.com FailedDiscoveryCheck': 1 })

  const key = { resource, namespace: '', name: 'v1.low.example.com' }
  await store.write(key, () => ({ kind: 'remove' }), AbortSignal.timeout(10_000))
  await expect.poll(() => measured('aggregator_unavailable_apiservice_total'), SOON).toEqual({})
})
