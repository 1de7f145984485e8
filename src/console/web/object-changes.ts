// Tells the differences between two versions of an object, field by field. This file needs no browser.
import { type Fields, isFields } from './fields.ts'

/** Every write changes these fields. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'generation'])

/** The changed fields: `spec.replicas: 1 → 3`. */
export function changesBetween(before: unknown, after: unknown, path = ''): readonly string[] {
  const items = [before, after].map(byKey)
  if (items[0] !== undefined && items[1] !== undefined) return changesBetween(items[0], items[1], path)
  if (!isFields(before) || !isFields(after)) {
    const texts = [before, after].map((value) => (value === undefined ? 'none' : JSON.stringify(value)))
    return texts[0] === texts[1] ? [] : [`${path}: ${texts.join(' → ')}`]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => !(path === 'metadata' && BOOKKEEPING.has(name)))
    .flatMap((name) => changesBetween(before[name], after[name], placeOf(path, name)))
}

/** The items of a list by their names or types. Undefined: some have neither, or two have the same. */
function byKey(value: unknown): Fields | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFields)) return undefined
  const isKey = (one: string): boolean =>
    value.every((item) => typeof item[one] === 'string') &&
    new Set(value.map((item) => item[one])).size === value.length
  const key = ['name', 'type'].find(isKey)
  return key === undefined ? undefined : Object.fromEntries(value.map((item) => [String(item[key]), item]))
}

function placeOf(path: string, name: string): string {
  const isPlain = /^\w+$/.test(name)
  return path === '' ? name : isPlain ? `${path}.${name}` : `${path}['${name}']`
}
