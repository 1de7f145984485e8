// The estimated cost of a definition's rules (`?ruleCosts=true`), and the bounds that would lower the cost of expensive rules.
import { FieldPath } from '../../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../../api/members.ts'
import { specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { ValueMap } from '../../../api/value.ts'
import { boundHints } from './bound-hints.ts'
import {
  type CostedRule,
  costedRules,
  EXPRESSION_COST,
  rulePlaces,
  type RulePlace,
  SCHEMA_COST,
} from './rule-places.ts'

/** From this share of the limit on, the bounds that would lower the cost are shown. */
const EXPENSIVE = EXPRESSION_COST / 100

/** Yields after each rule. */
export function* ruleCosts(definition: ApiObject): Generator<void, ValueMap> {
  const versions: ValueMap[] = []
  for (const [i, version] of mapsInPlace(specOf(definition), 'versions').entries()) {
    const at = FieldPath.root('spec').child('versions').index(i).child('schema').child('openAPIV3Schema')
    const schema = mapOrAbsent(mapOrEmpty(version, 'schema'), 'openAPIV3Schema')
    const rules: ValueMap[] = []
    let cost = 0
    for (const place of schema === undefined ? [] : rulePlaces(schema, at)) {
      const costed: CostedRule[] = []
      for (const rule of costedRules(place) ?? []) {
        costed.push(rule)
        yield
      }
      cost += costed.reduce((sum, rule) => sum + costOf(rule), 0)
      rules.push(...shownRules(definition, place, costed))
    }
    versions.push({ name: textOrEmpty(version, 'name'), cost: shown(cost), rules })
  }
  return { limits: { expression: EXPRESSION_COST, schema: SCHEMA_COST }, versions }
}

function costOf({ cost = 0, messageCost = 0 }: CostedRule): number {
  return cost + messageCost
}

function shownRules(definition: ApiObject, { at, field }: RulePlace, rules: readonly CostedRule[]): ValueMap[] {
  const isExpensive = rules.some((rule) => costOf(rule) >= EXPENSIVE)
  const hints = isExpensive ? boundHints(definition, at.toString()) : []
  return rules.map((rule) => ({
    field,
    index: rule.index,
    cost: shown(costOf(rule)),
    hints: costOf(rule) >= EXPENSIVE ? hints : [],
  }))
}

/** The cost as a number that JSON can hold. An estimate may be infinite. */
function shown(cost: number): number {
  return Math.min(Math.ceil(cost), Number.MAX_SAFE_INTEGER)
}
