// The defaults of the small groups: access rules, flow control, devices, priorities, slices of endpoints, and the kinds
// that describe further kinds.
import { isList, isMap, type Value } from '../../api/value.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  empty,
  isAbsent,
  type Rule,
  where,
  within,
  zero,
} from '../../schema/defaults/rule.ts'

type Kinds = Readonly<Record<string, Rule>>

const RBAC_GROUP = 'rbac.authorization.k8s.io'

const roleBinding = within({
  roleRef: always({ apiGroup: blank(RBAC_GROUP) }),
  subjects: each(
    within({
      apiGroup: where(({ kind }) => kind === 'User' || kind === 'Group', blank(RBAC_GROUP)),
    }),
  ),
})

export const RBAC: Kinds = { ClusterRoleBinding: roleBinding, RoleBinding: roleBinding }

export const FLOW_CONTROL: Kinds = {
  FlowSchema: within({ spec: always({ matchingPrecedence: zero(1000) }) }),
  PriorityLevelConfiguration: within({
    spec: within({
      limited: within({
        nominalConcurrencyShares: absent(30),
        lendablePercent: absent(0),
        limitResponse: within({
          queuing: within({ handSize: zero(8), queues: zero(64), queueLengthLimit: zero(50) }),
        }),
      }),
      exempt: within({ nominalConcurrencyShares: absent(0), lendablePercent: absent(0) }),
    }),
  }),
}

const tolerations = each(within({ operator: blank('Equal') }))

const deviceRequest = within({
  allocationMode: blank('ExactCount'),
  count: where(({ allocationMode }) => allocationMode === 'ExactCount', zero(1)),
  tolerations,
})

const claimSpec = within({
  devices: within({ requests: each(within({ exactly: deviceRequest, firstAvailable: each(deviceRequest) })) }),
})

/** Every value of a map. */
const eachValue =
  (rule: Rule): Rule =>
  (given, context, parent) => {
    if (!isMap(given)) return given
    const entries = Object.entries(given).map(([key, value]): [string, Value] => [
      key,
      rule(value, context, parent) ?? value,
    ])
    return entries.some(([key, value]) => given[key] !== value) ? Object.fromEntries(entries) : given
  }

export const RESOURCE: Kinds = {
  ResourceClaim: within({
    spec: claimSpec,
    status: within({ allocation: within({ devices: within({ results: each(within({ tolerations })) }) }) }),
  }),
  ResourceClaimTemplate: within({ spec: within({ spec: claimSpec }) }),
  ResourceSlice: within({
    spec: within({
      devices: each(
        within({
          nodeAllocatableResourceMappings: eachValue(within({ allocationMultiplier: absent('1') })),
          taints: each(within({ timeAdded: (given, { now }) => given ?? now() })),
        }),
      ),
    }),
  }),
}

/** A name that follows from the kind's. */
const fromKind =
  (form: (kind: string) => string): Rule =>
  (given, _, { kind }) => {
    if (typeof kind !== 'string' || kind === '') return given
    return isAbsent(given) || given === '' ? form(kind) : given
  }

/** The version that objects are stored in is one in which they have been stored. */
const status: Rule = (given, context, object) => {
  const versions = isMap(object['spec']) ? object['spec']['versions'] : undefined
  const stored = isList(versions)
    ? versions.find((version) => isMap(version) && version['storage'] === true)
    : undefined
  if (!isMap(stored) || typeof stored['name'] !== 'string') return given
  return always({ storedVersions: empty([stored['name']]) })(given, context, object)
}

export const API_EXTENSIONS: Kinds = {
  CustomResourceDefinition: within({
    spec: always({
      names: always({
        singular: fromKind((kind) => kind.toLowerCase()),
        listKind: fromKind((kind) => `${kind}List`),
      }),
      conversion: both(
        absent({ strategy: 'None' }),
        within({ webhook: within({ clientConfig: within({ service: within({ port: absent(443) }) }) }) }),
      ),
    }),
    status,
  }),
}

export const API_REGISTRATION: Kinds = {
  APIService: within({ spec: within({ service: within({ port: absent(443) }) }) }),
}
