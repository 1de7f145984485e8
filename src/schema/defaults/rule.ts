// Combinators for the defaults of kinds. A rule maps the value of a field (or its absence) to the value with defaults; it
// returns the same value where nothing changes, and never changes its input.
import { isList, isMap, type Value, type ValueMap } from '../../api/value.ts'

/** What defaults depend on besides the object. */
export interface DefaultsContext {
  /** The names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>
  /** The time that fields about now are filled with, RFC 3339 in whole seconds. */
  readonly now: () => string
  /** What the object was made of: it is stored, and so has its defaults. */
  readonly stored?: ValueMap | undefined
}

/** `parent` is the object that the field is in, with the defaults of the fields before it. */
export type Rule = (value: Value | undefined, context: DefaultsContext, parent: ValueMap) => Value | undefined

const EMPTY: ValueMap = {}

/** For a field whose absence differs from its zero value. */
export function absent(value: Value): Rule {
  return (given) => given ?? value
}

/** For a text field whose absence and '' are one. */
export function blank(value: string): Rule {
  return (given) => (isAbsent(given) || given === '' ? value : given)
}

/** For a number whose absence and 0 are one. */
export function zero(value: number): Rule {
  return (given) => (isAbsent(given) || given === 0 ? value : given)
}

/** For a list or map whose absence and emptiness are one. */
export function empty(value: Value): Rule {
  return (given) => (isEmpty(given) ? value : given)
}

export function isEmpty(value: Value | undefined): boolean {
  if (isList(value)) return value.length === 0
  return isMap(value) ? Object.keys(value).length === 0 : isAbsent(value)
}

export function isAbsent(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null
}

/** Rules by field. Rules run in the order written, each seeing the defaults before it. */
export type Fields = Readonly<Record<string, Rule>>

/** The fields of an object that may be absent: nothing happens where it is. */
export function within(fields: Fields): Rule {
  const entries = Object.entries(fields)
  return (given, context) => (isMap(given) ? filled(given, entries, context) : given)
}

/** The fields of an object that is always there: it is made where a default needs it. */
export function always(fields: Fields): Rule {
  const entries = Object.entries(fields)
  return (given, context) => {
    if (isMap(given)) return filled(given, entries, context)
    if (!isAbsent(given)) return given
    const made = filled(EMPTY, entries, context)
    return made === EMPTY ? given : made
  }
}

export function each(rule: Rule): Rule {
  return (given, context, parent) => {
    if (!isList(given)) return given
    let changed: Value[] | undefined
    let [last, lastAfter]: [Value | undefined, Value | undefined] = [undefined, undefined]
    for (let i = 0; i < given.length; i++) {
      const item = given[i]!
      // Items of which nothing was said are one object.
      const after: Value | undefined = item === last ? lastAfter : rule(item, context, parent)
      last = item
      lastAfter = after
      if (after === item || after === undefined) continue
      changed ??= [...given]
      changed[i] = after
    }
    return changed ?? given
  }
}

/** One rule after the other on the same field. */
export function both(...rules: readonly Rule[]): Rule {
  return (given, context, parent) => {
    let value = given
    for (const rule of rules) value = rule(value, context, parent)
    return value
  }
}

/** For a member of the object itself that depends on no other: the very one that is stored has its defaults. */
export function unlessStored(name: string, rule: Rule): Rule {
  return (given, context, parent) =>
    given !== undefined && given === context.stored?.[name] ? given : rule(given, context, parent)
}

export function gated(gate: string, rule: Rule): Rule {
  return (given, context, parent) => (context.gates.has(gate) ? rule(given, context, parent) : given)
}

/** Only where the object around the field is so. */
export function where(holds: (parent: ValueMap) => boolean, rule: Rule): Rule {
  return (given, context, parent) => (holds(parent) ? rule(given, context, parent) : given)
}

/** An object with one member set; the same object where it is so already. */
export function withMember(map: ValueMap, name: string, value: Value): ValueMap {
  return map[name] === value ? map : { ...map, [name]: value }
}

export function withoutMember(map: ValueMap, name: string): ValueMap {
  if (!Object.hasOwn(map, name)) return map
  const { [name]: _, ...rest } = map
  return rest
}

function filled(map: ValueMap, entries: readonly (readonly [string, Rule])[], context: DefaultsContext): ValueMap {
  let changed: Record<string, Value> | undefined
  for (const [name, rule] of entries) {
    const parent = changed ?? map
    const before = parent[name]
    const after = rule(before, context, parent)
    if (after === before) continue
    changed ??= { ...map }
    if (after === undefined) delete changed[name]
    else changed[name] = after
  }
  return changed ?? map
}
