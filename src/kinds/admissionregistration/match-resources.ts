// Checks the requests that a webhook or a policy applies to: rules over groups, versions, resources and operations, selectors, and match
// conditions. The defaults of these fields are here too.
import type { FieldPath } from '../../api/field-path.ts'
import type { MatchCondition, MatchResources, RuleWithOperations } from '../../api/gen/kinds.ts'
import { absent, each, type Fields, type OwnRule, within } from '../../schema/defaults/rule.ts'
import { compilePolicyExpression } from '../../schema/policy-expressions.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'

const MUTABLE_OPERATIONS: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const MAX_CONDITIONS = 64

export function checkRule(rule: RuleWithOperations, at: FieldPath<RuleWithOperations>, check: Check): void {
  const { operations = [], apiVersions = [], resources = [] } = rule
  if (operations.length > 1 && operations.includes('*')) {
    check.invalid(at.child('operations'), operations, "if '*' is present, must not specify other operations")
  }
  check.fields(rule, at, 'admissionregistration.k8s.io_v1.RuleWithOperations')
  checkWords(rule, 'apiGroups', at, check)
  checkWords(rule, 'apiVersions', at, check)
  apiVersions.forEach((version, i) => {
    if (version === '') check.required(at.child('apiVersions').index(i))
  })
  checkResources(resources, at.child('resources'), check)
  check.fields(rule, at, 'admissionregistration.k8s.io_v1.Rule')
}

const WORDS = { apiGroups: 'API groups', apiVersions: 'API versions' } as const

function checkWords(rule: RuleWithOperations, field: keyof typeof WORDS, at: FieldPath, check: Check): void {
  const words = rule[field] ?? []
  if (words.length === 0) check.required(at.child(field))
  if (words.length > 1 && words.includes('*')) {
    check.invalid(at.child(field), words, `if '*' is present, must not specify other ${WORDS[field]}`)
  }
}

function checkResources(resources: readonly string[], at: FieldPath, check: Check): void {
  if (resources.length === 0) check.required(at)
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  let hasPlain = false
  for (const [i, resource] of resources.entries()) {
    if (resource === '') {
      check.required(at.index(i))
      continue
    }
    const slash = resource.indexOf('/')
    if (slash < 0) {
      // As in the reference, the last resource without a slash decides.
      hasPlain = resource !== '*'
      continue
    }
    const name = resource.slice(0, slash)
    const sub = resource.slice(slash + 1)
    const clash = (pattern: string): void =>
      check.invalid(at.index(i), resource, `if '${pattern}' is present, must not specify ${resource}`)
    if (wholeResources.has(name)) clash(`${name}/*`)
    if (wholeSubresources.has(sub)) clash(`*/${sub}`)
    if (sub === '*') wholeResources.add(name)
    if (name === '*') wholeSubresources.add(sub)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    check.invalid(at, resources, "if '*/*' is present, must not specify other resources")
  }
  if (resources.includes('*') && hasPlain) {
    check.invalid(at, resources, "if '*' is present, must not specify other resources without subresources")
  }
}

/** Checks the scope of a policy or of a binding. */
export function checkMatch(match: MatchResources, at: FieldPath<MatchResources>, check: Check): void {
  check.fields(match, at, 'admissionregistration.k8s.io_v1.MatchResources', 'matchPolicy')
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    check.fields(match, at, 'admissionregistration.k8s.io_v1.MatchResources', field)
    checkLabelSelector(match[field], at.child(field), check)
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const) {
    check.each(match, field, at, (rule, place) => {
      check.fields(rule, place, 'admissionregistration.k8s.io_v1.NamedRuleWithOperations')
      checkRule(rule, place, check)
    })
  }
}

/** DELETE cannot be mutated. */
export function checkMutableOperations({ resourceRules = [] }: MatchResources, at: FieldPath, check: Check): void {
  for (const { operations = [] } of resourceRules) {
    for (const operation of operations) {
      check.oneOf(at.child('resourceRules').child('operations'), operation, MUTABLE_OPERATIONS)
    }
  }
}

interface Conditional {
  readonly matchConditions?: readonly MatchCondition[]
}

export function checkMatchConditions(
  { matchConditions: conditions = [] }: Conditional,
  at: FieldPath<Conditional>,
  check: Check,
  hasParams = false,
): void {
  if (conditions.length > MAX_CONDITIONS) {
    check.tooMany(at.child('matchConditions'), conditions.length, MAX_CONDITIONS)
  }
  const seen = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const place = at.child('matchConditions').index(i)
    const { name } = condition
    const expression = condition.expression.trim()
    if (expression === '') check.required(place.child('expression'))
    else {
      const compiled = compilePolicyExpression(expression, { hasParams, hasAuthorizer: true }, 'bool')
      if (compiled.kind === 'refused') check.invalid(place.child('expression'), expression, compiled.problem)
    }
    if (name === '') {
      check.required(place.child('name'))
      continue
    }
    check.format(place.child('name'), name, qualifiedName(name))
    check.unique(seen, name, place.child('name'))
  }
}

/** The defaults of a rule. */
export const RULE: Fields<RuleWithOperations> = { scope: absent('*') }

export const SELECTION: Fields<Pick<MatchResources, 'matchPolicy' | 'namespaceSelector' | 'objectSelector'>> = {
  matchPolicy: absent('Equivalent'),
  namespaceSelector: absent({}),
  objectSelector: absent({}),
}

export const matchResources: OwnRule<MatchResources> = within({
  ...SELECTION,
  resourceRules: each(within(RULE)),
  excludeResourceRules: each(within(RULE)),
})
