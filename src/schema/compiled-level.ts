// The compiled table at one level of the API. Files, types and fields whose span does not include the level are left out. The others have
// their declaration at that level. This code has no side effects, and runs once at the start.
import { type ApiLevel, isAtLevel, isSinceRelease, type LevelSpan } from '../api/level.ts'
import { givenMembers } from '../lib/given-members.ts'
import type { CompiledField, CompiledResource, CompiledSchema, CompiledType } from './table-compiled.ts'

export function compiledAt(level: ApiLevel, { files }: CompiledSchema): CompiledSchema {
  const isThere = (span: LevelSpan): boolean => isAtLevel(level, span)
  return {
    files: files
      .filter(isThere)
      .map((file) => ({ ...file, types: file.types.filter(isThere).map((type) => typeAt(level, type)) })),
  }
}

/** The fields that not every level has, by type and name: `core_v1.PodSpec.evictionResponders`. */
export function fieldsOfSomeLevels({ files }: CompiledSchema): ReadonlySet<string> {
  const fields = files.flatMap(({ stem, types }) =>
    types.flatMap(({ name, fields }) => fields.map((field) => [`${stem}.${name}.${field[0]}`, field[4]] as const)),
  )
  return new Set(fields.flatMap(([id, facts]) => ((facts?.since ?? facts?.until) === undefined ? [] : [id])))
}

/** The type at a level: without fields of other levels, and with the changes of the level. */
function typeAt(level: ApiLevel, type: CompiledType): CompiledType {
  const { resource } = type
  const dependsOn = ([, , , , facts]: CompiledField): boolean =>
    (facts?.since ?? facts?.until ?? facts?.changed) !== undefined
  const here = resource === undefined ? type : withResourceAt(level, type, resource)
  return here.fields.some(dependsOn) ? { ...here, fields: here.fields.flatMap((field) => fieldAt(level, field)) } : here
}

/** The type without its resource if a release has removed the resource. Objects that were stored before can still be read. */
function withResourceAt(level: ApiLevel, type: CompiledType, resource: CompiledResource): CompiledType {
  const { resource: _, ...rest } = type
  const isRemoved = resource.removed !== undefined && isSinceRelease(level, resource.removed)
  return isRemoved ? rest : { ...rest, resource: resourceAt(level, resource) }
}

function resourceAt(level: ApiLevel, resource: CompiledResource): CompiledResource {
  const { storageVersion, storageVersionUntil: until, subresources, ...rest } = resource
  return givenMembers({
    ...rest,
    storageVersion: until === undefined || isAtLevel(level, { until }) ? storageVersion : undefined,
    subresources: subresources
      ?.filter((one) => isAtLevel(level, one))
      .map((one) => givenMembers({ ...one, since: undefined })),
  })
}

function fieldAt(level: ApiLevel, field: CompiledField): readonly CompiledField[] {
  const [name, number, type, marks = '', facts] = field
  if (facts === undefined) return [field]
  if (!isAtLevel(level, facts)) return []
  const { changed } = facts
  if (changed === undefined || !isAtLevel(level, changed)) return [field]
  const { required, since: _, ...others } = changed
  const bare = marks.replace('r', '')
  const now = required === undefined ? marks : required ? `r${bare}` : bare
  return [[name, number, type, now, { ...facts, ...others }]]
}
