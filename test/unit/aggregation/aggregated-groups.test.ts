import { expect, it } from 'vitest'
import type { DiscoveryGroup } from '../../../src/registry/discovery.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { AggregatedGroups } from '../../../src/aggregation/aggregated-groups.ts'
import { ApiWorld } from '../../fakes/api-world.ts'
import { runUntilFinished } from '../../fakes/running-controller.ts'

const SOON = { interval: 2 }
const CLUSTER = { namespace: '' }

function group(name: string, priority: number): DiscoveryGroup {
  return { group: name, versions: [{ version: 'v1', priority: { group: priority, version: 15 }, resources: [] }] }
}

it('groups of other servers stand by their priorities, and it is counted when one goes away (P-388, P-391)', async () => {
  const world = new ApiWorld()
  const services = world.resource('apiservices', 'apiregistration.k8s.io')
  const remotes = new AggregatedGroups({
    resources: () => Promise.resolve([]),
    documents: (service) => Promise.resolve({ service, v3Address: undefined, v2: undefined }),
    clock: systemClock,
  })
  runUntilFinished({ name: 'remotes', run: (signal) => remotes.follow(world.parts.store, world.resources, signal) })
  const serve = async (version: string, of: string, priorities: readonly [number, number]): Promise<void> => {
    const [groupPriorityMinimum, versionPriority] = priorities
    const service = { namespace: 'ns', name: 'elsewhere' }
    const spec = { group: of, version, service, groupPriorityMinimum, versionPriority }
    await world.create(services, { metadata: { name: `${version}.${of}` }, spec }, CLUSTER)
  }
  const tell = async (name: string, status: string, reason: string): Promise<void> => {
    const conditions = [{ type: 'Available', status, reason, lastTransitionTime: '2030-01-01T00:00:00Z' }]
    const change = (live: object): object => ({ ...live, status: { conditions } })
    await world.update(services, name, change, { ...CLUSTER, subresource: 'status' })
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
  await world.create(services, { metadata: { name: 'v1.named.example.com' }, spec }, CLUSTER)
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

  const key = { resource: services.stored, namespace: '', name: 'v1.low.example.com' }
  await world.parts.store.write(key, () => ({ kind: 'remove' }), AbortSignal.timeout(10_000))
  await expect.poll(() => measured('aggregator_unavailable_apiservice_total'), SOON).toEqual({})
})
