// Combinators for the defaults of kinds. A rule maps the value of a field (or its absence) to the value with defaults. It returns the same
// value if nothing changes, and never changes its input.
import { isList, isMap, type MapOf, type Value, type ValueMap } from '../../api/value.ts'

/** The inputs of defaults besides the object. */
export interface DefaultsContext {
  /** The names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>
  /** The time for fields that default to now, RFC 3339 in whole seconds. */
  readonly now: () => string
  /** The stored object that a write changes. It already has its defaults. */
  readonly stored?: ValueMap | undefined
}

/** `T` is the type of the field. A null field counts as undefined. `parent` has the field, and its earlier fields have their defaults. */
export type Rule<T = Value, P = ValueMap> = (value: T | undefined, context: DefaultsContext, parent: P) => T | undefined

export type AnyRule = (value: never, context: DefaultsContext, parent: never) => Value | undefined

/** A rule that does not read the parent of the field. */
export type OwnRule<T> = Rule<T, unknown>

const EMPTY: ValueMap = {}

/** For a field whose absence differs from its zero value. */
export function absent<T = Value>(value: NoInfer<T>): OwnRule<T> {
  return (given) => given ?? value
}

/** For a text field in which absence and '' are equal. */
export function blank<T = Value>(value: NoInfer<T> & string): OwnRule<T> {
  return (given) => (given === undefined || given === null || given === '' ? value : given)
}

/** For a number in which absence and 0 are equal. */
export function zero<T = Value>(value: NoInfer<T> & number): OwnRule<T> {
  return (given) => (given === undefined || given === null || given === 0 ? value : given)
}

/** For a list or map whose absence has the same meaning as an empty list or map. */
export function empty<T = Value>(value: NoInfer<T>): OwnRule<T> {
  return (given) => (isEmpty(given as Value | undefined) ? value : given)
}

export function isEmpty(value: Value | undefined): boolean {
  if (isList(value)) return value.length === 0
  return isMap(value) ? Object.keys(value).length === 0 : isAbsent(value)
}

export function isAbsent(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null
}

/** Rules by field. They run in the order in which they are written, and each rule sees the defaults of the rules before it. */
export type Fields<T = ValueMap> = [Value] extends [T]
  ? Readonly<Record<string, Rule>>
  : string extends keyof NonNullable<T>
    ? Readonly<Record<string, Rule>>
    : NonNullable<T> extends MapOf<infer V>
      ? Readonly<Record<string, Rule<V, unknown>>>
      : { readonly [K in keyof NonNullable<T>]?: Rule<NonNullable<NonNullable<T>[K]>, NonNullable<T>> }

/** The type of the items of a list. */
type ItemOf<T> = [Value] extends [T] ? Value : Extract<T, readonly unknown[]>[number]

/** Rules for the fields of an optional object. If the object is absent, no rule runs. */
export function within<T = Value>(fields: NoInfer<Fields<T>>): OwnRule<T> {
  const entries = Object.entries(fields as Fields)
  return typedRule((given, context) => (isMap(given) ? filled(given, entries, context) : given))
}

/** Rules for the fields of an object. If the object is absent, it is made if a field has a default. */
export function always<T = Value>(fields: NoInfer<Fields<T>>): OwnRule<T> {
  const entries = Object.entries(fields as Fields)
  return typedRule((given, context) => {
    if (isMap(given)) return filled(given, entries, context)
    if (!isAbsent(given)) return given
    const made = filled(EMPTY, entries, context)
    return made === EMPTY ? given : made
  })
}

/** Gives a type to the rule of a combinator, because this rule accepts any value. */
function typedRule<T, P>(rule: Rule<Value, P>): Rule<T, P> {
  return rule as unknown as Rule<T, P>
}

export function each<T = Value, P = ValueMap>(ofItem: NoInfer<Rule<ItemOf<T>, P>>): Rule<T, P> {
  const rule = ofItem as unknown as Rule<Value, P>
  return typedRule((given, context, parent) => {
    if (!isList(given)) return given
    let changed: Value[] | undefined
    let [last, lastAfter]: [Value | undefined, Value | undefined] = [undefined, undefined]
    for (let i = 0; i < given.length; i++) {
      const item = given[i]!
      // Empty items share one object, so the result for the item before can be used again.
      const after: Value | undefined = item === last ? lastAfter : rule(item, context, parent)
      last = item
      lastAfter = after
      if (after === item || after === undefined) continue
      changed ??= [...given]
      changed[i] = after
    }
    return changed ?? given
  })
}

/** Applies rules to the same field, one after the other. */
export function both<T = Value, P = ValueMap>(...rules: readonly NoInfer<Rule<T, P>>[]): Rule<T, P> {
  return (given, context, parent) => {
    let value = given
    for (const rule of rules) value = rule(value, context, parent)
    return value
  }
}

/** For a top-level member that depends on no other member. A member that is shared with the stored object already has its defaults. */
export function unlessStored<T = Value, P = ValueMap>(name: keyof P & string, rule: NoInfer<Rule<T, P>>): Rule<T, P> {
  return (given, context, parent) =>
    given !== undefined && (given as Value) === context.stored?.[name] ? given : rule(given, context, parent)
}

export function gated<T = Value, P = ValueMap>(gate: string, rule: NoInfer<Rule<T, P>>): Rule<T, P> {
  return (given, context, parent) => (context.gates.has(gate) ? rule(given, context, parent) : given)
}

/** Applies the rule only if the gate is off. */
export function ungated<T = Value, P = ValueMap>(gate: string, rule: NoInfer<Rule<T, P>>): Rule<T, P> {
  return (given, context, parent) => (context.gates.has(gate) ? given : rule(given, context, parent))
}

/** Applies the rule only if the object around the field fulfils the condition. */
export function where<T = Value, P = ValueMap>(
  holds: (parent: NoInfer<P>) => boolean,
  rule: NoInfer<Rule<T, P>>,
): Rule<T, P> {
  return (given, context, parent) => (holds(parent) ? rule(given, context, parent) : given)
}

/** The object with the member set to the value. Returns the same object if the member already has the value. */
export function withMember<T extends ValueMap, K extends keyof T & string>(map: T, name: K, value: NoInfer<T[K]>): T {
  return map[name] === value ? map : { ...map, [name]: value }
}

export function withoutMember<T extends ValueMap>(map: T, name: string): T {
  if (!Object.hasOwn(map, name)) return map
  const { [name]: _, ...rest } = map as ValueMap
  return rest as T
}

function filled(map: ValueMap, entries: readonly (readonly [string, Rule])[], context: DefaultsContext): ValueMap {
  let changed: Record<string, Value> | undefined
  for (const [name, rule] of entries) {
    const parent = changed ?? map
    const before = parent[name] ?? undefined
    const after = rule(before, context, parent)
    if (after === before) continue
    changed ??= { ...map }
    if (after === undefined) delete changed[name]
    else changed[name] = after
  }
  return changed ?? map
}
