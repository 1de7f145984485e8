// The JSON values in the server. Objects are shared and never changed in place.

/** A JSON value. An integer beyond 2^53 is a `bigint`; everything else is as `JSON.parse` gives it. */
export type Value = string | number | bigint | boolean | null | readonly Value[] | ValueMap

/**
 * A JSON object. Users choose the keys, and `__proto__` and `constructor` are ordinary keys here. So read a key that may be absent with
 * `Object.hasOwn` or `own`.
 */
export interface ValueMap {
  readonly [key: string]: Value
}

declare const VALUES: unique symbol

/**
 * A map of a built-in kind whose keys come from users, such as labels, limits and data. The type has no index access, because `__proto__`
 * and `constructor` are ordinary keys. `own` and `entriesOf` read such a map.
 */
export type MapOf<T extends Value> = { readonly [VALUES]?: T }

/** A map whose members have no declared types. Fields of built-in kinds have types, and are read as properties. */
export type Untyped<T extends ValueMap> = string extends keyof T ? T : never

/** The value of an own member. All inherited members except `__proto__` are functions. */
export function own<T extends Value>(map: MapOf<T>, key: string): T | undefined
export function own<T extends ValueMap>(map: Untyped<T>, key: string): Value | undefined
export function own(map: ValueMap, key: string): Value | undefined {
  const value: unknown = map[key]
  if (typeof value === 'function' || key === '__proto__') return Object.hasOwn(map, key) ? map[key] : undefined
  return value as Value | undefined
}

/** The keys of a map, each with its value. */
export function entriesOf<T extends Value>(map: MapOf<T>): readonly (readonly [string, T])[] {
  return Object.entries<T>(map)
}

export function isMap(value: Value | undefined): value is ValueMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/** Sets a key of a map that is still being built. A plain assignment of `__proto__` would change the prototype. */
export function setOwn(target: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** Deep equality of JSON values. The order of keys does not matter, and `1` equals `1n`. */
export function equalValues(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  if (typeof a !== typeof b) return isInteger(a) && isInteger(b) && BigInt(a) === BigInt(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isList(a)) return isList(b) && equalItems(a, b)
  return !isList(b) && equalMembers(a, b)
}

function equalItems(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!equalValues(a[i], b[i])) return false
  return true
}

function equalMembers(a: ValueMap, b: ValueMap): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) if (!equalValues(a[key], own(b, key))) return false
  return true
}

/**
 * Replaces every part of the value that equals the same part of `known` by that part of `known`. Returns `known` itself if both are equal.
 * Later steps then recognize unchanged parts by identity.
 */
export function sharedWith(value: Value, known: Value | undefined): Value {
  if (value === known || typeof value !== 'object' || typeof known !== 'object' || value === null || known === null) {
    return value
  }
  if (isList(value)) return isList(known) ? sharedItems(value, known) : value
  return isList(known) ? value : sharedMembers(value, known)
}

function sharedItems(list: readonly Value[], known: readonly Value[]): readonly Value[] {
  let changed: Value[] | undefined
  let isSame = list.length === known.length
  for (let i = 0; i < list.length; i++) {
    const item = list[i]!
    const shared = sharedWith(item, known[i])
    if (shared !== known[i]) isSame = false
    if (shared !== item) (changed ??= [...list])[i] = shared
  }
  return isSame ? known : (changed ?? list)
}

function sharedMembers(map: ValueMap, known: ValueMap): ValueMap {
  const keys = Object.keys(map)
  let changed: Record<string, Value> | undefined
  let isSame = keys.length === Object.keys(known).length
  for (const key of keys) {
    const member = map[key]!
    const other = own(known, key)
    const shared = sharedWith(member, other)
    if (shared !== other) isSame = false
    if (shared !== member) setOwn((changed ??= { ...map }), key, shared)
  }
  return isSame ? known : (changed ?? map)
}

function isInteger(value: Value | undefined): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
}
