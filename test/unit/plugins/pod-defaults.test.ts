import { describe, expect, it } from 'vitest'
import { admitInOrder } from '../../../src/admission/chain.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../../../src/admission/admission.ts'
import { defaultTolerationSeconds } from '../../../src/plugins/default-toleration-seconds.ts'
import { podTopologyLabels } from '../../../src/plugins/pod-topology-labels.ts'
import { priority } from '../../../src/plugins/priority.ts'
import { runtimeClass } from '../../../src/plugins/runtime-class.ts'
import { TAINT_NODES_BY_CONDITION } from '../../../src/plugins/taint-nodes-by-condition.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const SIGNAL = new AbortController().signal

async function admitted(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<ApiObject> {
  const admission = admitInOrder([plugin])
  const object = (await admission.mutate(request, SIGNAL)) ?? request.object!
  await admission.validate({ ...request, object }, SIGNAL)
  return object
}

function pod(spec: object, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return requestFor('pods', { metadata: { name: 'p' }, spec }, more)
}

describe('how long a pod stays on a node that fails (W-467)', () => {
  const notReady = {
    key: 'node.kubernetes.io/not-ready',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }
  const unreachable = { ...notReady, key: 'node.kubernetes.io/unreachable' }
  it.each<[string, readonly object[], readonly object[]]>([
    ['nothing is said', [], [notReady, unreachable]],
    [
      'one is tolerated',
      [{ key: notReady.key, effect: 'NoExecute' }],
      [{ key: notReady.key, effect: 'NoExecute' }, unreachable],
    ],
    ['one is tolerated with any effect', [{ key: unreachable.key }], [{ key: unreachable.key }, notReady]],
    ['everything is tolerated', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    [
      'another effect is tolerated',
      [{ key: notReady.key, effect: 'NoSchedule' }],
      [{ key: notReady.key, effect: 'NoSchedule' }, notReady, unreachable],
    ],
  ])('is five minutes where %s', async (_, tolerations, expected) => {
    const { spec } = await admitted(defaultTolerationSeconds({ notReady: 300, unreachable: 300 }), pod({ tolerations }))
    expect(spec).toEqual({ containers: null, tolerations: expected })
  })
})

describe('the priority of a pod', () => {
  const high = { metadata: { name: 'high' }, value: 1000 }
  const polite = { metadata: { name: 'polite' }, value: -5, preemptionPolicy: 'Never' }
  const usual = { metadata: { name: 'usual' }, value: 7, globalDefault: true }
  it.each<[string, object, object, readonly object[]]>([
    ['nothing', {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }, [high]],
    [
      'the default class',
      {},
      { priorityClassName: 'usual', priority: 7, preemptionPolicy: 'PreemptLowerPriority' },
      [high, usual],
    ],
    [
      'its class',
      { priorityClassName: 'polite' },
      { priorityClassName: 'polite', priority: -5, preemptionPolicy: 'Never' },
      [polite, usual],
    ],
    [
      'its class, in agreement',
      { priorityClassName: 'high', priority: 1000 },
      { priorityClassName: 'high', priority: 1000 },
      [high],
    ],
  ])('comes from %s (W-463)', async (_, spec, expected, classes) => {
    expect((await admitted(priority(knownObjects(...classes)), pod(spec)))['spec']).toMatchObject(expected)
  })

  it.each<[string, object, string]>([
    ['a class that is not there', { priorityClassName: 'x' }, 'no PriorityClass with name x was found'],
    [
      'another number',
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'another policy',
      { priorityClassName: 'high', preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('is refused with %s', async (_, spec, why) => {
    await expect(admitted(priority(knownObjects(high)), pod(spec))).rejects.toThrow(`pods "p" is forbidden: ${why}`)
  })

  it('stays where an update does not name it', async () => {
    const oldObject = {
      metadata: {},
      spec: { containers: null, priority: 3, preemptionPolicy: 'Never' },
    } as unknown as ApiObject
    const request = pod({}, { operation: 'UPDATE', oldObject })
    expect((await admitted(priority(knownObjects()), request))['spec']).toEqual(oldObject['spec'])
  })

  it('has one default (W-466)', async () => {
    const plugin = priority(knownObjects(usual))
    const request = (name: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest =>
      requestFor('priorityclasses', { metadata: { name }, globalDefault: true }, more, 'scheduling.k8s.io')
    await expect(admitted(plugin, request('other'))).rejects.toThrow(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    )
    await expect(admitted(plugin, request('usual', { operation: 'UPDATE' }))).resolves.toBeDefined()
  })
})

describe('the runtime of a pod (W-473)', () => {
  const heavy = {
    metadata: { name: 'heavy' },
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 't' }] },
  }
  const plugin = runtimeClass(knownObjects(heavy, { metadata: { name: 'light' } }))

  it('brings its overhead and its places', async () => {
    const spec = { runtimeClassName: 'heavy', nodeSelector: { c: 'd' }, tolerations: [{ key: 'u' }] }
    expect((await admitted(plugin, pod(spec)))['spec']).toEqual({
      containers: null,
      runtimeClassName: 'heavy',
      overhead: { cpu: '100m' },
      nodeSelector: { a: 'b', c: 'd' },
      tolerations: [{ key: 'u' }, { key: 't' }],
    })
  })

  it.each<[string, object, string]>([
    ['a class that is not there', { runtimeClassName: 'x' }, 'pod rejected: RuntimeClass "x" not found'],
    [
      'an overhead without a class',
      { overhead: { cpu: '1' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'an overhead that the class has not',
      { runtimeClassName: 'light', overhead: { cpu: '1' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'another overhead',
      { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      'another place',
      { runtimeClassName: 'heavy', nodeSelector: { a: 'c' } },
      'conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c',
    ],
  ])('is refused with %s', async (_, spec, why) => {
    await expect(admitted(plugin, pod(spec))).rejects.toThrow(`pods "p" is forbidden: ${why}`)
  })

  it('may be told with the same overhead in other words', async () => {
    await expect(admitted(plugin, pod({ runtimeClassName: 'heavy', overhead: { cpu: '0.1' } }))).resolves.toBeDefined()
  })
})

describe('where a pod is (W-477)', () => {
  const node = {
    metadata: {
      name: 'n',
      labels: { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' },
    },
  }
  const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' }
  const plugin = podTopologyLabels(knownObjects(node))
  const binding = (target: object): AdmissionRequest =>
    requestFor('pods', { metadata: { name: 'p', labels: { a: 'b' } }, target }, { subresource: 'binding' })

  it('is told by labels from its node', async () => {
    expect((await admitted(plugin, binding({ kind: 'Node', name: 'n' }))).metadata['labels']).toEqual({
      a: 'b',
      ...labels,
    })
    expect((await admitted(plugin, pod({ nodeName: 'n' }))).metadata['labels']).toEqual(labels)
  })

  it('is not told where the target has no kind, or is not there', async () => {
    expect((await admitted(plugin, binding({ name: 'n' }))).metadata['labels']).toEqual({ a: 'b' })
    expect((await admitted(plugin, binding({ kind: 'Node', name: 'm' }))).metadata['labels']).toEqual({ a: 'b' })
  })
})

describe('a new node (W-468)', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  it('takes no pods before it is ready', async () => {
    const request = (taints: readonly object[]): AdmissionRequest =>
      requestFor('nodes', { metadata: {}, spec: { taints } })
    expect((await admitted(TAINT_NODES_BY_CONDITION, request([{ key: 'a', effect: '' }])))['spec']).toEqual({
      taints: [{ key: 'a', effect: '' }, taint],
    })
    expect((await admitted(TAINT_NODES_BY_CONDITION, request([taint])))['spec']).toEqual({ taints: [taint] })
  })
})
