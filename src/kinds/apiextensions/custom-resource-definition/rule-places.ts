// The places of a schema that have x-kubernetes-validations rules, and the estimated cost of each rule for all values that an object can
// have there.
import type { FieldPath } from '../../../api/field-path.ts'
import { integerOrAbsent, isTrue, mapOrAbsent, mapsInPlace, textOrAbsent } from '../../../api/members.ts'
import { isMap, type ValueMap } from '../../../api/value.ts'
import { typeOfSchema } from '../../../cel/cel.ts'
import { type CompiledRule, compileRule, ruleTextOf } from '../../../schema/custom/custom.ts'
import { schemasIn } from './schema-structure.ts'

export const RULES = 'x-kubernetes-validations'
/** Limits of the estimated cost of one expression, and of a whole schema. */
export const EXPRESSION_COST = 10_000_000
export const SCHEMA_COST = 100_000_000
const MAX_REQUEST_BYTES = 3 * 1024 * 1024
const EMBEDDED = 'x-kubernetes-embedded-resource'

interface Place {
  /** The path in the definition. */
  readonly at: FieldPath
  /** The path in the custom objects: `spec.ports[*]`, `spec.limits{*}`. Empty: the whole object. */
  readonly field: string
  readonly isResource: boolean
  /** The largest number of values that one object can have here. Undefined: unbounded. */
  readonly count: number | undefined
  /** The outermost list above this place whose items cannot be correlated with old items. Undefined: there is none. */
  readonly lost: FieldPath | undefined
}

export interface RulePlace extends Place {
  readonly schema: ValueMap
  readonly rules: readonly ValueMap[]
}

/** The places with rules in the whole schema of a version. `at` is the place of the schema. */
export function rulePlaces(schema: ValueMap, at: FieldPath): Generator<RulePlace, void> {
  return placesIn(schema, { at, field: '', isResource: true, count: 1, lost: undefined })
}

/** Inner places come before outer places: the faults of a definition have this order. */
function* placesIn(schema: ValueMap, place: Place): Generator<RulePlace, void> {
  const { at, field, count, lost } = place
  const values = schema['additionalProperties']
  if (isMap(values)) {
    const inner = { at: at.child('additionalProperties'), field: `${field}{*}` }
    const most = times(count, integerOrAbsent(schema, 'maxProperties'))
    yield* placesIn(values, { ...inner, isResource: isTrue(values, EMBEDDED), count: most, lost })
  }
  for (const [name, property] of schemasIn(schema, 'properties')) {
    const inner = { at: at.child('properties').key(name), field: field === '' ? name : `${field}.${name}` }
    yield* placesIn(property, { ...inner, isResource: isTrue(property, EMBEDDED), count, lost })
  }
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) {
    const isKeyed = textOrAbsent(schema, 'x-kubernetes-list-type') === 'map'
    yield* placesIn(items, {
      at: at.child('items'),
      field: `${field}[*]`,
      isResource: isTrue(items, EMBEDDED),
      count: times(count, integerOrAbsent(schema, 'maxItems')),
      lost: lost ?? (isKeyed ? undefined : at),
    })
  }
  const rules = mapsInPlace(schema, RULES)
  if (rules.length > 0) yield { ...place, schema, rules }
}

function times(count: number | undefined, most: number | bigint | undefined): number | undefined {
  return count === undefined || most === undefined ? undefined : count * Number(most)
}

export interface CostedRule {
  /** The index among the rules of the place. */
  readonly index: number
  readonly source: ValueMap
  readonly compiled: CompiledRule
  /** The cost for all values that an object can have there. Undefined: the rule cannot be compiled. */
  readonly cost: number | undefined
  /** Undefined: the rule has no messageExpression that can be compiled. */
  readonly messageCost: number | undefined
}

/** Undefined: the schema gives no type for the rules. */
export function costedRules({ schema, rules, isResource, count }: RulePlace): Generator<CostedRule, void> | undefined {
  const type = typeOfSchema(schema, isResource)
  if (type === undefined) return undefined
  const bytes = 'bounds' in type ? (type.bounds?.minBytes ?? 1) : 1
  const most = count ?? Math.floor(MAX_REQUEST_BYTES / (bytes + 1))
  return (function* () {
    for (const [index, source] of rules.entries()) {
      const text = ruleTextOf(source)
      if (text.rule.trim() === '') continue
      const compiled = compileRule(text, type)
      const cost = compiled.program?.estimate().max
      yield {
        index,
        source,
        compiled,
        cost: cost === undefined ? undefined : cost * most,
        messageCost: compiled.message?.estimate().max,
      }
    }
  })()
}
