// Makes the object that an edit applies. The object has only the changed fields and the fields that the console has applied before, so that
// the console claims no other fields.
import { isFields } from './fields.ts'
import type { FieldSet, ManagedFields } from './field-owners.ts'

/** The field manager of the console. */
export const MANAGER = 'quarterdeck-console'

export interface ManagedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly managedFields?: readonly ManagedFields[]
    readonly ownerReferences?: readonly {
      readonly uid: string
      readonly kind: string
      readonly name: string
      readonly apiVersion: string
    }[]
  }
}

/** `edited`: the answer to a dry run of the update. Its managed fields tell what the console has changed. */
export function applyIntent(edited: ManagedObject): object {
  const { apiVersion, kind, metadata } = edited
  const own = (metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager === MANAGER && subresource === undefined,
  )
  const parts = own.map(({ fieldsV1 }) => partOf(edited, fieldsV1 ?? {}))
  const { name, namespace } = metadata
  const named = { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } }
  return [named, ...parts].reduce<unknown>(merged, {}) as object
}

function partOf(value: unknown, fields: FieldSet): unknown {
  const entries = Object.entries(fields).filter(([name]) => name !== '.')
  if (Object.keys(fields).length === 0) return value
  if (Array.isArray(value)) return entries.flatMap(([name, inside]) => itemOf(value, name, inside))
  if (typeof value !== 'object' || value === null) return value
  const known = value as Readonly<Record<string, unknown>>
  const parts = entries.flatMap(([name, inside]) => {
    const key = name.slice(2)
    return known[key] === undefined ? [] : [[key, partOf(known[key], inside)] as const]
  })
  return Object.fromEntries(parts)
}

function itemOf(items: readonly unknown[], name: string, inside: FieldSet): readonly unknown[] {
  const rest = name.slice(2)
  if (name.startsWith('i:')) return items.slice(Number(rest), Number(rest) + 1)
  const wanted = JSON.parse(rest) as unknown
  if (name.startsWith('v:')) return items.filter((item) => item === wanted)
  const keys = wanted as Readonly<Record<string, unknown>>
  const found = items.find((item) =>
    Object.entries(keys).every(([key, value]) => (item as Record<string, unknown>)[key] === value),
  )
  return found === undefined ? [] : [{ ...keys, ...(partOf(found, inside) as object) }]
}

function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])]
  if (!isFields(a) || !isFields(b)) return b
  const all: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) all[key] = key in a ? merged(a[key], value) : value
  return all
}
