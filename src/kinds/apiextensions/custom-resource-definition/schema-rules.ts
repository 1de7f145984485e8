// Checks the x-kubernetes-validations rules of a schema. They must compile, and use oldSelf only where old values can be correlated. Each
// rule, and all rules together, must stay within the cost limits (P-335 to P-339).
import { shownJson } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { isGiven, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { RuleText } from '../../../schema/custom/custom.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { type CostedRule, costedRules, EXPRESSION_COST, rulePlaces, RULES, SCHEMA_COST } from './rule-places.ts'

const MOST_EXPENSIVE = 4
const NO_TYPE = `internal error: failed to construct type information for ${RULES} rules`

interface Costs {
  total: number
  readonly found: { readonly at: FieldPath; readonly cost: number }[]
}

/** Checks the rules in the whole schema of a version. Rules at the places in `wrong`, and above them, are skipped. */
export function checkSchemaRules(
  schema: ValueMap,
  at: FieldPath,
  { check, wrong }: { readonly check: Check; readonly wrong: readonly string[] },
): void {
  const costs: Costs = { total: 0, found: [] }
  for (const place of rulePlaces(schema, at)) {
    if (wrong.some((field) => field.startsWith(place.at.toString()))) continue
    const rules = costedRules(place)
    if (rules === undefined) {
      const why = 'unable to convert structural schema to CEL declarations'
      check.internal(place.at.child(RULES), `${NO_TYPE}: ${why}`)
      continue
    }
    for (const rule of rules)
      checkRule(rule, { at: place.at.child(RULES).index(rule.index), lost: place.lost, check, costs })
  }
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

interface CheckedRule {
  readonly at: FieldPath
  /** The outermost list above the rule whose items cannot be correlated with old items. Undefined: there is none. */
  readonly lost: FieldPath | undefined
  readonly check: Check
  readonly costs: Costs
}

function checkRule({ compiled, source, cost, messageCost }: CostedRule, walk: CheckedRule): void {
  const { at, check, lost } = walk
  const { text, problem, messageProblem } = compiled
  const [rule, message] = [at.child('rule'), at.child('messageExpression')]
  charge(cost, { at: rule, what: 'estimated rule cost' }, walk)
  if (problem !== undefined) check.invalid(rule, shownRule(text, source), problem)
  if (messageProblem !== undefined) check.invalid(message, shownRule(text, source), messageProblem)
  charge(messageCost, { at: message, what: 'estimated messageExpression cost' }, walk)
  if (compiled.isTransition) {
    if (lost === undefined) return
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost.toString()}`
    check.invalid(rule, text.rule, detail)
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
  { at, what }: { readonly at: FieldPath; readonly what: string },
  { check, costs }: CheckedRule,
): void {
  if (cost === undefined) return
  if (cost > EXPRESSION_COST) check.forbidden(at, overCost(what, cost, EXPRESSION_COST))
  costs.total += cost
  costs.found.push({ at, cost })
}

const HINT =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

function overCost(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${shown} (${HINT})`
}
