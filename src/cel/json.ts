// The JSON that expressions read and make.

/** An integer beyond 2^53 is a `bigint`. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonMap

export interface JsonMap {
  readonly [key: string]: Json
}

export function isJsonMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the map's own member under a key. The key `__proto__` is ordinary data. */
export function member(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** Adds a member. A plain assignment of `__proto__` would change the prototype. */
export function setMember(target: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
