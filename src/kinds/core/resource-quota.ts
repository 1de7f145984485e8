// Resource quotas: known resources, integer counts, and scopes that apply to them.
import { FieldPath } from '../../api/field-path.ts'
import {
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  quantityOrAbsent,
  textOfEach,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import { specOf, statusOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { mapAt, textAt } from '../../codec/tables/reading.ts'
import { compareQuantities } from '../../lib/quantity.ts'
import { within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { rounded } from '../shared/resource-list.ts'
import { checkAmount, checkQuotaResourceName, isStandardQuotaName } from '../shared/resource-names.ts'
import { WITH_STATUS } from '../shared/strategies.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')

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

function checkStatus(status: ValueMap, check: Check): void {
  for (const field of ['hard', 'used']) check.part(status, field, STATUS, checkList)
}

function checkList(list: ValueMap, at: FieldPath, check: Check): void {
  check.members(list, (name, amount) => {
    const place = at.key(name)
    checkQuotaResourceName(name, place, check)
    checkAmount(name, amount, place, check)
  })
}

function checkSpec(spec: ValueMap, check: Check): void {
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

function misapplied(scope: string, spec: ValueMap): number {
  const names = Object.keys(mapOrEmpty(spec, 'hard'))
  return names.filter((name) => isStandardQuotaName(name) && !applies(scope, name)).length
}

const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

function checkScopes(spec: ValueMap, check: Check): void {
  const scopes = textsInPlace(spec, 'scopes')
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

/** Each of these faults shows the whole list, which must not happen once an item of a long list. */
const MAX_TOLD = 16

const ONLY_EXISTS: readonly string[] = [...OPPOSITES.flat(), 'CrossNamespacePodAffinity']

function checkSelector(spec: ValueMap, check: Check): void {
  const selector = mapOrAbsent(spec, 'scopeSelector')
  if (selector === undefined) return
  const at = SPEC.child('scopeSelector').child('matchExpressions')
  const expressions = mapsInPlace(selector, 'matchExpressions')
  for (const expression of expressions.slice(0, MAX_TOLD)) checkRequirement(expression, spec, at, check)
  const scopes = new Set(textOfEach(selector, 'matchExpressions', 'scopeName'))
  for (const pair of OPPOSITES) {
    if (!pair.every((scope) => scopes.has(scope))) continue
    const shown = isGiven(spec, 'scopes') ? textsInPlace(spec, 'scopes') : undefined
    check.invalid(at, shown, 'conflicting scopes')
  }
}

function checkRequirement(expression: ValueMap, spec: ValueMap, at: FieldPath, check: Check): void {
  const scope = textOrEmpty(expression, 'scopeName')
  const operator = textOrEmpty(expression, 'operator')
  const values = textsInPlace(expression, 'values')
  if (!SCOPES.includes(scope)) check.invalid(at.child('scopeName'), scope, 'unsupported scope')
  for (let n = Math.min(misapplied(scope, spec), MAX_TOLD); n > 0; n--) {
    const shown = shownAs(spec['scopeSelector'], formOf('core_v1.ScopeSelector'))
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

/** `resource: used/hard` of the resources that are limits, or of those that are not. */
function quotas(limits: boolean): (quota: ValueMap) => string {
  return (quota) => {
    const hard = mapAt(quota, 'status', 'hard')
    const used = mapAt(quota, 'status', 'used')
    return Object.keys(hard)
      .filter((resource) => resource.startsWith('limits.') === limits)
      .sort()
      .map((resource) => `${resource}: ${textAt(used, resource) || '0'}/${textAt(hard, resource) || '0'}`)
      .join(', ')
  }
}

export const RESOURCE_QUOTA: Kind = {
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkSpec(specOf(object), check)
      checkStatus(statusOf(object), check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const spec = specOf(object)
      checkSpec(spec, check)
      const scopes = textsInPlace(spec, 'scopes')
      const before = new Set(textsInPlace(specOf(stored), 'scopes'))
      const now = new Set(scopes)
      if (now.size !== before.size || scopes.some((scope) => !before.has(scope))) {
        check.invalid(SPEC.child('scopes'), isGiven(spec, 'scopes') ? scopes : undefined, IMMUTABLE)
      }
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        checkStatus(statusOf(object), check)
      },
    },
  },
  defaults: within({
    spec: within({ hard: rounded }),
    status: within({ hard: rounded, used: rounded }),
  }),
  strategy: {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    // New quotas only. `cpu` and `memory` mean `requests.cpu` and `requests.memory`.
    warnings: (object, stored) => {
      if (stored !== undefined) return []
      const hard = mapOrEmpty(specOf(object), 'hard')
      return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
        const isPlain = !isGiven(hard, `requests.${name}`) && (name === 'cpu' || name === 'memory')
        const [asked, limit] = [isPlain ? name : `requests.${name}`, `limits.${name}`]
        const [left, right] = [quantityOrAbsent(hard, asked), quantityOrAbsent(hard, limit)]
        if (left === undefined || right === undefined || compareQuantities(left, right) <= 0) return []
        return [
          `ResourceQuota ${asked} (${textOrEmpty(hard, asked)}) should be less than ${limit} (${textOrEmpty(hard, limit)})`,
        ]
      })
    },
  },
  columns: tableOf([
    NAME,
    column('Request', 'What is used of what may be, beside limits.', quotas(false)),
    column('Limit', 'What is used of the limits.', quotas(true)),
    AGE,
  ]),
}
