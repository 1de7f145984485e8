import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { deleteObject } from '../../../../../src/registry/delete.ts'
import { changePortMap, PORT_RANGES, readPortMap } from '../../../../../src/kinds/core/service/port-map.ts'
import { claimWhatServicesHave, repairServiceClaims, ServiceMeasures } from '../../../../../src/kinds/kinds.ts'
import { NODE_PORTS } from '../../../../../src/kinds/core/service/claims.ts'
import { type ApiWorld, NOW, openWorld } from '../../../../rigs/api-world.ts'

const LATER = '2030-01-02T03:14:06Z'
const signal = new AbortController().signal
const KEY = { resource: PORT_RANGES, namespace: '', name: 'servicenodeports' }

/** A world in which kube-apiserver has given these ports away. */
async function worldWith(ports: readonly number[], range = '30000-32767'): Promise<ApiWorld> {
  const world = await openWorld()
  const object: ApiObject = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range, data: '' }
  await world.parts.store.write(KEY, () => ({ kind: 'put', object }), signal)
  // The cache, which allocation asks whether there is a map, has it then.
  await readPortMap({ store: world.parts.store, signal })
  await changePortMap((map) => map.with(ports), { store: world.parts.store, signal })
  return world
}

async function portsIn(world: ApiWorld): Promise<readonly number[] | undefined> {
  return (await readPortMap({ store: world.parts.store, signal }))?.ports
}

function nodePort(world: ApiWorld, name: string, port?: number): Promise<ApiObject> {
  const ports = [{ port: 80, ...(port === undefined ? {} : { nodePort: port }) }]
  return world.create(world.resource('services'), { metadata: { name }, spec: { type: 'NodePort', ports } })
}

function portOf(service: ApiObject): number {
  return ((service['spec'] as ValueMap)['ports'] as ValueMap[])[0]!['nodePort'] as number
}

function repairParts(world: ApiWorld, now = NOW): Parameters<typeof repairServiceClaims>[0] {
  return { registry: world.parts, resources: world.resources, measures: new ServiceMeasures(), now, signal }
}

describe('the map of node ports that kube-apiserver keeps', () => {
  test.each([
    { ports: [], data: '' },
    { ports: [30000], data: 'AQ==' },
    { ports: [30008], data: 'AQA=' },
    { ports: [30000, 30001, 30009], data: 'AgM=' },
  ])('has the lowest port in the lowest bit of its last byte: $ports', async ({ ports, data }) => {
    const world = await worldWith(ports)
    const { item } = await world.parts.store.get(KEY, { kind: 'latest' }, signal)
    expect(item?.kind === 'object' && item.object()['data']).toBe(data)
    expect(await portsIn(world)).toEqual(ports)
    await changePortMap((map) => map.with([32767]).without(ports), { store: world.parts.store, signal })
    expect(await portsIn(world)).toEqual([32767])
  })

  test('is what ports are claimed in and given back to', async () => {
    const world = await worldWith([30001])
    await expect(nodePort(world, 'taken', 30001)).rejects.toMatchObject({ reason: 'Invalid' })
    await nodePort(world, 'asked', 30002)
    const any = portOf(await nodePort(world, 'any'))
    expect(new Set(await portsIn(world))).toEqual(new Set([30001, 30002, any]))
    const services = world.resource('services')
    const options = {
      gracePeriodSeconds: undefined,
      preconditions: { uid: undefined, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: undefined,
      ignoreReadErrors: false,
    }
    for (const name of ['asked', 'any']) {
      await deleteObject(world.parts, services, { name, options }, world.context())
    }
    expect(await portsIn(world)).toEqual([30001])
    const own = await world.parts.store.list({ resource: NODE_PORTS, at: { kind: 'latest' } }, signal)
    for await (const batch of own.batches) expect(batch).toEqual([])
  })

  test('leaves one free port to be found', async () => {
    const all = Array.from({ length: 2768 }, (_, i) => 30000 + i)
    const world = await worldWith(all.filter((port) => port !== 31234))
    expect(portOf(await nodePort(world, 'last'))).toBe(31234)
    await expect(nodePort(world, 'none')).rejects.toThrow('range is full')
  })

  test('says nothing of ports beyond its range', async () => {
    const world = await worldWith([30001], '30000-30099')
    await nodePort(world, 'beyond', 31000)
    await expect(nodePort(world, 'again', 31000)).rejects.toMatchObject({ reason: 'Invalid' })
    expect(await portsIn(world)).toEqual([30001])
  })

  test('is not made where there is none', async () => {
    const world = await openWorld()
    await nodePort(world, 'a', 30001)
    await repairServiceClaims(repairParts(world))
    expect(await portsIn(world)).toBeUndefined()
  })

  test('gets the ports that services have, and loses what nobody has had for three rounds', async () => {
    const world = await openWorld()
    await nodePort(world, 'before', 30005)
    const object: ApiObject = {
      kind: 'RangeAllocation',
      apiVersion: 'v1',
      metadata: {},
      range: '30000-32767',
      data: 'AQ==',
    }
    await world.parts.store.write(KEY, () => ({ kind: 'put', object }), signal)
    expect(await claimWhatServicesHave(repairParts(world))).toEqual(['30005'])
    expect(await portsIn(world)).toEqual([30000, 30005])
    const leaks = new Map<number, number>()
    for (let round = 0; round < 2; round++) {
      expect((await repairServiceClaims(repairParts(world), leaks)).released).toEqual([])
    }
    // Our own claim of it is needed no more.
    expect((await repairServiceClaims(repairParts(world, LATER), leaks)).released).toEqual(['30005', '30000'])
    expect(await portsIn(world)).toEqual([30005])
  })
})
