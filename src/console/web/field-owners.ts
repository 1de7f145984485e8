// Finds the owners of the lines of a document, by the managed fields of its object.
import type { SyntaxNode } from '@lezer/common'
import { fieldsIn, isMapping, isSequence, itemsIn, scalarText, topOf, valueOf } from './yaml-tree.ts'

/** A set of fields as the API writes it: `f:name`, `k:{…}`, `v:…`, `i:n`, and `.` for the value itself. */
export interface FieldSet {
  readonly [key: string]: FieldSet
}

export interface ManagedFields {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1?: FieldSet
}

/** The fields of a manager at a place. `all`: the whole value. */
interface Claim {
  readonly owner: ManagedFields
  readonly fields: FieldSet | 'all'
}

/** The owners of each line. Line numbers begin with 1. */
export function ownersByLine(
  text: string,
  managed: readonly ManagedFields[],
): ReadonlyMap<number, readonly ManagedFields[]> {
  const found = new Map<number, readonly ManagedFields[]>()
  const lines = new LineNumbers(text)
  const note = (at: number, claims: readonly Claim[]): void => {
    const owners = claims.filter(isOwnedItself).map(({ owner }) => owner)
    if (owners.length > 0) found.set(lines.of(at), owners)
  }
  const visit = (node: SyntaxNode, claims: readonly Claim[]): void => {
    if (isMapping(node)) {
      for (const { key, pair, value } of fieldsIn(node, text)) {
        const inside = below(claims, (fields) => fields[`f:${key}`])
        note(pair.from, inside)
        if (value !== undefined && inside.length > 0) visit(value, inside)
      }
    } else if (isSequence(node)) {
      for (const [index, item] of itemsIn(node).entries()) {
        const value = valueOf(item)
        if (value === undefined) continue
        const inside = below(claims, (fields) => fieldsOfItem(fields, { value, index, text }))
        if (!isMapping(value)) note(value.from, inside)
        if (inside.length > 0) visit(value, inside)
      }
    }
  }
  const top = topOf(text)
  if (top !== undefined)
    visit(
      top,
      managed.map((owner) => ({ owner, fields: owner.fieldsV1 ?? {} })),
    )
  return found
}

function isOwnedItself({ fields }: Claim): boolean {
  return fields === 'all' || '.' in fields
}

function below(claims: readonly Claim[], pick: (fields: FieldSet) => FieldSet | undefined): readonly Claim[] {
  return claims.flatMap(({ owner, fields }) => {
    if (fields === 'all') return [{ owner, fields }]
    const inside = pick(fields)
    if (inside === undefined) return []
    return [{ owner, fields: Object.keys(inside).length === 0 ? ('all' as const) : inside }]
  })
}

interface Item {
  readonly value: SyntaxNode
  readonly index: number
  readonly text: string
}

function fieldsOfItem(fields: FieldSet, { value, index, text }: Item): FieldSet | undefined {
  const byIndex = fields[`i:${index}`]
  if (byIndex !== undefined) return byIndex
  const written = isMapping(value) ? new Map(fieldsIn(value, text).map((field) => [field.key, field.value])) : undefined
  for (const [name, inside] of Object.entries(fields)) {
    if (name.startsWith('v:') && written === undefined && String(JSON.parse(name.slice(2))) === scalarText(value, text))
      return inside
    if (name.startsWith('k:') && written !== undefined && hasKeys(written, name.slice(2), text)) return inside
  }
  return undefined
}

function hasKeys(written: ReadonlyMap<string, SyntaxNode | undefined>, keys: string, text: string): boolean {
  return Object.entries(JSON.parse(keys) as Record<string, unknown>).every(([key, expected]) => {
    const value = written.get(key)
    return value !== undefined && scalarText(value, text) === String(expected)
  })
}

class LineNumbers {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  /** The line of a place. The places of the calls must ascend. */
  of(place: number): number {
    for (; this.#at < place; this.#at++) if (this.#text.charCodeAt(this.#at) === 10) this.#line++
    return this.#line
  }
}

/**
 * The managers that have written between two versions. A manager that only lost a field is left out, though its entry has changed. Times
 * are whole seconds, so a manager that writes the same fields again in one second has the same entry. Then it is the only newest one.
 */
export function writersSince(before: readonly ManagedFields[], after: readonly ManagedFields[]): readonly string[] {
  const writers = after.filter((entry) => {
    const known = before.find(
      (one) =>
        one.manager === entry.manager && one.operation === entry.operation && one.subresource === entry.subresource,
    )
    if (known === undefined) return true
    const had = new Set(pathsIn(known.fieldsV1 ?? {}))
    const has = pathsIn(entry.fieldsV1 ?? {})
    return has.some((path) => !had.has(path)) || (has.length === had.size && known.time !== entry.time)
  })
  const newestTime = after.map(({ time = '' }) => time).reduce((a, b) => (a > b ? a : b), '')
  const newest = after.filter(({ time }) => time === newestTime)
  const found = writers.length === 0 && newest.length === 1 ? newest : writers
  return [...new Set(found.map(({ manager = '' }) => manager))]
}

function pathsIn(fields: FieldSet): readonly string[] {
  return Object.entries(fields).flatMap(([name, inside]) => [name, ...pathsIn(inside).map((path) => `${name} ${path}`)])
}
