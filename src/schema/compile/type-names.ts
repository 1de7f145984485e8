// The names that generated TypeScript has for the types of `proto/`: if two groups have a type of one name, the kind has it, or the group that
// discovery lists first; the other begins with its group and version.
import type { CompiledFile, CompiledSchema, CompiledType } from '../table-compiled.ts'

export interface NamedType {
  readonly file: CompiledFile
  readonly type: CompiledType
}

/** By the name in the table: `core_v1.PodSpec`. */
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

/** These types, and all that they refer to. */
export function reachedFrom(first: readonly string[], byName: ReadonlyMap<string, NamedType>): readonly string[] {
  const reached = new Set(first)
  // A set that grows while it is walked over is walked to its new end.
  for (const id of reached) {
    for (const [, , field] of byName.get(id)!.type.fields) if (byName.has(itemOf(field))) reached.add(itemOf(field))
  }
  return [...reached]
}

/** The type of a field's value, or of the items or values in it. */
export function itemOf(fieldType: string): string {
  return fieldType.replace(/^(\[\]|\{\})/, '')
}

/** `AutoscalingV1` of `autoscaling_v1`, `EventsV1` of `events.k8s.io_v1`. */
function prefixOf(stem: string): string {
  const [group = '', version = ''] = stem.split('_')
  return [group.split('.')[0] ?? '', version].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
