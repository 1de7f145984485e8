// Resource quotas: known resources, integer counts, and scopes that apply to them.
import { FieldPath } from '../../api/field-path.ts'
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../../api/gen/kinds.ts'
import { entriesOf, type MapOf, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { compareQuantities } from '../../lib/quantity.ts'
import { within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { rounded } from '../shared/resource-list.ts'
import { amountOf, checkAmount, checkQuotaResourceName, isStandardQuotaName } from '../shared/resource-names.ts'
import { WITH_STATUS } from '../shared/strategies.ts'

const SPEC = FieldPath.root<ResourceQuotaSpec>('spec')
const STATUS = FieldPath.root<ResourceQuotaStatus>('status')

const SCOPES: readonly string[] = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]

const COMPUTE: readonly string[] = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']

function checkStatus(status: ResourceQuotaStatus, check: Check): void {
  for (const field of ['hard', 'used'] as const) check.part(status, field, STATUS, checkList)
}

function checkList(list: MapOf<string>, at: FieldPath, check: Check): void {
  for (const [name, amount] of entriesOf(list)) {
    const place = at.key(name)
    checkQuotaResourceName(name, place, check)
    checkAmount(name, amount, place, check)
  }
}

function checkSpec(spec: ResourceQuotaSpec, check: Check): void {
  check.part(spec, 'hard', SPEC, checkList)
  checkScopes(spec, check)
  checkSelector(spec, check)
}

function applies(scope: string, resource: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return resource === 'pods'
    case 'VolumeAttributesClass':
      return resource === 'persistentvolumeclaims' || resource === 'requests.storage'
    default:
      return !SCOPES.includes(scope) || resource === 'pods' || COMPUTE.includes(resource)
  }
}

function misapplied(scope: string, { hard = {} }: ResourceQuotaSpec): number {
  return Object.keys(hard).filter((name) => isStandardQuotaName(name) && !applies(scope, name)).length
}

const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

function checkScopes(spec: ResourceQuotaSpec, check: Check): void {
  const { scopes = [] } = spec
  const at = SPEC.child('scopes')
  for (const scope of scopes.slice(0, MAX_TOLD)) {
    if (!SCOPES.includes(scope)) check.invalid(at, scopes, 'unsupported scope')
    for (let n = Math.min(misapplied(scope, spec), MAX_TOLD); n > 0; n--) {
      check.invalid(at, scopes, 'unsupported scope applied to resource')
    }
  }
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => scopes.includes(scope))) check.invalid(at, scopes, 'conflicting scopes')
  }
}

/** The largest number of these faults. Each fault shows the whole list, so a long list must not have a fault for each item. */
const MAX_TOLD = 16

const ONLY_EXISTS: readonly string[] = [...OPPOSITES.flat(), 'CrossNamespacePodAffinity']

function checkSelector(spec: ResourceQuotaSpec, check: Check): void {
  const { matchExpressions: expressions = [] } = spec.scopeSelector ?? {}
  const at = SPEC.child('scopeSelector').child('matchExpressions')
  for (const expression of expressions.slice(0, MAX_TOLD)) checkRequirement(expression, spec, at, check)
  const scopes = new Set(expressions.map(({ scopeName }) => scopeName))
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => scopes.has(scope))) check.invalid(at, spec.scopes, 'conflicting scopes')
  }
}

function checkRequirement(
  { scopeName: scope, operator, values = [] }: ScopedResourceSelectorRequirement,
  spec: ResourceQuotaSpec,
  at: FieldPath,
  check: Check,
): void {
  if (!SCOPES.includes(scope)) check.invalid(at.child('scopeName'), scope, 'unsupported scope')
  for (let n = Math.min(misapplied(scope, spec), MAX_TOLD); n > 0; n--) {
    const shown = shownAs(spec.scopeSelector, formOf('core_v1.ScopeSelector'))
    check.invalid(at, shown, 'unsupported scope applied to resource')
  }
  if (ONLY_EXISTS.includes(scope) && operator !== 'Exists') {
    const scopes =
      'ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity'
    check.invalid(at.child('operator'), operator, `must be 'Exists' when scope is any of ${scopes}`)
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    check.required(at.child('values'), detail)
  } else if (operator !== 'Exists' && operator !== 'DoesNotExist') {
    check.invalid(at.child('operator'), operator, 'not a valid selector operator')
  } else if (values.length > 0) {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    check.invalid(at.child('values'), values, detail)
  }
}

/** Lists `resource: used/hard` for the limits, or for all other resources. */
function quotas(limits: boolean): (quota: ResourceQuota) => string {
  return ({ status: { hard = {}, used = {} } }) =>
    Object.keys(hard)
      .filter((resource) => resource.startsWith('limits.') === limits)
      .sort()
      .map((resource) => `${resource}: ${own(used, resource) ?? '0'}/${own(hard, resource) ?? '0'}`)
      .join(', ')
}

export const RESOURCE_QUOTA: Kind = typedKind<ResourceQuota>({
  validation: builtInRules({
    object: ({ spec }, check) => checkSpec(spec, check),
    change: ({ spec: { scopes } }, stored, check) => {
      const [now, before] = [new Set(scopes), new Set(stored.spec.scopes)]
      if (now.symmetricDifference(before).size > 0) check.invalid(SPEC.child('scopes'), scopes, IMMUTABLE)
    },
    status: ({ status }, _, check) => checkStatus(status, check),
  }),
  defaults: within({
    spec: within({ hard: rounded }),
    status: within({ hard: rounded, used: rounded }),
  }),
  strategy: {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    // Only new quotas get warnings. `cpu` and `memory` mean `requests.cpu` and `requests.memory`.
    warnings: ({ spec: { hard = {} } }, stored) => {
      if (stored !== undefined) return []
      return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
        const isPlain = !Object.hasOwn(hard, `requests.${name}`) && (name === 'cpu' || name === 'memory')
        const [asked, limit] = [isPlain ? name : `requests.${name}`, `limits.${name}`]
        const [request, most] = [own(hard, asked), own(hard, limit)]
        const [left, right] = [amountOf(request), amountOf(most)]
        if (left === undefined || right === undefined || compareQuantities(left, right) <= 0) return []
        return [`ResourceQuota ${asked} (${request}) should be less than ${limit} (${most})`]
      })
    },
  },
  columns: tableOf([
    NAME,
    column('Request', 'The used and the allowed amounts, without limits.', quotas(false)),
    column('Limit', 'The used and the allowed amounts of limits.', quotas(true)),
    AGE,
  ]),
})
