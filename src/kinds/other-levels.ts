// Tells which stored objects a server of another API level has written: they are of another version of the kind, they lack fields that
// this level fills in, or they have fields that only a later level has. They are read like objects of another server (`foreign-objects.ts`), as the reference reads all objects.
import { API_LEVELS, NEWEST_LEVEL } from '../api/level.ts'
import { formatGroupVersion, type GroupVersionKind } from '../api/object.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { allBuiltInGroups } from '../schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import type { SchemaTable, Shape } from '../schema/table.ts'
import { kindsAt } from './kinds.ts'

interface Marks {
  /** `csidrivers/` */
  readonly prefix: string
  /** The first bytes of objects in the version of this level. Undefined: all levels store the same version. */
  readonly head: Buffer | undefined
  readonly lacking: readonly Buffer[]
  readonly unknown: readonly Buffer[]
}

/** Tells from canonical JSON, and its key relative to the server's prefix, whether a server of another level has written it. */
export function ofOtherLevels(schema: SchemaTable, resources: ResourceTable): (bytes: Buffer, key: string) => boolean {
  const marks = new Map<string, Marks>()
  for (const { stored, storedKind } of resources.all()) {
    const lacking = kindsAt(schema.level)(storedKind).fills ?? []
    const kind = schema.kind(storedKind)
    const newest = loadBuiltInSchema(NEWEST_LEVEL).kind(storedKind)
    const unknown =
      kind === undefined || newest === undefined ? [] : [...namesIn(newest.shape).difference(namesIn(kind.shape))]
    const head = isStoredAlike(storedKind) ? undefined : headOf(storedKind)
    if (head === undefined && lacking.length + unknown.length === 0) continue
    const prefix = `${stored.storagePrefix}/`
    marks.set(prefix, { prefix, head, lacking: lacking.map(memberOf), unknown: unknown.map(memberOf) })
  }
  const all = [...marks.values()]
  return (bytes, key) => {
    const found = all.find(({ prefix }) => key.startsWith(prefix))
    if (found === undefined) return false
    const { head, lacking, unknown } = found
    return (
      (head !== undefined && !bytes.subarray(0, head.length).equals(head)) ||
      lacking.some((member) => !bytes.includes(member)) ||
      unknown.some((member) => bytes.includes(member))
    )
  }
}

/** Whether every level that has the kind stores it in this version. */
function isStoredAlike({ group, version, kind }: GroupVersionKind): boolean {
  const rows = API_LEVELS.flatMap((level) => allBuiltInGroups(level)).flatMap(({ versions }) =>
    versions.flatMap(({ resources }) => resources),
  )
  const stored = rows.flatMap((row) => (row.group === group && row.kind === kind ? (row.storageVersion ?? []) : []))
  return stored.every((one) => one.group !== group || one.version === version)
}

function headOf(kind: GroupVersionKind): Buffer {
  return Buffer.from(`{"kind":"${kind.kind}","apiVersion":"${formatGroupVersion(kind)}",`)
}

function memberOf(name: string): Buffer {
  return Buffer.from(`"${name}":`)
}

/** The names of all fields in an object. A name that occurs at both levels decides nothing. */
function namesIn(shape: Shape, names = new Set<string>(), seen = new Set<Shape>()): Set<string> {
  if (seen.has(shape)) return names
  seen.add(shape)
  if (shape.kind === 'list') namesIn(shape.item, names, seen)
  if (shape.kind === 'map') namesIn(shape.value, names, seen)
  if (shape.kind !== 'object') return names
  for (const field of shape.fields) {
    names.add(field.name)
    namesIn(field.shape, names, seen)
  }
  return names
}
