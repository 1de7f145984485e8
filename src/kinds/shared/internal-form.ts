// The text of values in messages, for types without a JSON form of their own. It has the names and the order of the reference. Absent
// values are null or empty. A form is a list of members. A member that holds records has the form of these records.
import { type Shown, shownJson } from '../../api/field-error.ts'
import { isList, isMap, type Value } from '../../api/value.ts'
import { builtInFields } from '../../schema/built-in-compiled.ts'
import type { CompiledField } from '../../schema/table-compiled.ts'

type Member = readonly [name: string, shown: string, absent: Value, form?: Form]
export type Form = readonly Member[]

export function shownAs(value: Value | undefined, form: Form): Shown {
  return shownJson(formed(value, form))
}

/** The value in its form, as a part of another value. */
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

/** The form of a type of `proto/` (`core_v1.Toleration`) that the reference holds under the same names. */
export function formOf(type: string): Form {
  return builtInFields(type).map(memberOf)
}

function memberOf([name, , type, marks = '']: CompiledField): Member {
  const form = innerForm(type.replace('[]', ''))
  const zero = marks.includes('p') ? null : (ZEROS[type] ?? null)
  if (form === undefined) return [name, goName(name), zero]
  const isPart = !marks.includes('p') && !type.startsWith('[]')
  return [name, goName(name), isPart ? formed({}, form) : null, form]
}

const ZEROS: Readonly<Record<string, Value>> = { string: '', int32: 0, int64: 0, bool: false }

/** Undefined: the type has a JSON form of its own, like scalars, maps and all metadata. */
function innerForm(type: string): Form | undefined {
  if (!type.includes('.') || /^(?:meta_v1|quantity|intstr|runtime)\./.test(type) || type.startsWith('{}'))
    return undefined
  return formOf(type)
}

function goName(name: string): string {
  return name.replace(/^(?:api(?=[A-Z])|uid$|cel$|gmsa|se(?=Linux)|[a-z])/, (start) => start.toUpperCase())
}
