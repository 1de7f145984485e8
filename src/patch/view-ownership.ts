// Ownership of an object that is written through a view: another kind that has one of its fields (`scale`). The owners of that field are
// copied into the view, and their changes are copied back (W-279).
import type { Value } from '../api/value.ts'
import { difference, type FieldSet, isEmptySet, type PathElement, setOf } from './field-set.ts'
import { decodeManagedFields, encodeManagedFields, type ManagedEntry, type ManagedFields } from './managed-fields.ts'

/** The one field that an object and a view of it share. */
export interface SharedField {
  readonly viewVersion: string
  readonly inView: readonly PathElement[]
  /** The path of the field in a version of the object. Undefined: the object has no such version. */
  readonly inObject: (apiVersion: string) => readonly PathElement[] | undefined
}

function decoded(list: Value | undefined): ManagedFields {
  const managed = decodeManagedFields(list)
  return 'problem' in managed ? new Map() : managed
}

function owns(entry: ManagedEntry, path: readonly PathElement[]): boolean {
  let set: FieldSet | undefined = entry.fields
  for (const element of path.slice(0, -1)) set = set?.children.get(element)
  return set?.members.has(path.at(-1)!) === true
}

/** The managedFields of the view, made from `list`: the managedFields of the object. */
export function managedInView(list: Value | undefined, field: SharedField): readonly Value[] {
  const shown = new Map<string, ManagedEntry>()
  for (const entry of decoded(list).values()) {
    const path = field.inObject(entry.apiVersion)
    if (path === undefined || !owns(entry, path)) continue
    shown.set(managerOf(entry), { ...entry, apiVersion: field.viewVersion, fields: setOf([field.inView]) })
  }
  return encodeManagedFields(shown)
}

export interface ViewChange {
  /** The managedFields of the object before the write. */
  readonly before: Value | undefined
  /** The managedFields of the view after the write. */
  readonly view: Value | undefined
  /** The version of the object whose view was written. */
  readonly apiVersion: string
}

/** The managedFields of the object after a write through the view. */
export function managedFromView({ before, view, apiVersion }: ViewChange, field: SharedField): readonly Value[] {
  const inView = new Map([...decoded(view).values()].map((entry) => [managerOf(entry), entry]))
  const result: ManagedEntry[] = []
  const times = new Map<string, string | undefined>()
  for (const entry of decoded(before).values()) {
    const path = field.inObject(entry.apiVersion)
    if (path === undefined) continue
    times.set(managerOf(entry), entry.time)
    if (!owns(entry, path) || inView.delete(managerOf(entry))) {
      result.push(entry)
      continue
    }
    const fields = difference(entry.fields, setOf([path]))
    if (!isEmptySet(fields)) result.push({ ...entry, fields })
  }
  const path = field.inObject(apiVersion)
  for (const [who, entry] of inView) {
    if (path === undefined || !owns(entry, field.inView)) continue
    result.push({ ...entry, apiVersion, fields: setOf([path]), time: times.get(who) })
  }
  return encodeManagedFields(new Map(result.map((entry, index) => [String(index), entry])))
}

/** The identity of a manager without its version: the view has another version than the object. */
function managerOf(entry: ManagedEntry): string {
  return JSON.stringify([entry.name, entry.operation, entry.subresource])
}
