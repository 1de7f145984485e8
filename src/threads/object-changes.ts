// The difference between an object and the result of admission, to be sent to another thread. Plugins share unchanged parts with the given
// object. Shared parts are not walked, so a large object with a small change is a short message.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { isList, isMap, setOwn, type Value, type ValueMap } from '../api/value.ts'

/** The change of a value. For a member, undefined means that it is removed. */
export type ValueChange =
  /** This JSON replaces the value. */
  | { readonly to: string }
  /** Some members change, or some items, by their index. */
  | { readonly in: readonly (readonly [key: string, change: ValueChange | undefined])[] }

/** The change that makes `after` of `before`. Undefined if they are equal. */
export function changeOf(before: Value, after: Value): ValueChange | undefined {
  if (before === after) return undefined
  if (isList(before) && isList(after) && before.length === after.length) return changeIn(before, after, before.keys())
  if (!isMap(before) || !isMap(after)) return { to: jsonText(after) }
  return changeIn(before, after, new Set([...Object.keys(before), ...Object.keys(after)]))
}

type Parts = ValueMap | readonly Value[]

function changeIn(before: Parts, after: Parts, keys: Iterable<string | number>): ValueChange | undefined {
  const changes: (readonly [string, ValueChange | undefined])[] = []
  for (const key of keys) {
    const [old, now] = [partOf(before, key), partOf(after, key)]
    if (old === now) continue
    if (now === undefined) changes.push([String(key), undefined])
    else {
      const change = old === undefined ? { to: jsonText(now) } : changeOf(old, now)
      if (change !== undefined) changes.push([String(key), change])
    }
  }
  return changes.length === 0 ? undefined : { in: changes }
}

function partOf(parts: Parts, key: string | number): Value | undefined {
  return Object.hasOwn(parts, key) ? (parts as ValueMap)[key] : undefined
}

/** The value with the change made. It shares unchanged parts with `before`. */
export function changed(before: Value, change: ValueChange): Value {
  if ('to' in change) return parseJsonText(change.to)
  const made = (isList(before) ? [...before] : { ...(before as ValueMap) }) as Record<string, Value>
  for (const [key, inner] of change.in) {
    if (inner === undefined) delete made[key]
    else setOwn(made, key, changed(partOf(before as Parts, key) ?? null, inner))
  }
  return made
}
