// The bootstrap flow schemas and priority levels: the mandatory objects, which are always restored, and the suggested objects, which an
// operator may change (P-201 to P-203).
import type { ValueMap } from '../api/value.ts'
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../auth/user.ts'

export interface FlowObject {
  readonly name: string
  /** Whether the object is always restored. Other objects are restored as long as their autoupdate annotation says so (P-204). */
  readonly mandatory: boolean
  readonly spec: ValueMap
}

/** `[shares, lendable percent, queues, hand size]`. Each queue holds 50 requests. */
type LevelNumbers = readonly [shares: number, lendable: number, queues: number, handSize: number]

const SUGGESTED_LEVELS: Readonly<Record<string, LevelNumbers>> = {
  system: [30, 33, 64, 6],
  'node-high': [40, 25, 64, 6],
  'leader-election': [10, 0, 16, 4],
  'workload-high': [40, 50, 128, 6],
  'workload-low': [100, 90, 128, 6],
  'global-default': [20, 50, 128, 6],
}

export const BOOTSTRAP_LEVELS: readonly FlowObject[] = [
  {
    name: 'exempt',
    mandatory: true,
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  {
    name: 'catch-all',
    mandatory: true,
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  },
  ...Object.entries(SUGGESTED_LEVELS).map(([name, numbers]) => suggestedLevel(name, numbers)),
]

function suggestedLevel(name: string, [shares, lendable, queues, handSize]: LevelNumbers): FlowObject {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } }
  const limited = { nominalConcurrencyShares: shares, limitResponse, lendablePercent: lendable }
  return { name, mandatory: false, spec: { type: 'Limited', limited } }
}

const ANY_RESOURCE: ValueMap = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const ANY_PATH: ValueMap = { verbs: ['*'], nonResourceURLs: ['*'] }
const ANYTHING: ValueMap = { resourceRules: [ANY_RESOURCE], nonResourceRules: [ANY_PATH] }
const ALL_USERS: readonly ValueMap[] = [group(UNAUTHENTICATED), group(AUTHENTICATED)]
const LEASES: ValueMap = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] }
const KUBE_SYSTEM_ACCOUNTS: ValueMap = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name: '*' },
}

function group(name: string): ValueMap {
  return { kind: 'Group', group: { name } }
}

function user(name: string): ValueMap {
  return { kind: 'User', user: { name } }
}

/** A flow schema. Without a method, all of its requests are one flow. */
type SchemaRow = readonly [
  level: string,
  precedence: number,
  method: 'ByUser' | 'ByNamespace' | undefined,
  subjects: readonly ValueMap[],
  rules?: ValueMap,
]

const MANAGER = user('system:kube-controller-manager')
const SCHEDULER = user('system:kube-scheduler')
const NODES = group('system:nodes')
const PROBES: ValueMap = {
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
}
const ELECTION: ValueMap = { resourceRules: [{ verbs: ['get', 'create', 'update'], ...LEASES }] }
const HEARTBEATS: ValueMap = {
  resourceRules: [
    { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
    { verbs: ['*'], ...LEASES },
  ],
}

const SCHEMAS: Readonly<Record<string, SchemaRow>> = {
  exempt: ['exempt', 1, undefined, [group(MASTERS)]],
  probes: ['exempt', 2, undefined, ALL_USERS, PROBES],
  'system-leader-election': ['leader-election', 100, 'ByUser', [MANAGER, SCHEDULER, KUBE_SYSTEM_ACCOUNTS], ELECTION],
  'system-node-high': ['node-high', 400, 'ByUser', [NODES], HEARTBEATS],
  'system-nodes': ['system', 500, 'ByUser', [NODES]],
  'kube-controller-manager': ['workload-high', 800, 'ByNamespace', [MANAGER]],
  'kube-scheduler': ['workload-high', 800, 'ByNamespace', [SCHEDULER]],
  'kube-system-service-accounts': ['workload-high', 900, 'ByNamespace', [KUBE_SYSTEM_ACCOUNTS]],
  'service-accounts': ['workload-low', 9000, 'ByUser', [group('system:serviceaccounts')]],
  'global-default': ['global-default', 9900, 'ByUser', ALL_USERS],
  'catch-all': ['catch-all', 10_000, 'ByUser', ALL_USERS],
}

export const BOOTSTRAP_SCHEMAS: readonly FlowObject[] = Object.entries(SCHEMAS).map(
  ([name, [level, matchingPrecedence, method, subjects, rules = ANYTHING]]) => ({
    name,
    mandatory: name === 'exempt' || name === 'catch-all',
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
      rules: [{ subjects, ...rules }],
    },
  }),
)
