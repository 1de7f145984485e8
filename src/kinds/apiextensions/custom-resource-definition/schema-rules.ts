// The x-kubernetes-validations rules of a schema: whether they compile, use oldSelf only where old values can be correlated, and stay
// within the cost limits, each and all together (P-335 to P-339).
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import { isMap, type ValueMap } from '../../../api/value.ts'
import { typeOfSchema } from '../../../cel/cel.ts'
import { type CompiledRule, compileRule, type RuleText, ruleTextOf } from '../../../schema/custom/custom.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { schemasIn } from './schema-structure.ts'

/** Limits of the estimated cost of one expression, and of a whole schema. */
const EXPRESSION_COST = 10_000_000
const SCHEMA_COST = 100_000_000
const MOST_EXPENSIVE = 4
const MAX_REQUEST_BYTES = 3 * 1024 * 1024
const RULES = 'x-kubernetes-validations'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const NO_TYPE = `internal error: failed to construct type information for ${RULES} rules`

interface Place {
  readonly at: FieldPath
  readonly isResource: boolean
  /** The most values that one object can have here; undefined: unbounded. */
  readonly count: number | undefined
  /** The place from which on old values cannot be correlated. */
  readonly lost: FieldPath | undefined
}

interface Costs {
  total: number
  readonly found: { readonly at: FieldPath; readonly cost: number }[]
}

/** The whole schema of a version. Rules at the places in `wrong`, and above them, are skipped. */
export function checkSchemaRules(
  schema: ValueMap,
  at: FieldPath,
  { check, wrong }: { readonly check: Check; readonly wrong: readonly string[] },
): void {
  const costs: Costs = { total: 0, found: [] }
  visit(schema, { at, isResource: true, count: 1, lost: undefined }, { check, costs, wrong })
  if (costs.total <= SCHEMA_COST) return
  const expensive = costs.found
    .filter(({ cost }) => cost >= SCHEMA_COST / 100)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, MOST_EXPENSIVE)
  const whole = 'estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  for (const one of expensive) check.forbidden(one.at, `contributed to ${whole}`)
  const what = 'estimated rule cost total for entire OpenAPIv3 schema'
  check.forbidden(at, overCost(`${RULES} ${what}`, costs.total, SCHEMA_COST))
}

interface Walk {
  readonly check: Check
  readonly costs: Costs
  readonly wrong: readonly string[]
}

function visit(schema: ValueMap, place: Place, walk: Walk): void {
  const { at, count } = place
  const rules = mapsInPlace(schema, RULES)
  if (rules.length > 0 && !walk.wrong.some((field) => field.startsWith(at.toString()))) {
    checkRules(schema, rules, place, walk)
  }
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) {
    const isKeyed = textOrAbsent(schema, 'x-kubernetes-list-type') === 'map'
    const lostInItems = place.lost ?? (isKeyed ? undefined : at)
    const most = times(count, integerOrAbsent(schema, 'maxItems'))
    visit(items, { at: at.child('items'), isResource: isTrue(items, EMBEDDED), count: most, lost: lostInItems }, walk)
  }
  const { lost } = place
  for (const [name, property] of schemasIn(schema, 'properties')) {
    const inner = at.child('properties').key(name)
    visit(property, { at: inner, isResource: isTrue(property, EMBEDDED), count, lost }, walk)
  }
  const values = schema['additionalProperties']
  if (!isMap(values)) return
  const inner = at.child('additionalProperties')
  const most = times(count, integerOrAbsent(schema, 'maxProperties'))
  visit(values, { at: inner, isResource: isTrue(values, EMBEDDED), count: most, lost }, walk)
}

function times(count: number | undefined, most: number | bigint | undefined): number | undefined {
  return count === undefined || most === undefined ? undefined : count * Number(most)
}

function checkRules(schema: ValueMap, rules: readonly ValueMap[], place: Place, walk: Walk): void {
  const type = typeOfSchema(schema, place.isResource)
  if (type === undefined) {
    const why = 'unable to convert structural schema to CEL declarations'
    walk.check.internal(place.at.child(RULES), `${NO_TYPE}: ${why}`)
    return
  }
  const bytes = 'bounds' in type ? (type.bounds?.minBytes ?? 1) : 1
  const count = place.count ?? Math.floor(MAX_REQUEST_BYTES / (bytes + 1))
  for (const [i, rule] of rules.entries()) {
    const text = ruleTextOf(rule)
    if (text.rule.trim() === '') continue
    const at = place.at.child(RULES).index(i)
    const compiled = compileRule(text, type)
    reportProblems(compiled, rule, { at, check: walk.check, lost: place.lost })
    charge(compiled.program?.estimate().max, { at: at.child('rule'), what: 'estimated rule cost', count }, walk)
    const message = { at: at.child('messageExpression'), what: 'estimated messageExpression cost', count: 1 }
    charge(compiled.message?.estimate().max, message, walk)
  }
}

interface RulePlace {
  readonly at: FieldPath
  readonly check: Check
  readonly lost: FieldPath | undefined
}

function reportProblems(compiled: CompiledRule, rule: ValueMap, { at, check, lost }: RulePlace): void {
  const { text, problem, messageProblem } = compiled
  if (problem !== undefined) check.invalid(at.child('rule'), shownRule(text, rule), problem)
  if (messageProblem !== undefined) {
    check.invalid(at.child('messageExpression'), shownRule(text, rule), messageProblem)
  }
  if (compiled.isTransition) {
    if (lost === undefined) return
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost.toString()}`
    check.invalid(at.child('rule'), text.rule, detail)
  } else if (text.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule'
    check.invalid(at.child('optionalOldSelf'), text.optionalOldSelf, detail)
  }
}

function shownRule(text: RuleText, rule: ValueMap): ReturnType<typeof shownJson> {
  return shownJson({
    Rule: text.rule,
    Message: text.message,
    MessageExpression: text.messageExpression,
    Reason: isGiven(rule, 'reason') ? textOrEmpty(rule, 'reason') : null,
    FieldPath: text.fieldPath,
    OptionalOldSelf: text.optionalOldSelf ?? null,
  })
}

function charge(
  cost: number | undefined,
  { at, what, count }: { readonly at: FieldPath; readonly what: string; readonly count: number },
  { check, costs }: Walk,
): void {
  if (cost === undefined) return
  const whole = cost * count
  if (whole > EXPRESSION_COST) check.forbidden(at, overCost(what, whole, EXPRESSION_COST))
  costs.total += whole
  costs.found.push({ at, cost: whole })
}

const HINT =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

function overCost(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${shown} (${HINT})`
}
