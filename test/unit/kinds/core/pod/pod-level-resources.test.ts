// The resources of a pod as a whole at level 1.37: made behind admission, and kept from clients that do not know them.
import { expect, it } from 'vitest'
import { openWorld } from '../../../../rigs/api-world.ts'

const PODS = '/api/v1/namespaces/ns/pods'
const LEVEL = ['--emulated-version=1.37']
const FLAGS = ['--disable-admission-plugins=ServiceAccount']
const CPU = { requests: { cpu: '1' } }
const BOTH = { requests: { cpu: '1' }, limits: { cpu: '2' } }

const podOf = (containers: readonly object[], resources: object | undefined, more: object = {}): object => ({
  metadata: { name: 'p' },
  spec: {
    containers: containers.map((one, i) => ({ name: `c${i}`, image: 'i', resources: one })),
    ...(resources === undefined ? {} : { resources }),
    ...more,
  },
})

interface PodShown {
  readonly spec: { readonly resources?: object }
  readonly status: { readonly qosClass: string }
}

it.each<readonly [string, object, object | undefined, object | undefined]>([
  [
    'requests of containers, also without limits',
    podOf([CPU, CPU], { requests: { memory: '1Gi' } }),
    { requests: { cpu: '2', memory: '1Gi' } },
    { requests: { memory: '1Gi' } },
  ],
  [
    'limits where every container has one',
    podOf([BOTH, BOTH], { requests: { cpu: '3' } }),
    { limits: { cpu: '4' }, requests: { cpu: '3' } },
    { requests: { cpu: '3' } },
  ],
  [
    'at least the request',
    podOf([BOTH], { requests: { cpu: '3' } }),
    { limits: { cpu: '3' }, requests: { cpu: '3' } },
    { requests: { cpu: '3' } },
  ],
  [
    'no limit where one container has none',
    podOf([BOTH, CPU], { requests: { cpu: '3' } }),
    { requests: { cpu: '3' } },
    { requests: { cpu: '3' } },
  ],
  [
    'requests by limits',
    podOf([{}], { limits: { memory: '1Gi' } }),
    { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } },
    { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } },
  ],
  ['nothing where nothing is asked for', podOf([BOTH], {}), {}, {}],
  ['nothing without the field', podOf([BOTH], undefined), undefined, undefined],
])('%s', async (_, body, expected, before) => {
  for (const [flags, resources] of [[LEVEL, expected] as const, [['--emulated-version=1.36'], before] as const]) {
    const world = await openWorld({ flags: [...FLAGS, ...flags] })
    const created = (await world.must('POST', PODS, body)) as unknown as PodShown
    expect(created.spec.resources).toEqual(resources)
  }
})

it('count containers that admission has added', async () => {
  const world = await openWorld({ flags: [...FLAGS, ...LEVEL] })
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] as const
  world.extensible.admit({ name: 'a.example.com', type: 'mutating', rules }, ({ object }) => {
    const { spec } = object as unknown as { readonly spec: { readonly containers: readonly object[] } }
    const added = { name: 'added', image: 'i', resources: CPU }
    return { object: { ...object, spec: { ...spec, containers: [...spec.containers, added] } } as never }
  })
  const created = (await world.must('POST', PODS, podOf([CPU], { limits: { cpu: '4' } }))) as unknown as PodShown
  expect(created.spec.resources).toEqual({ limits: { cpu: '4' }, requests: { cpu: '2' } })
})

it('stay where an update leaves them out', async () => {
  const world = await openWorld({ flags: [...FLAGS, ...LEVEL] })
  await world.must('POST', PODS, podOf([CPU], { limits: { cpu: '4' } }))
  const live = (await world.must('GET', `${PODS}/p`)) as unknown as { readonly spec: Record<string, unknown> }
  const { resources, ...spec } = live.spec
  const updated = (await world.must('PUT', `${PODS}/p`, { ...live, spec })) as unknown as PodShown
  expect(updated.spec.resources).toEqual(resources)
})

it('decide on the class of quality only where they ask for something', async () => {
  const guaranteed = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }
  for (const [flags, qosClass] of [
    [LEVEL, 'Guaranteed'] as const,
    [['--emulated-version=1.36'], 'BestEffort'] as const,
  ]) {
    const world = await openWorld({ flags: [...FLAGS, ...flags] })
    const created = (await world.must('POST', PODS, podOf([guaranteed], {}))) as unknown as PodShown
    expect(created.status.qosClass).toBe(qosClass)
  }
})
