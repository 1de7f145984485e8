// The compiled table: the fields of every kind as plain records. Built-in kinds come from `proto/`, which is compiled at build time. Custom
// kinds come from their definitions, which are compiled at run time. Decoding, the check for unknown fields, patches, apply and protobuf
// read these records.
import type { ApiLevel } from '../api/level.ts'
import type { GroupVersionKind } from '../api/object.ts'
import type { Value } from '../api/value.ts'

export type ScalarKind =
  | 'string'
  /** Base64 text in JSON, raw bytes in protobuf and CBOR. */
  | 'bytes'
  | 'int32'
  | 'int64'
  | 'number'
  | 'boolean'
  /** RFC 3339, whole seconds, UTC; `null` when zero. */
  | 'time'
  /** RFC 3339 with six digits. */
  | 'microTime'
  /** Go's duration text (`1h0m0s`). */
  | 'duration'
  | 'quantity'
  | 'intOrString'

/** Values without a schema of their content. */
export type OpaqueKind =
  /** Any JSON: values with unknown fields in custom schemas, and `JSON` of apiextensions. */
  | 'any'
  /** An embedded object with a kind of its own. It is kept unchanged. */
  | 'rawExtension'
  /** The set of field paths in managedFields. JSON has an object, and protobuf has the JSON text of this object. */
  | 'fieldsV1'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStringArray'

export interface ScalarShape {
  readonly kind: ScalarKind
  /** The closed set of values, in the order in which messages list them. */
  readonly enum?: readonly string[]
  /** Unknown members are kept, if the value is a map or a list instead of a scalar. */
  readonly preserveUnknown?: true
}

export interface OpaqueShape {
  readonly kind: OpaqueKind
  /** The schema in `schemaOrArray`, `schemaOrBool` and `schemaOrStringArray`. */
  readonly schema?: ObjectShape
  /** The known members or items of a value of any type. Unknown fields within them are pruned. */
  readonly within?: ObjectShape | ListShape
}

export interface ListShape {
  readonly kind: 'list'
  readonly item: Shape
  readonly listType: 'atomic' | 'set' | 'map'
  /** The fields that identify an item of a `map` list. */
  readonly keys: readonly string[]
  readonly preserveUnknown?: true
}

export interface MapShape {
  readonly kind: 'map'
  readonly value: Shape
  readonly mapType: 'granular' | 'atomic'
  /** The values have no schema. */
  readonly isOpen?: true
}

export interface ObjectShape {
  readonly kind: 'object'
  /** `core_v1.PodSpec`. For custom kinds, the path of the node. */
  readonly name: string
  /** In the order of JSON output. Inlined structs are flattened into their parent here. */
  readonly fields: readonly Field[]
  readonly byName: ReadonlyMap<string, Field>
  /** The fields that JSON always shows. If this is absent, `shownFields` finds them. */
  readonly shown?: readonly Field[]
  readonly mapType: 'granular' | 'atomic'
  /** Unknown members are kept, not dropped (custom kinds). */
  readonly preserveUnknown: boolean
  /** The object has the members `kind` and `apiVersion`, which have no wire number. */
  readonly typeMeta: boolean
  /** The fields of the message, in ascending order of their numbers. Undefined: the type has no protobuf form. */
  readonly wire: readonly WireField[] | undefined
}

export type Shape = ScalarShape | OpaqueShape | ListShape | MapShape | ObjectShape

export interface Field {
  /** The JSON name. */
  readonly name: string
  readonly shape: Shape
  readonly required: boolean
  /** Absence is distinct from the zero value. */
  readonly pointer: boolean
  /**
   * The values for which JSON leaves the field out. `empty`: empty values (Go's omitempty). `zero`: also objects that are all zero
   * (omitzero). `absent`: only an absent value, because an empty value is invalid.
   */
  readonly omit: 'never' | 'empty' | 'zero' | 'absent'
  /** The default that the schema declares. The records of kinds have other defaults (`schema/defaults/rule.ts`). */
  readonly default?: Value | undefined
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[] | undefined
  readonly patchMergeKey?: string | undefined
  /** The reference's name of the type, if it is a named type. */
  readonly goType?: string | undefined
}

/** One field of a message: either a JSON field, or an inlined struct that JSON flattens. */
export type WireField = WireMember | WireInline

export interface WireMember {
  readonly number: number
  readonly type: WireType
  readonly field: Field
  /** The index of the field in the `fields` of the message's object. */
  readonly index: number
}

export interface WireInline {
  readonly number: number
  readonly type: 'inline'
  /** The name of the struct: `core_v1.VolumeSource`. */
  readonly name: string
  readonly fields: readonly WireField[]
  /** The index of the struct's first field in the `fields` of the outer object. */
  readonly offset: number
}

export type WireType =
  | 'string'
  | 'bytes'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'double'
  | 'message'
  /** A message with one field, a list of strings. JSON has a plain list. */
  | 'stringList'
  | 'map'

/** A kind that can stand alone: it has an apiVersion and a kind. */
export interface KindSchema extends GroupVersionKind {
  readonly shape: ObjectShape
  /** True for `<Kind>List` kinds: `metadata` is a ListMeta, and `items` has the objects. */
  readonly isList: boolean
  /** False if the kind exists only in JSON (custom resources, audit events, …). */
  readonly hasProtobuf: boolean
  /** A kind of a custom resource definition: its JSON has the members of all maps sorted. */
  readonly custom?: boolean
}

/** All known kinds. A table is immutable: if definitions change, a new table is made. */
export interface SchemaTable {
  /** The level of the API that the table describes. */
  readonly level: ApiLevel
  kind(gvk: GroupVersionKind): KindSchema | undefined
  /** A shape by its name in the table, such as `meta_v1.ObjectMeta`. */
  shape(name: string): ObjectShape | undefined
  kinds(): Iterable<KindSchema>
}
