// Finds risky roles and bindings: the rows 5.1.1 to 5.1.13 of the CIS benchmark.
import { mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { labelsOf } from '../api/object-members.ts'
import { type PolicyRule, rulesOf } from '../api/policy-rule.ts'
import type { ValueMap } from '../api/value.ts'

export interface RoleFinding {
  /** The row of the benchmark: `5.1.3`. */
  readonly row: string
  /** `ClusterRole "x"`, `RoleBinding "ns/x"` */
  readonly object: string
  readonly text: string
}

/** The findings about a role or binding. The bootstrap roles and bindings are skipped. */
export function lintRole(object: ValueMap): readonly RoleFinding[] {
  if (textOrEmpty(labelsOf(object), 'kubernetes.io/bootstrapping') === 'rbac-defaults') return []
  const kind = textOrEmpty(object, 'kind')
  const found =
    kind === 'Role' || kind === 'ClusterRole'
      ? rulesOf(object).flatMap(lintRule)
      : kind === 'RoleBinding' || kind === 'ClusterRoleBinding'
        ? lintBinding(object)
        : []
  const seen = new Map(found.map(([row, text]) => [`${row} ${text}`, { row, object: nameOf(object), text }]))
  return [...seen.values()]
}

type Fault = readonly [row: string, text: string]

interface RightRow {
  readonly row: string
  readonly group: string
  readonly resource: string
  readonly verbs: readonly string[]
  readonly text: string
}

const READ: readonly string[] = ['get', 'list', 'watch']
const WRITE: readonly string[] = ['create', 'update', 'patch']
const WEBHOOKS: readonly string[] = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']

const RIGHTS: readonly RightRow[] = [
  { row: '5.1.2', group: '', resource: 'secrets', verbs: READ, text: 'reads secrets' },
  {
    row: '5.1.4',
    group: '',
    resource: 'pods',
    verbs: ['create'],
    text: 'creates pods, which can use every secret and service account of their namespace',
  },
  {
    row: '5.1.9',
    group: '',
    resource: 'persistentvolumes',
    verbs: ['create'],
    text: 'creates persistent volumes, which can reach the files of nodes',
  },
  {
    row: '5.1.10',
    group: '',
    resource: 'nodes/proxy',
    verbs: [...READ, ...WRITE],
    text: 'reaches kubelets past admission and audit',
  },
  {
    row: '5.1.11',
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests/approval',
    verbs: WRITE,
    text: 'approves certificates, which can impersonate any user',
  },
  ...WEBHOOKS.map((resource) => ({
    row: '5.1.12',
    group: 'admissionregistration.k8s.io',
    resource,
    verbs: WRITE,
    text: 'changes admission webhooks, which can read and change any write',
  })),
  {
    row: '5.1.13',
    group: '',
    resource: 'serviceaccounts/token',
    verbs: ['create'],
    text: 'creates service account tokens',
  },
]

function lintRule(rule: PolicyRule): readonly Fault[] {
  const isWild = [rule.verbs, rule.apiGroups, rule.resources, rule.nonResourceURLs].some((list) => list.includes('*'))
  const special = ['bind', 'escalate', 'impersonate'].filter((verb) => rule.verbs.includes(verb))
  const rights = RIGHTS.filter(
    ({ group, resource, verbs }) =>
      has(rule.apiGroups, group) && has(rule.resources, resource) && verbs.some((verb) => has(rule.verbs, verb)),
  )
  return [
    ...(isWild ? [['5.1.3', 'uses a wildcard'] as const] : []),
    ...rights.map(({ row, text }) => [row, text] as const),
    ...special.map((verb) => ['5.1.8', `has the verb ${verb}, which allows privilege escalation`] as const),
  ]
}

function lintBinding(binding: ValueMap): readonly Fault[] {
  const role = mapOrEmpty(binding, 'roleRef')
  const isAdmin = textOrEmpty(role, 'kind') === 'ClusterRole' && textOrEmpty(role, 'name') === 'cluster-admin'
  const subjects = mapsInPlace(binding, 'subjects').flatMap((subject): readonly Fault[] => {
    const [kind, name] = [textOrEmpty(subject, 'kind'), textOrEmpty(subject, 'name')]
    if (kind === 'ServiceAccount' && name === 'default') {
      return [['5.1.5', 'is for the default service account']]
    }
    if (kind === 'Group' && name === 'system:masters') {
      return [['5.1.7', 'is for system:masters, which bypasses RBAC']]
    }
    const isStranger = name === 'system:anonymous' || name === 'system:unauthenticated'
    return isStranger ? [['1.2.1', 'is for anonymous users']] : []
  })
  return [...(isAdmin ? [['5.1.1', 'grants cluster-admin'] as const] : []), ...subjects]
}

function has(list: readonly string[], wanted: string): boolean {
  return list.includes(wanted) || list.includes('*')
}

function nameOf(object: ValueMap): string {
  const metadata = mapOrEmpty(object, 'metadata')
  const namespace = textOrEmpty(metadata, 'namespace')
  const name = textOrEmpty(metadata, 'name')
  return `${textOrEmpty(object, 'kind')} ${JSON.stringify(namespace === '' ? name : `${namespace}/${name}`)}`
}
