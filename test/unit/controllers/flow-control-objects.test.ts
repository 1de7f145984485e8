import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { flowControlObjects, makeFlowObjects } from '../../../src/controllers/flow-control-objects.ts'
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS } from '../../../src/flow/bootstrap.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'
const objects = { levels: BOOTSTRAP_LEVELS, schemas: BOOTSTRAP_SCHEMAS }

let world: ApiWorld
let parts: ControllerParts

beforeEach(async () => {
  world = await openWorld()
  parts = controllerParts(world, NOW)
})

const make = (): Promise<void> => makeFlowObjects(parts, objects, new AbortController().signal)
const schemas = () => world.resource('flowschemas', GROUP)
const levels = () => world.resource('prioritylevelconfigurations', GROUP)
const inCluster = { namespace: '' }

async function level(name: string): Promise<ApiObject & { spec: { limited: Record<string, unknown> } }> {
  return (await world.get(levels(), name)) as never
}

async function setShares(name: string, shares: number, annotations: Record<string, string>): Promise<void> {
  const change = (live: ApiObject): object => {
    const { spec } = live as unknown as Awaited<ReturnType<typeof level>>
    const limited = { ...spec.limited, nominalConcurrencyShares: shares }
    return { ...live, metadata: { ...live.metadata, annotations }, spec: { ...spec, limited } }
  }
  await world.update(levels(), name, change, inCluster)
}

describe('the objects of flow control', () => {
  it('are all made, and pass the checks that clients do (P-201 to P-203, W-632)', async () => {
    await make()
    for (const { name } of BOOTSTRAP_LEVELS)
      expect((await level(name)).metadata.annotations).toEqual({ [AUTO_UPDATE]: 'true' })
    for (const { name } of BOOTSTRAP_SCHEMAS) expect(await world.get(schemas(), name)).toBeDefined()
  })

  it('are put back where somebody changed them (P-204)', async () => {
    await make()
    await setShares('workload-low', 7, { [AUTO_UPDATE]: 'true' })
    await make()
    expect((await level('workload-low')).spec.limited['nominalConcurrencyShares']).toBe(100)
  })

  it('are left to whoever says that they are theirs (P-204)', async () => {
    await make()
    await setShares('workload-low', 7, { [AUTO_UPDATE]: 'false' })
    await make()
    expect((await level('workload-low')).spec.limited['nominalConcurrencyShares']).toBe(7)
  })

  it('are taken for somebody’s where they were changed and nothing is said', async () => {
    await make()
    await setShares('workload-low', 7, {})
    await make()
    const live = await level('workload-low')
    expect(live.spec.limited['nominalConcurrencyShares']).toBe(7)
    expect(live.metadata.annotations).toEqual({ [AUTO_UPDATE]: 'false' })
  })

  it('are written once', async () => {
    await make()
    const { resourceVersion } = (await level('system')).metadata
    await make()
    expect((await level('system')).metadata.resourceVersion).toBe(resourceVersion)
  })
})

describe('a schema', () => {
  it('is told whether its level is there, and when that changes (P-206)', async () => {
    const stop = new AbortController()
    const running = flowControlObjects(parts, objects).run(stop.signal)
    await world.create(schemas(), schema('mine', 'later'), inCluster)
    await condition('mine', 'True', 'NotFound')
    const limitResponse = { type: 'Reject' }
    const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse } }
    await world.create(levels(), { ...typed('PriorityLevelConfiguration', 'later'), spec }, inCluster)
    await condition('mine', 'False', 'Found')
    stop.abort()
    await running
  })
})

function typed(kind: string, name: string): object {
  return { kind, apiVersion: `${GROUP}/v1`, metadata: { name } }
}

function schema(name: string, wanted: string): object {
  const subjects = [{ kind: 'User', user: { name: 'bob' } }]
  const rules = [{ subjects, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }]
  const spec = { priorityLevelConfiguration: { name: wanted }, matchingPrecedence: 50, rules }
  return { ...typed('FlowSchema', name), spec }
}

async function condition(name: string, status: string, reason: string): Promise<void> {
  await expect
    .poll(async () => ((await world.get(schemas(), name)) as { status?: unknown }).status, { interval: 5 })
    .toMatchObject({ conditions: [{ type: 'Dangling', status, reason }] })
}
