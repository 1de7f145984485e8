// Tells which stored objects a server of another API level has written. Such objects are of another version of the kind, lack fields that
// this level fills in, or have fields that only a later level has. They are read like objects of another server (`foreign-objects.ts`), as
// the reference reads all objects.
import { API_LEVELS, NEWEST_LEVEL } from '../api/level.ts'
import { formatGroupVersion, type GroupVersionKind } from '../api/object.ts'
import { addToList } from '../lib/map-entries.ts'
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

/**
 * Returns a function that tells whether a server of another level has written an object. It takes canonical JSON, and the key relative to
 * the server's prefix.
 */
export function ofOtherLevels(schema: SchemaTable, resources: ResourceTable): (bytes: Buffer, key: string) => boolean {
  const marks = new Map<string, Marks>()
  const versions = storedVersions()
  for (const { stored, storedKind } of resources.all()) {
    const lacking = kindsAt(schema.level)(storedKind).fills ?? []
    const kind = schema.kind(storedKind)
    const newest = loadBuiltInSchema(NEWEST_LEVEL).kind(storedKind)
    const areAlike = kind === undefined || newest === undefined || kind === newest
    const unknown = areAlike ? [] : [...namesIn(newest.shape).difference(namesIn(kind.shape))]
    const isStoredAlike = versions.get(nameOf(storedKind))?.every((version) => version === storedKind.version) ?? true
    const head = isStoredAlike ? undefined : headOf(storedKind)
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

/** The versions in which levels store each kind. */
function storedVersions(): ReadonlyMap<string, readonly string[]> {
  const rows = API_LEVELS.flatMap((level) => allBuiltInGroups(level)).flatMap(({ versions }) =>
    versions.flatMap(({ resources }) => resources),
  )
  const byKind = new Map<string, string[]>()
  for (const { group, kind, storageVersion } of rows) {
    if (storageVersion === undefined || storageVersion.group !== group) continue
    addToList(byKind, nameOf({ group, kind }), storageVersion.version)
  }
  return byKind
}

function nameOf({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): string {
  return `${group}/${kind}`
}

function headOf(kind: GroupVersionKind): Buffer {
  return Buffer.from(`{"kind":"${kind.kind}","apiVersion":"${formatGroupVersion(kind)}",`)
}

function memberOf(name: string): Buffer {
  return Buffer.from(`"${name}":`)
}

/** The names of all fields in an object. A name that both levels have anywhere in the object does not tell them apart. */
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
