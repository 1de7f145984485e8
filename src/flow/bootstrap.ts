// The flow schemas and priority levels that every server has: the mandatory ones, which are put back whatever happens to
// them, and the suggested ones, which an operator may change (P-201 to P-203). In the form that clients send them.
import type { ValueMap } from '../api/value.ts'
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../auth/user.ts'

export interface FlowObject {
  readonly name: string
  /** Kept as it is here; the others only until somebody says that they are theirs (P-204). */
  readonly mandatory: boolean
  readonly spec: ValueMap
}

/** `[shares, lendable percent, queues, hand size]`; queues are 50 long. */
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
const EVERYBODY: readonly ValueMap[] = [group(UNAUTHENTICATED), group(AUTHENTICATED)]
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

interface Schema {
  readonly level: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly mandatory?: boolean
  readonly subjects: readonly ValueMap[]
  readonly rules: ValueMap
}

const SCHEMAS: Readonly<Record<string, Schema>> = {
  exempt: { level: 'exempt', precedence: 1, mandatory: true, subjects: [group(MASTERS)], rules: ANYTHING },
  probes: {
    level: 'exempt',
    precedence: 2,
    subjects: EVERYBODY,
    rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  'system-leader-election': {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), KUBE_SYSTEM_ACCOUNTS],
    rules: { resourceRules: [{ verbs: ['get', 'create', 'update'], ...LEASES }] },
  },
  'system-node-high': {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: {
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        { verbs: ['*'], ...LEASES },
      ],
    },
  },
  'system-nodes': {
    level: 'system',
    precedence: 500,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: ANYTHING,
  },
  'kube-controller-manager': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-controller-manager')],
    rules: ANYTHING,
  },
  'kube-scheduler': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-scheduler')],
    rules: ANYTHING,
  },
  'kube-system-service-accounts': {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [KUBE_SYSTEM_ACCOUNTS],
    rules: ANYTHING,
  },
  'service-accounts': {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
    rules: ANYTHING,
  },
  'global-default': {
    level: 'global-default',
    precedence: 9900,
    by: 'ByUser',
    subjects: EVERYBODY,
    rules: ANYTHING,
  },
  'catch-all': {
    level: 'catch-all',
    precedence: 10_000,
    by: 'ByUser',
    mandatory: true,
    subjects: EVERYBODY,
    rules: ANYTHING,
  },
}

export const BOOTSTRAP_SCHEMAS: readonly FlowObject[] = Object.entries(SCHEMAS).map(([name, schema]) => ({
  name,
  mandatory: schema.mandatory === true,
  spec: {
    priorityLevelConfiguration: { name: schema.level },
    matchingPrecedence: schema.precedence,
    ...(schema.by === undefined ? {} : { distinguisherMethod: { type: schema.by } }),
    rules: [{ subjects: schema.subjects, ...schema.rules }],
  },
}))
