// The differences between two versions of an object, field by field.
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'

/** A member, or an item of a list by its name or its index. */
export type PathStep = { readonly member: string } | { readonly place: number; readonly name?: string }

export interface FieldChange {
  readonly path: readonly PathStep[]
  /** `.spec.template.spec.containers[name=web].image` */
  readonly field: string
  /** Undefined: the field is new. */
  readonly before: Value | undefined
  /** Undefined: the field is gone. */
  readonly after: Value | undefined
}

/** The changes, in the order of the fields. A part that is new or gone is one change. */
export function changesBetween(before: Value, after: Value, path: readonly PathStep[] = []): readonly FieldChange[] {
  if (equalValues(before, after)) return []
  const parts = isMap(before) && isMap(after) ? memberParts(before, after) : itemParts(before, after)
  if (parts === undefined) return [changeAt(path, before, after)]
  return parts.flatMap(([step, old, now]) => {
    const below = [...path, step]
    return old === undefined || now === undefined ? [changeAt(below, old, now)] : changesBetween(old, now, below)
  })
}

function changeAt(path: readonly PathStep[], before: Value | undefined, after: Value | undefined): FieldChange {
  return { path, field: path.map(stepText).join('') || '.', before, after }
}

function stepText(step: PathStep): string {
  if ('place' in step) return step.name === undefined ? `[${step.place}]` : `[name=${step.name}]`
  return /^[\w-]+$/.test(step.member) ? `.${step.member}` : `[${JSON.stringify(step.member)}]`
}

type Part = readonly [step: PathStep, before: Value | undefined, after: Value | undefined]

function memberParts(before: ValueMap, after: ValueMap): readonly Part[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].map((member) => [{ member }, own(before, member), own(after, member)])
}

/** Pairs items by name, or by index if they have no names. Undefined: the values cannot be compared item by item. */
function itemParts(before: Value, after: Value): readonly Part[] | undefined {
  if (!isList(before) || !isList(after)) return undefined
  const [old, now] = [byName(before), byName(after)]
  if (old === undefined || now === undefined) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, place) => [{ place }, before[place], after[place]])
  }
  const names = new Set([...old.keys(), ...now.keys()])
  const parts = [...names].map((name, place): Part => [{ place, name }, old.get(name), now.get(name)])
  // Only the order is different.
  return parts.every(([, one, other]) => equalValues(one, other)) ? undefined : parts
}

function byName(items: readonly Value[]): ReadonlyMap<string, Value> | undefined {
  const named = new Map<string, Value>()
  for (const item of items) {
    const name = isMap(item) ? own(item, 'name') : undefined
    if (typeof name !== 'string' || named.has(name)) return undefined
    named.set(name, item)
  }
  return named
}
