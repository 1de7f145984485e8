// The types of expressions. A declared type also says how the JSON under it is to be read and how large it can get;
// two types are the same without regard to that.

export type ScalarTypeKind = 'bool' | 'int' | 'uint' | 'double' | 'null' | 'timestamp' | 'duration'

export interface ScalarType {
  readonly kind: ScalarTypeKind
  readonly bounds?: Bounds
}

export interface TextType {
  readonly kind: 'string' | 'bytes'
  readonly bounds?: Bounds
}

/** Known at run time only; an int-or-string of a schema is this, with bounds. */
export interface DynType {
  readonly kind: 'dyn'
  readonly bounds?: Bounds
}

export interface ListType {
  readonly kind: 'list'
  readonly item: Type
  /** How two lists are compared and joined; `atomic` where absent. */
  readonly semantics?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
  readonly bounds?: Bounds
}

export interface MapType {
  readonly kind: 'map'
  readonly key: Type
  readonly value: Type
  /** A member that is selected by its name is as large as its type allows; otherwise nothing is known of it. */
  readonly hasSizedMembers?: boolean
  readonly bounds?: Bounds
}

export interface ObjectType {
  readonly kind: 'object'
  readonly name: string
  /** By the name that expressions use. */
  readonly fields: FieldTable
  readonly bounds?: Bounds
}

/** A map of fields is one; another may know fields that it cannot list. */
export interface FieldTable extends Iterable<readonly [string, ObjectField]> {
  get(name: string): ObjectField | undefined
}

export interface ObjectField {
  readonly type: Type
  /** The member in JSON, where escaping made the two differ. */
  readonly member: string
}

/** A type with no look inside: quantities, addresses, what the authorizer gives. */
export interface OpaqueType {
  readonly kind: 'opaque'
  readonly name: string
}

export interface OptionalType {
  readonly kind: 'optional'
  readonly of: Type
}

/** The type of a type. */
export interface TypeType {
  readonly kind: 'type'
  readonly of: Type
}

/** Stands for any type in the signature of a function. */
export interface ParameterType {
  readonly kind: 'parameter'
  readonly name: string
}

export type Type =
  | ScalarType
  | TextType
  | DynType
  | ListType
  | MapType
  | ObjectType
  | OpaqueType
  | OptionalType
  | TypeType
  | ParameterType
  | { readonly kind: 'error' }

export interface Bounds {
  /** The most characters, items or members that a request can bring. */
  readonly maxSize: number
  /** The fewest bytes of JSON that a value takes. */
  readonly minBytes: number
}

export const DYN: DynType = Object.freeze({ kind: 'dyn' })
export const BOOL: ScalarType = Object.freeze({ kind: 'bool' })
export const INT: ScalarType = Object.freeze({ kind: 'int' })
export const UINT: ScalarType = Object.freeze({ kind: 'uint' })
export const DOUBLE: ScalarType = Object.freeze({ kind: 'double' })
export const STRING: TextType = Object.freeze({ kind: 'string' })
export const BYTES: TextType = Object.freeze({ kind: 'bytes' })
export const NULL: ScalarType = Object.freeze({ kind: 'null' })
export const TIMESTAMP: ScalarType = Object.freeze({ kind: 'timestamp' })
export const DURATION: ScalarType = Object.freeze({ kind: 'duration' })
export const ERROR: Type = Object.freeze({ kind: 'error' })

export const listOf = (item: Type): ListType => ({ kind: 'list', item })
export const mapOf = (key: Type, value: Type): MapType => ({ kind: 'map', key, value })
export const optionalOf = (of: Type): OptionalType => ({ kind: 'optional', of })
export const typeOf = (of: Type): TypeType => ({ kind: 'type', of })
export const opaque = (name: string): OpaqueType => ({ kind: 'opaque', name })
export const parameter = (name: string): ParameterType => ({ kind: 'parameter', name })

/** As messages show a type. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeName(type.item)})`
    case 'map':
      return `map(${typeName(type.key)}, ${typeName(type.value)})`
    case 'object':
    case 'opaque':
    case 'parameter':
      return type.name
    case 'optional':
      return `optional_type(${typeName(type.of)})`
    case 'type':
      return `type(${typeName(type.of)})`
    case 'timestamp':
      return 'timestamp'
    case 'error':
      return '!error!'
    default:
      return type.kind
  }
}

/** Without what it is made of: how values of the type are called at run time. */
export function plainTypeName(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null_type'
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    case 'list':
    case 'map':
    case 'type':
      return type.kind
    case 'optional':
      return 'optional_type'
    default:
      return typeName(type)
  }
}
