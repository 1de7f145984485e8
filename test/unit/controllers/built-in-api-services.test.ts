import { describe, expect, it } from 'vitest'
import { type BuiltInApiService, makeBuiltInApiServices } from '../../../src/controllers/built-in-api-services.ts'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const CORE: BuiltInApiService = { group: '', version: 'v1', priority: { group: 18_000, version: 1 } }
const APPS: BuiltInApiService = { group: 'apps', version: 'v1', priority: { group: 17_800, version: 15 } }

interface Shown {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> }
  readonly spec: Record<string, unknown>
}

async function made(world: ApiWorld, services: readonly BuiltInApiService[]): Promise<readonly Shown[]> {
  const parts: ControllerParts = controllerParts(world, NOW)
  await makeBuiltInApiServices(parts, services, new AbortController().signal)
  const { body } = await world.send({ method: 'GET', path: SERVICES })
  return body['items'] as readonly Shown[]
}

/** The world's server has made its own services by then, and makes no more of them. */
async function worldWithServices(): Promise<ApiWorld> {
  const world = await openWorld()
  const { groups } = (await world.must('GET', '/apis')) as unknown as {
    groups: readonly { versions: readonly unknown[] }[]
  }
  // The core group is not in this list, and the group of API services itself needs no service.
  const versions = groups.reduce((sum, group) => sum + group.versions.length, 0)
  await expect.poll(async () => (await world.must('GET', SERVICES))['items']).toHaveLength(versions)
  return world
}

describe('the services of built-in versions', () => {
  it('are made with their ranks, and stay as they are when they are there (W-631, P-381)', async () => {
    const world = await worldWithServices()
    const first = await made(world, [CORE, APPS])
    expect(first.map(({ metadata }) => metadata.name)).toEqual(['v1.', 'v1.apps'])
    expect(first[1]).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    })
    expect(await made(world, [CORE, APPS])).toEqual(first)
  })

  it('go with their version, and those of others do not (P-381)', async () => {
    const world = await worldWithServices()
    const spec = { group: 'example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 }
    const body = { metadata: { name: 'v1.example.com' }, spec }
    await world.send({ method: 'POST', path: SERVICES, body })
    await made(world, [CORE, APPS])
    const left = await made(world, [CORE])
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['v1.', 'v1.example.com'])
  })
})
