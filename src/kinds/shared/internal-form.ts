// How messages show values of types that have no JSON form of their own: under the reference's names, in its order, with
// what is absent as null or empty. A form is a list of members; one that holds records has their form too.
import { type Shown, shownJson } from '../../api/field-error.ts'
import { isList, isMap, type Value } from '../../api/value.ts'

type Member = readonly [name: string, shown: string, absent: Value, form?: Form]
export type Form = readonly Member[]

export function shownAs(value: Value | undefined, form: Form): Shown {
  return shownJson(formed(value, form))
}

/** The same as a part of something else that is shown. */
export function formed(value: Value | undefined, form: Form): Value {
  if (isList(value)) return value.map((item) => formed(item, form))
  if (!isMap(value)) return value ?? null
  const out: Record<string, Value> = {}
  for (const [name, shown, absent, inner] of form) {
    const member = value[name]
    out[shown] = member === undefined || member === null ? absent : inner ? formed(member, inner) : member
  }
  return out
}

/** Of taints of nodes, and of devices. */
export const TOLERATION: Form = [
  ['key', 'Key', ''],
  ['operator', 'Operator', ''],
  ['value', 'Value', ''],
  ['effect', 'Effect', ''],
  ['tolerationSeconds', 'TolerationSeconds', null],
]

const NODE_REQUIREMENT: Form = [
  ['key', 'Key', ''],
  ['operator', 'Operator', ''],
  ['values', 'Values', null],
]

export const NODE_TERM: Form = [
  ['matchExpressions', 'MatchExpressions', null, NODE_REQUIREMENT],
  ['matchFields', 'MatchFields', null, NODE_REQUIREMENT],
]

export const VOLUME_AFFINITY: Form = [
  ['required', 'Required', null, [['nodeSelectorTerms', 'NodeSelectorTerms', null, NODE_TERM]]],
]
