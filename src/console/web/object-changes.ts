// Tells the differences between two versions of an object, field by field. This file needs no browser.

/** Every write changes these fields. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'generation'])

/** The changed fields: `spec.replicas: 1 → 3`. */
export function changesBetween(before: unknown, after: unknown, path = ''): readonly string[] {
  if (!isObject(before) || !isObject(after)) {
    const texts = [before, after].map((value) => (value === undefined ? 'none' : JSON.stringify(value)))
    return texts[0] === texts[1] ? [] : [`${path}: ${texts.join(' → ')}`]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => !(path === 'metadata' && BOOKKEEPING.has(name)))
    .flatMap((name) => changesBetween(before[name], after[name], placeOf(path, name)))
}

function placeOf(path: string, name: string): string {
  const isPlain = /^\w+$/.test(name)
  return path === '' ? name : isPlain ? `${path}.${name}` : `${path}['${name}']`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
