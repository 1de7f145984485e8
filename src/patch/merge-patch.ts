// Merge patch (RFC 7386): null deletes, objects merge, everything else replaces. Beyond the RFC, objects in a list also lose their null
// members, as in the reference: clients send `creationTimestamp: null` wherever there is metadata.
import { isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'

export function applyMergePatch(target: Value | undefined, patch: Value): Value {
  if (isList(patch)) return newItems(patch)
  if (!isMap(patch)) return patch
  const base: ValueMap = isMap(target) ? target : {}
  const result: Record<string, Value> = {}
  for (const key of Object.keys(base)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, base[key]!)
    else if (patch[key] !== null) setOwn(result, key, applyMergePatch(base[key], patch[key]!))
  }
  for (const key of Object.keys(patch)) {
    if (Object.hasOwn(base, key) || patch[key] === null) continue
    setOwn(result, key, applyMergePatch(own(base, key), patch[key]!))
  }
  return result
}

/** A loop takes less of the stack than a callback, and lists can be a thousand deep. */
function newItems(list: readonly Value[]): readonly Value[] {
  const items: Value[] = []
  for (const item of list) items.push(item === null ? null : applyMergePatch(undefined, item))
  return items
}
