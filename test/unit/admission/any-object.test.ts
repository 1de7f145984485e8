// Whatever users write and whatever the objects that plugins read say: a plugin answers or refuses, and never breaks; and what
// it has filled in once it does not fill in again, because the chain may be walked twice.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AdmissionPlugin, AdmissionRequest } from '../../../src/admission/admission.ts'
import { admitInOrder } from '../../../src/admission/chain.ts'
import { claimResize } from '../../../src/plugins/persistent-volume-claim-resize.ts'
import { defaultIngressClass, defaultStorageClass } from '../../../src/plugins/default-class.ts'
import { defaultTolerationSeconds } from '../../../src/plugins/default-toleration-seconds.ts'
import { limitRanger } from '../../../src/plugins/limit-ranger.ts'
import { nodeDeclaredFeatures } from '../../../src/plugins/node-declared-features.ts'
import type { ObjectReader, SampleReader } from '../../../src/admission/object-reader.ts'
import { podNodeSelector, podTolerationRestriction } from '../../../src/plugins/pod-placement.ts'
import { podResizeValidator } from '../../../src/plugins/pod-resize-validator.ts'
import { PodSecurityMeasures } from '../../../src/plugins/pod-security-measures.ts'
import { podSecurity } from '../../../src/plugins/pod-security-plugin.ts'
import { ALL_PRIVILEGED } from '../../../src/plugins/pod-security-policy.ts'
import { podTopologyLabels } from '../../../src/plugins/pod-topology-labels.ts'
import { priority } from '../../../src/plugins/priority.ts'
import { PULL_ALWAYS } from '../../../src/plugins/always-pull-images.ts'
import { uncountedSince } from '../../../src/controllers/quota-counts.ts'
import { resourceQuota } from '../../../src/plugins/resource-quota.ts'
import { runtimeClass } from '../../../src/plugins/runtime-class.ts'
import { serviceAccount } from '../../../src/plugins/service-account.ts'
import { EXTENDED_RESOURCE_TOLERATION } from '../../../src/plugins/extended-resource-toleration.ts'
import { LIMIT_HARD_ANTI_AFFINITY } from '../../../src/plugins/limit-pod-hard-anti-affinity-topology.ts'
import { STORAGE_PROTECTION } from '../../../src/plugins/storage-object-in-use-protection.ts'
import { TAINT_NODES_BY_CONDITION } from '../../../src/plugins/taint-nodes-by-condition.ts'
import type { Namespace, ResourceQuota } from '../../../src/api/gen/kinds.ts'
import { isKind } from '../../../src/api/kind-guard.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'
import { requestFor } from './request-for.ts'
import { systemRandom } from '../../../src/lib/random.ts'

const SIGNAL = new AbortController().signal
const SCHEMA = loadBuiltInSchema()

function any(kind: string, group = ''): fc.Arbitrary<ApiObject> {
  return arbitraryObject(SCHEMA.kind({ group, version: 'v1', kind })!).map((object) =>
    canonicalOf({ group, kind }, object),
  )
}

/** Whatever is asked for is this. */
function always<T extends ApiObject>(object: ApiObject): ObjectReader<T> & SampleReader<T> {
  const found = Promise.resolve(object as T)
  const objects = [object as T]
  return {
    find: () => found,
    findLatest: () => found,
    list: () => objects,
    listSome: () => Promise.resolve({ objects, total: 1 }),
  }
}

interface Around {
  readonly namespace: ApiObject
  readonly account: ApiObject
  readonly range: ApiObject
  readonly quota: ApiObject
  readonly runtime: ApiObject
  readonly node: ApiObject
  readonly pod: ApiObject
  readonly storage: ApiObject
}

const AROUND: fc.Arbitrary<Around> = fc.record({
  namespace: any('Namespace'),
  account: any('ServiceAccount'),
  range: any('LimitRange'),
  quota: any('ResourceQuota'),
  runtime: any('RuntimeClass', 'node.k8s.io'),
  node: any('Node'),
  pod: any('Pod'),
  storage: any('StorageClass', 'storage.k8s.io'),
})

const PRIORITY = { metadata: { name: 'p' }, value: 5, globalDefault: true } as unknown as ApiObject

function plugins(around: Around): readonly AdmissionPlugin[] {
  const none = new Set<string>()
  const quotas = {
    quotasIn: () => (isKind(around.quota, 'core_v1.ResourceQuota') ? [around.quota] : []),
    update: (quota: ResourceQuota, change: (current: ResourceQuota) => unknown) => {
      change(quota)
      return Promise.resolve(uncountedSince({ namespace: 'ns', name: 'q' }, 1))
    },
    takeBack: () => Promise.resolve(),
  }
  const namespaces = always<Namespace>(around.namespace)
  return [
    limitRanger(always(around.range)),
    serviceAccount(always(around.account), systemClock, systemRandom),
    TAINT_NODES_BY_CONDITION,
    PULL_ALWAYS,
    podSecurity(
      { namespaces, pods: always(around.pod), clock: systemClock, measures: new PodSecurityMeasures(36) },
      { defaults: ALL_PRIVILEGED, exempt: { users: none, namespaces: none, runtimeClasses: none } },
    ),
    podNodeSelector(namespaces, { fallback: { a: 'b' }, allowed: new Map() }),
    priority(always(PRIORITY)),
    defaultTolerationSeconds({ notReady: 300, unreachable: 300 }),
    podTolerationRestriction(namespaces),
    EXTENDED_RESOURCE_TOLERATION,
    defaultStorageClass(always(around.storage)),
    STORAGE_PROTECTION,
    claimResize(always(around.storage)),
    runtimeClass(always(around.runtime)),
    defaultIngressClass(always(around.storage)),
    podTopologyLabels(always(around.node)),
    nodeDeclaredFeatures(always(around.node)),
    podResizeValidator(always(around.node)),
    LIMIT_HARD_ANTI_AFFINITY,
    ...resourceQuota(quotas, () => 0),
  ]
}

/** What a promise comes to; a refusal is a value. Anything else that is thrown fails the test. */
async function outcome<T>(work: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const KINDS: readonly (readonly [kind: string, resource: string, group: string])[] = [
  ['Pod', 'pods', ''],
  ['Namespace', 'namespaces', ''],
  ['PersistentVolumeClaim', 'persistentvolumeclaims', ''],
  ['Service', 'services', ''],
  ['Node', 'nodes', ''],
  ['Deployment', 'deployments', 'apps'],
  ['CronJob', 'cronjobs', 'batch'],
  ['Ingress', 'ingresses', 'networking.k8s.io'],
  ['ResourceClaim', 'resourceclaims', 'resource.k8s.io'],
]

describe('any object', () => {
  it.each(KINDS)('is answered or refused: %s', async (kind, resource, group) => {
    const writes = fc.record({
      around: AROUND,
      object: any(kind, group),
      before: any(kind, group),
      isUpdate: fc.boolean(),
    })
    const subresource = fc.constantFrom('', '', '', 'resize', 'ephemeralcontainers', 'status')
    await fc.assert(
      fc.asyncProperty(writes, subresource, async ({ around, object, before, isUpdate }, place) => {
        const admission = admitInOrder(plugins(around))
        const more: Partial<AdmissionRequest> = isUpdate
          ? { operation: 'UPDATE', oldObject: before, subresource: place }
          : {}
        const request = requestFor(resource, object, more, group)
        const text = JSON.stringify([object, before], bigints)
        const made = await outcome(async () => (await admission.mutate(request, SIGNAL)) ?? request.object)
        if (made instanceof ApiError) return
        await outcome(async () => admission.validate({ ...request, object: made }, SIGNAL))
        expect(JSON.stringify([object, before], bigints)).toBe(text)
        const again = await outcome(async () => (await admission.mutate({ ...request, object: made }, SIGNAL)) ?? made)
        if (!(again instanceof ApiError)) expect(again).toEqual(made)
      }),
      { numRuns: 40 },
    )
  })
})

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
