// The types of expressions. A declared type also has the size limits of its values, and the rules for reading their JSON. Comparisons of
// types ignore these limits and rules.

/** The type of a `dyn` value is known only at run time. An int-or-string of a schema is `dyn` with bounds. */
interface SimpleType {
  readonly kind: 'bool' | 'int' | 'uint' | 'double' | 'null' | 'timestamp' | 'duration' | 'string' | 'bytes' | 'dyn'
  readonly bounds?: Bounds
}

export interface ListType {
  readonly kind: 'list'
  readonly item: Type
  /** The rule for comparing two lists. Absent: `atomic`. */
  readonly semantics?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
  readonly bounds?: Bounds
}

export interface MapType {
  readonly kind: 'map'
  readonly key: Type
  readonly value: Type
  /** True: a member that is selected by its name is as large as its type allows. Otherwise the size of such a member is unknown. */
  readonly hasSizedMembers?: boolean
  readonly bounds?: Bounds
}

export interface ObjectType {
  readonly kind: 'object'
  readonly name: string
  /** The fields, by the names that expressions use. */
  readonly fields: FieldTable
  readonly bounds?: Bounds
}

/** The fields of an object type. `get` may find fields that the iteration does not list. */
export interface FieldTable extends Iterable<readonly [string, ObjectField]> {
  get(name: string): ObjectField | undefined
}

export interface ObjectField {
  readonly type: Type
  /** The name of the member in JSON, without the escapes that expressions use. */
  readonly member: string
}

/**
 * Expressions cannot look inside of an opaque type: quantities, addresses, the authorizer's checks. A parameter stands for any type in the
 * signature of a function.
 */
interface NamedType {
  readonly kind: 'opaque' | 'parameter'
  readonly name: string
}

/** The type of an optional value, or the type of a type. */
interface WrappingType {
  readonly kind: 'optional' | 'type'
  readonly of: Type
}

export type Type = SimpleType | ListType | MapType | ObjectType | NamedType | WrappingType | { readonly kind: 'error' }

export interface Bounds {
  /** The largest number of characters, items or members that fits into a request. */
  readonly maxSize: number
  /** The fewest bytes of JSON that a value takes. */
  readonly minBytes: number
}

export const DYN: SimpleType = Object.freeze({ kind: 'dyn' })
export const BOOL: SimpleType = Object.freeze({ kind: 'bool' })
export const INT: SimpleType = Object.freeze({ kind: 'int' })
export const UINT: SimpleType = Object.freeze({ kind: 'uint' })
export const DOUBLE: SimpleType = Object.freeze({ kind: 'double' })
export const STRING: SimpleType = Object.freeze({ kind: 'string' })
export const BYTES: SimpleType = Object.freeze({ kind: 'bytes' })
export const NULL: SimpleType = Object.freeze({ kind: 'null' })
export const TIMESTAMP: SimpleType = Object.freeze({ kind: 'timestamp' })
export const DURATION: SimpleType = Object.freeze({ kind: 'duration' })
export const ERROR: Type = Object.freeze({ kind: 'error' })

export const listOf = (item: Type): ListType => ({ kind: 'list', item })
export const mapOf = (key: Type, value: Type): MapType => ({ kind: 'map', key, value })
export const optionalOf = (of: Type): WrappingType => ({ kind: 'optional', of })
export const typeOf = (of: Type): WrappingType => ({ kind: 'type', of })
export const opaque = (name: string): NamedType => ({ kind: 'opaque', name })
export const parameter = (name: string): NamedType => ({ kind: 'parameter', name })

/** The parameters of a type. */
export function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case 'list':
      return [type.item]
    case 'map':
      return [type.key, type.value]
    case 'optional':
    case 'type':
      return [type.of]
    default:
      return []
  }
}

/** The type with each parameter changed. */
export function withParts(type: Type, change: (part: Type) => Type): Type {
  switch (type.kind) {
    case 'list':
      return { ...type, item: change(type.item) }
    case 'map':
      return { ...type, key: change(type.key), value: change(type.value) }
    case 'optional':
    case 'type':
      return { ...type, of: change(type.of) }
    default:
      return type
  }
}

/** The name of a type in messages. */
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
    case 'error':
      return '!error!'
    default:
      return type.kind
  }
}

/** The name of a type without its parameters, as `type(x)` gives it at run time. */
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
