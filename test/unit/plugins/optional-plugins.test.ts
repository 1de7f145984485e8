import { describe, expect, it } from 'vitest'
import { admitInOrder } from '../../../src/admission/chain.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../../../src/admission/admission.ts'
import { eventRateLimit } from '../../../src/plugins/event-rate-limit.ts'
import { namespaceAutoProvision, namespaceExists } from '../../../src/plugins/namespace-existence.ts'
import { ownerPermission } from '../../../src/plugins/owner-references-permission.ts'
import { parseSelector, podNodeSelector, podTolerationRestriction } from '../../../src/plugins/pod-placement.ts'
import { PULL_ALWAYS } from '../../../src/plugins/always-pull-images.ts'
import { ALWAYS_DENY } from '../../../src/plugins/always-deny.ts'
import { DENY_SERVICE_EXTERNAL_IPS } from '../../../src/plugins/deny-service-external-ips.ts'
import { EXTENDED_RESOURCE_TOLERATION } from '../../../src/plugins/extended-resource-toleration.ts'
import { LIMIT_HARD_ANTI_AFFINITY } from '../../../src/plugins/limit-pod-hard-anti-affinity-topology.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Access, Authorizer } from '../../../src/auth/authorizer.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
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

function old(object: object): ApiObject {
  return object as ApiObject
}

describe('AlwaysPullImages', () => {
  const c = (policy: string, name = 'c', image = 'i'): object => ({
    name,
    image,
    imagePullPolicy: policy,
    resources: {},
  })
  it('sets every container, and every volume of an image', async () => {
    const spec = {
      containers: [c('Never')],
      initContainers: [c('IfNotPresent')],
      volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'Never' } }],
    }
    expect((await admitted(PULL_ALWAYS, pod(spec)))['spec']).toEqual({
      containers: [c('Always')],
      initContainers: [c('Always')],
      volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'Always' } }],
    })
  })

  it('sets containers that are added to a pod, and leaves those that were', async () => {
    const before = { metadata: {}, spec: { containers: [c('Always')], ephemeralContainers: [c('Never', 'a')] } }
    const request = pod(
      { containers: [c('Always')], ephemeralContainers: [c('Never', 'a'), c('Never', 'b')] },
      { operation: 'UPDATE', subresource: 'ephemeralcontainers', oldObject: old(before) },
    )
    expect((await admitted(PULL_ALWAYS, request))['spec']).toMatchObject({
      ephemeralContainers: [c('Never', 'a'), c('Always', 'b')],
    })
  })

  it('looks at an update only where it brings an image', async () => {
    const update = (image: string): AdmissionRequest =>
      pod(
        { containers: [c('Never', 'c', image)] },
        { operation: 'UPDATE', oldObject: old({ metadata: {}, spec: { containers: [c('Never')] } }) },
      )
    expect((await admitted(PULL_ALWAYS, update('i')))['spec']).toEqual({ containers: [c('Never')] })
    expect((await admitted(PULL_ALWAYS, update('j')))['spec']).toEqual({ containers: [c('Always', 'c', 'j')] })
  })

  it('refuses what somebody set back', async () => {
    const validate = async (): Promise<void> => PULL_ALWAYS.validate!(pod({ containers: [c('Never')] }), SIGNAL)
    await expect(validate()).rejects.toThrow(
      'pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    )
  })
})

describe('DenyServiceExternalIPs', () => {
  const service = (externalIPs: readonly string[], before?: readonly string[]): AdmissionRequest =>
    requestFor(
      'services',
      { metadata: { name: 's' }, spec: { externalIPs } },
      before === undefined
        ? {}
        : { operation: 'UPDATE', oldObject: old({ metadata: {}, spec: { externalIPs: before } }) },
    )
  it('refuses addresses, but for those that are there', async () => {
    const why = 'services "s" is forbidden: Use of external IPs is denied by admission control'
    await expect(admitted(DENY_SERVICE_EXTERNAL_IPS, service(['192.0.2.1']))).rejects.toThrow(why)
    await expect(
      admitted(DENY_SERVICE_EXTERNAL_IPS, service(['192.0.2.1', '192.0.2.2'], ['192.0.2.1'])),
    ).rejects.toThrow(why)
    await expect(
      admitted(DENY_SERVICE_EXTERNAL_IPS, service(['192.0.2.1'], ['192.0.2.1', '192.0.2.2'])),
    ).resolves.toBeDefined()
    await expect(admitted(DENY_SERVICE_EXTERNAL_IPS, service([]))).resolves.toBeDefined()
  })
})

it('LimitPodHardAntiAffinityTopology lets pods keep away from nodes only', async () => {
  const request = (topologyKey: string): AdmissionRequest =>
    pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } })
  await expect(admitted(LIMIT_HARD_ANTI_AFFINITY, request('kubernetes.io/hostname'))).resolves.toBeDefined()
  await expect(admitted(LIMIT_HARD_ANTI_AFFINITY, request('zone'))).rejects.toThrow(
    'affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  )
})

it('AlwaysDeny denies', async () => {
  await expect(admitted(ALWAYS_DENY, pod({}))).rejects.toThrow(
    'pods "p" is forbidden: admission control is denying all modifications',
  )
})

it('ExtendedResourceToleration lets a pod onto nodes that are kept for what it asks for', async () => {
  const spec = { containers: [{ resources: { requests: { 'example.com/gpu': '1', cpu: '1' } } }] }
  const toleration = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }
  const made = await admitted(EXTENDED_RESOURCE_TOLERATION, pod(spec))
  expect(made['spec']).toMatchObject({ tolerations: [toleration] })
  expect(await admitted(EXTENDED_RESOURCE_TOLERATION, pod(made['spec'] as object))).toMatchObject({
    spec: { tolerations: [toleration] },
  })
})

describe('a namespace that is not there', () => {
  const request = requestFor('configmaps', { metadata: { name: 'c' } })
  it('is made where that is wanted, but not for a dry run', async () => {
    const made: string[] = []
    const plugin = namespaceAutoProvision(knownObjects(), (name) => Promise.resolve(void made.push(name)))
    await admitted(plugin, { ...request, dryRun: true })
    await admitted(plugin, request)
    expect(made).toEqual(['ns'])
  })
  it('is a fault where it has to be there', async () => {
    await expect(admitted(namespaceExists(knownObjects()), request)).rejects.toThrow('namespaces "ns" not found')
    await expect(admitted(namespaceExists(knownObjects({ metadata: { name: 'ns' } })), request)).resolves.toBeDefined()
  })
})

function namespace(annotations: object): object {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`scheduler.alpha.kubernetes.io/${key}`, value])
  return { metadata: { name: 'ns', annotations: Object.fromEntries(prefixed) as object } }
}

describe('PodNodeSelector', () => {
  const plugin = (annotations: object, allowed: readonly [string, string][] = []): AdmissionPlugin =>
    podNodeSelector(knownObjects(namespace(annotations)), {
      fallback: { d: 'e' },
      allowed: new Map(allowed.map(([name, text]) => [name, parseSelector(text)])),
    })
  it('adds what the namespace says, or the default', async () => {
    expect(
      (await admitted(plugin({ 'node-selector': 'a=b, c=d' }), pod({ nodeSelector: { x: 'y' } })))['spec'],
    ).toEqual({ containers: null, nodeSelector: { a: 'b', c: 'd', x: 'y' } })
    expect((await admitted(plugin({}), pod({})))['spec']).toEqual({ containers: null, nodeSelector: { d: 'e' } })
  })
  it('refuses what conflicts', async () => {
    await expect(admitted(plugin({ 'node-selector': 'a=b' }), pod({ nodeSelector: { a: 'c' } }))).rejects.toThrow(
      'pod node label selector conflicts with its namespace node label selector',
    )
    await expect(
      admitted(plugin({ 'node-selector': 'a=b' }, [['ns', 'a=b']]), pod({ nodeSelector: { x: 'y' } })),
    ).rejects.toThrow('pod node label selector labels conflict with its namespace whitelist')
  })
})

describe('PodTolerationRestriction', () => {
  const a = { key: 'a', operator: 'Exists', effect: 'NoSchedule' }
  const plugin = (annotations: Readonly<Record<string, unknown>>): AdmissionPlugin =>
    podTolerationRestriction(
      knownObjects(
        namespace(Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, JSON.stringify(value)]))),
      ),
    )
  it('adds what the namespace says', async () => {
    expect((await admitted(plugin({ defaultTolerations: [a] }), pod({})))['spec']).toEqual({
      containers: null,
      tolerations: [a],
    })
  })
  it('takes no more from the namespace than a toleration has', async () => {
    const odd = { ...a, tolerationSeconds: { deep: [[[]]] }, other: 1, value: 5 }
    expect((await admitted(plugin({ defaultTolerations: [odd, 'x', 7] }), pod({})))['spec']).toEqual({
      containers: null,
      tolerations: [a],
    })
  })
  it('refuses what conflicts, and what is not on the list', async () => {
    await expect(
      admitted(plugin({ defaultTolerations: [a] }), pod({ tolerations: [{ ...a, operator: 'Equal', value: 'x' }] })),
    ).rejects.toThrow('namespace tolerations and pod tolerations conflict')
    await expect(admitted(plugin({ tolerationsWhitelist: [a] }), pod({ tolerations: [{ key: 'b' }] }))).rejects.toThrow(
      'conflict with its namespace whitelist',
    )
    await expect(admitted(plugin({ tolerationsWhitelist: [a] }), pod({ tolerations: [a] }))).resolves.toBeDefined()
  })
})

describe('EventRateLimit', () => {
  const event = (name: string, user = 'u', more: Partial<AdmissionRequest> = {}): AdmissionRequest =>
    requestFor(
      'events',
      { metadata: { name } },
      { user: { name: user, uid: undefined, groups: [], extra: {} }, ...more },
    )
  it('stops who sends too many, and nobody else', async () => {
    const clock = new ManualClock()
    const plugin = eventRateLimit([{ type: 'User', qps: 1, burst: 2, cacheSize: 10 }], clock)
    await admitted(plugin, event('a'))
    await admitted(plugin, event('b'))
    await expect(admitted(plugin, event('c'))).rejects.toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: 'limit reached on type User for key u',
    })
    await expect(admitted(plugin, event('c', 'v'))).resolves.toBeDefined()
    clock.advance(1_000)
    await expect(admitted(plugin, event('c'))).resolves.toBeDefined()
  })
  it('tells namespaces apart, and all together', async () => {
    const plugin = eventRateLimit(
      [
        { type: 'Server', qps: 1, burst: 3, cacheSize: 1 },
        { type: 'Namespace', qps: 1, burst: 2, cacheSize: 10 },
      ],
      new ManualClock(),
    )
    await admitted(plugin, event('a'))
    await admitted(plugin, event('b'))
    await expect(admitted(plugin, event('c'))).rejects.toThrow('limit reached on type Namespace for key ns')
    await expect(admitted(plugin, event('d', 'u', { namespace: 'other' }))).rejects.toThrow(
      'limit reached on type Server for key ',
    )
  })
  it('remembers no more keys than it was told to', async () => {
    const plugin = eventRateLimit([{ type: 'User', qps: 1, burst: 1, cacheSize: 2 }], new ManualClock())
    for (const user of ['a', 'b', 'c']) await admitted(plugin, event('e', user))
    await expect(admitted(plugin, event('e', 'c'))).rejects.toThrow('limit reached')
    await expect(admitted(plugin, event('e', 'a'))).resolves.toBeDefined()
  })
})

describe('OwnerReferencesPermissionEnforcement', () => {
  const owner = (uid: string, blockOwnerDeletion = false): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'd',
    uid,
    blockOwnerDeletion,
  })
  const asked: Access[] = []
  const allowing = (...verbs: readonly string[]): Authorizer => ({
    authorize: (access) => {
      asked.push(access)
      return verbs.includes(access.verb) ? { kind: 'allow' } : { kind: 'no-opinion', reason: 'no' }
    },
  })
  const find = ({ kind }: { kind: string }): { resource: string; namespaced: boolean } | undefined =>
    kind === 'Deployment' ? { resource: 'deployments', namespaced: true } : undefined
  const map = (owners: readonly object[], before?: readonly object[]): AdmissionRequest =>
    requestFor(
      'configmaps',
      { metadata: { name: 'c', ownerReferences: owners } },
      before === undefined
        ? {}
        : { operation: 'UPDATE', oldObject: old({ metadata: { name: 'c', ownerReferences: before } }) },
    )

  it('lets nobody have an object deleted by an owner who could not delete it', async () => {
    await expect(admitted(ownerPermission(allowing(), find), map([owner('u')], []))).rejects.toThrow(
      `configmaps "c" is forbidden: cannot set an ownerRef on a resource you can't delete: no, <nil>`,
    )
    await expect(admitted(ownerPermission(allowing('delete'), find), map([owner('u')], []))).resolves.toBeDefined()
    await expect(admitted(ownerPermission(allowing(), find), map([owner('u')], [owner('u')]))).resolves.toBeDefined()
  })

  it('lets nobody make an owner wait who could not', async () => {
    asked.length = 0
    await expect(admitted(ownerPermission(allowing(), find), map([owner('u', true)]))).rejects.toThrow(
      `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`,
    )
    expect(asked).toEqual([
      expect.objectContaining({
        verb: 'update',
        group: 'apps',
        resource: 'deployments',
        subresource: 'finalizers',
        namespace: 'ns',
        name: 'd',
      }),
    ])
    await expect(admitted(ownerPermission(allowing('update'), find), map([owner('u', true)]))).resolves.toBeDefined()
    await expect(
      admitted(ownerPermission(allowing(), find), map([{ ...owner('u', true), kind: 'Odd' }])),
    ).rejects.toThrow(
      'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Odd',
    )
  })
})
