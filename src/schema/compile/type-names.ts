// The names of the types of `proto/` in generated TypeScript. If two groups have types of the same name, a kind keeps the name, or else the
// type of the group that discovery lists first. The name of the other type begins with its group and version.
import type { CompiledFile, CompiledSchema, CompiledType } from '../table-compiled.ts'

export interface NamedType {
  readonly file: CompiledFile
  readonly type: CompiledType
}

/** All types by their names in the table: `core_v1.PodSpec`. */
export function typesById({ files }: CompiledSchema): ReadonlyMap<string, NamedType> {
  return new Map(
    files.flatMap((file) => file.types.map((type) => [`${file.stem}.${type.name}`, { file, type }] as const)),
  )
}

export function namesOf(ids: readonly string[], byName: ReadonlyMap<string, NamedType>): ReadonlyMap<string, string> {
  const rank = (id: string): number => {
    const { file, type } = byName.get(id)!
    const [group, version] = file.priority ?? [0, 0]
    return (type.kind === undefined ? 0 : 1e9) + (file.stem === 'core_v1' ? 1e8 : group * 1000 + version)
  }
  const taken = new Set<string>()
  const names = ids
    .toSorted((a, b) => rank(b) - rank(a))
    .map((id) => {
      const { file, type } = byName.get(id)!
      const name = taken.has(type.name) ? `${prefixOf(file.stem)}${type.name}` : type.name
      if (taken.has(name)) throw new Error(`${id}: the name ${name} is taken`)
      taken.add(name)
      return [id, name] as const
    })
  return new Map(names)
}

/** These types, and all types to which they refer, directly or through other types. */
export function reachedFrom(first: readonly string[], byName: ReadonlyMap<string, NamedType>): readonly string[] {
  const reached = new Set(first)
  // This loop also visits the elements that are added to the set during the loop.
  for (const id of reached) {
    for (const [, , field] of byName.get(id)!.type.fields) if (byName.has(itemOf(field))) reached.add(itemOf(field))
  }
  return [...reached]
}

/** The type of a field's value, or of the items of its list, or of the values of its map. */
export function itemOf(fieldType: string): string {
  return fieldType.replace(/^(\[\]|\{\})/, '')
}

/** `AutoscalingV1` for `autoscaling_v1`, `EventsV1` for `events.k8s.io_v1`. */
function prefixOf(stem: string): string {
  const [group = '', version = ''] = stem.split('_')
  return [group.split('.')[0] ?? '', version].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
