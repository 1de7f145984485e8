// The compiled form of `proto/api`, which `compile/` writes to `gen/built-in-kinds.json`. Every start reads this file, so it is compact:
// usual values are left out.
import type { ApiLevel, LevelSpan } from '../api/level.ts'
import type { Value } from '../api/value.ts'
import type { FormatName } from './validation/formats.ts'

export interface CompiledSchema {
  readonly files: readonly CompiledFile[]
}

/** A group-version, or a library of types that has no group-version. */
export interface CompiledFile extends LevelSpan {
  /** The part before the dot in the names of its types: `core_v1`. */
  readonly stem: string
  readonly group?: string
  readonly version?: string
  /** The part before a type's name in OpenAPI documents. */
  readonly openapi: string
  readonly served?: true
  /** The version is served only if `--runtime-config` requests it. */
  readonly offByDefault?: true
  /** The stem of the file of another version of the group. That file declares the types that both versions share. */
  readonly like?: string
  /** The priorities of the group and of the version in discovery, which begins with the highest. */
  readonly priority?: readonly [group: number, version: number]
  readonly types: readonly CompiledType[]
}

export const TYPE_FORMS = [
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'rawExtension',
  'fieldsV1',
  'json',
  'schemaOrArray',
  'schemaOrBool',
  'schemaOrStringArray',
  'list',
] as const

export type TypeForm = (typeof TYPE_FORMS)[number]

export interface CompiledType extends LevelSpan {
  readonly name: string
  /** The type is a kind: of its own group-version, of v1 but accepted in all group-versions, or of every group-version. */
  readonly kind?: 'own' | 'core' | 'every'
  /** False if a kind has no `kind` and `apiVersion` in JSON. */
  readonly typeMeta?: false
  readonly form?: TypeForm
  readonly atomic?: true
  readonly published?: false
  readonly jsonOnly?: true
  readonly resource?: CompiledResource
  readonly fields: readonly CompiledField[]
  /** The rules are written to a file of their own. */
  readonly rules?: readonly CompiledRule[]
}

export interface CompiledResource {
  readonly plural: string
  readonly namespaced: boolean
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly verbs?: readonly string[]
  readonly storageVersion?: string
  /** The last level with this storage version. */
  readonly storageVersionUntil?: ApiLevel
  readonly stored?: false
  /** The release that deprecates the resource, and the release that removes it. */
  readonly deprecated?: string
  readonly removed?: string
  /** The group, version and kind that replaces the resource. */
  readonly replacement?: string
  /** The gates that must be on, separated by commas. */
  readonly gate?: string
  readonly subresources?: readonly CompiledSubresource[]
}

export interface CompiledSubresource extends Pick<LevelSpan, 'since'> {
  readonly name: string
  readonly kind?: string
  readonly group?: string
  readonly version?: string
  readonly verbs?: readonly string[]
}

/**
 * The type is a protobuf scalar, `any`, or the name of a type. The prefix `[]` makes it a list, and the prefix `{}` a map. The marks: `r`
 * required, `p` pointer, `n` never omitted, `z` omitted when zero, `a` omitted when absent, `i` inline, `d` union discriminator.
 */
export type CompiledField = readonly [
  name: string,
  number: number,
  type: string,
  marks?: string,
  facts?: CompiledFieldFacts,
]

export interface CompiledFieldFacts extends LevelSpan {
  readonly default?: Value
  readonly values?: readonly string[]
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listKeys?: readonly string[]
  readonly mapType?: 'atomic' | 'granular'
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** The value of the discriminator that selects this member of the union. */
  readonly member?: string
  readonly gate?: string
  /** The reference's name for the type of the field. */
  readonly goType?: string
  readonly changed?: CompiledChange
}

/** The changes to the declaration of a field from the level `since` on. */
export interface CompiledChange
  extends Pick<CompiledFieldFacts, 'values' | 'listType' | 'listKeys' | 'patchStrategy' | 'patchMergeKey'> {
  readonly since: ApiLevel
  readonly required?: boolean
}

/** The content of `gen/built-in-rules.json`: the rules of fields by type (`core_v1.Container`), in the order of declaration. */
export type CompiledRules = Readonly<Record<string, readonly CompiledRule[]>>

/** The rules for a single field. `FieldRules` in `proto/api/options.proto` describes each member. */
export interface CompiledRule {
  readonly name: string
  /** As in `CompiledField`. */
  readonly type: string
  readonly pointer?: true
  /** The text that is added to the error for a missing member. Absent: the member is not required. */
  readonly required?: string
  readonly zeroToo?: true
  readonly values?: readonly string[]
  readonly format?: FormatName
  readonly min?: number
  readonly max?: number
  readonly outOfBounds?: string
  readonly maxBytes?: number
  readonly maxItems?: number
  readonly unique?: true
  readonly immutable?: true
}
