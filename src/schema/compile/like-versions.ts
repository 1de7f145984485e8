// Completes the files of versions that are like another version of their group. Types that such a file does not declare come from the file
// of the other version.
import { givenMembers } from '../../lib/given-members.ts'
import type { CompiledField, CompiledFile, CompiledResource, CompiledType } from '../table-compiled.ts'

/** The declarations of a version for a kind that another file declares. */
export interface LikeKind
  extends Pick<
    CompiledResource,
    'storageVersion' | 'storageVersionUntil' | 'deprecated' | 'removed' | 'replacement' | 'gate'
  > {
  readonly name: string
}

export interface DraftFile {
  readonly file: CompiledFile
  readonly likeKinds: readonly LikeKind[]
}

export function withLikeTypes(drafts: readonly DraftFile[]): readonly CompiledFile[] {
  const byStem = new Map(drafts.map(({ file }) => [file.stem, file]))
  return drafts.map(({ file, likeKinds }) => {
    if (file.like === undefined) return file
    const base = byStem.get(file.like)
    if (base === undefined) throw new Error(`${file.stem}: is like ${file.like}, which does not exist`)
    return { ...file, types: typesLike(base, file, likeKinds) }
  })
}

/** The declared types, the kinds, and all types to which they refer. */
function typesLike(base: CompiledFile, file: CompiledFile, kinds: readonly LikeKind[]): readonly CompiledType[] {
  const declared = new Map(file.types.map((type) => [type.name, type]))
  const others = new Map(base.types.map((type) => [type.name, type]))
  const made = new Map<string, CompiledType>()
  const open = [...kinds.flatMap(({ name }) => [name, `${name}List`]), ...declared.keys()]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (made.has(name)) continue
    const other = others.get(name)
    const type = declared.get(name) ?? (other && typeLike(other, base, file))
    if (type === undefined) throw new Error(`${file.stem}.${name}: is declared neither here nor in ${base.stem}`)
    const kind = kinds.find((one) => one.name === name)
    made.set(name, kind === undefined ? type : { ...type, resource: resourceLike(type, kind) })
    open.push(...type.fields.flatMap((field) => nameIn(file.stem, field) ?? []))
  }
  return [...made.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The other version's type as a type of this file. Rules are looked up by the other type's name, and its `since` and `until` do not apply.
 */
function typeLike(type: CompiledType, base: CompiledFile, file: CompiledFile): CompiledType {
  const { rules: _rules, since: _since, until: _until, ...rest } = type
  const fields = type.fields.map((field): CompiledField => {
    const name = nameIn(base.stem, field)
    if (name === undefined) return field
    const [member, number, full, ...more] = field
    return [
      member,
      number,
      `${full.slice(0, full.length - base.stem.length - 1 - name.length)}${file.stem}.${name}`,
      ...more,
    ]
  })
  return { ...rest, fields }
}

/** The name of the type of a field, if the type is from the file with this stem. */
function nameIn(stem: string, [, , type]: CompiledField): string | undefined {
  const name = type.replace(/^(\[\]|\{\})/, '')
  return name.startsWith(`${stem}.`) ? name.slice(stem.length + 1) : undefined
}

function resourceLike({ name, resource }: CompiledType, kind: LikeKind): CompiledResource {
  if (resource === undefined) throw new Error(`${name}: is like a kind that has no resource`)
  const { deprecated, removed, replacement, gate = resource.gate } = kind
  const { storageVersion, storageVersionUntil } = kind.storageVersion === undefined ? resource : kind
  return givenMembers({
    ...resource,
    storageVersion,
    storageVersionUntil,
    deprecated,
    removed,
    replacement,
    gate,
  })
}
