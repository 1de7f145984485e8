// The type of a kind as expressions see it, made of the compiled table where they look.
import { BOOL, DYN, INT, listOf, mapOf, type ObjectField, type ObjectType, STRING, type Type } from '../cel/cel.ts'
import type { KindSchema, ObjectShape, Shape } from './table.ts'

export function typeOfKind({ shape }: KindSchema): Type {
  return typeOfObject(shape)
}

/** Fields are looked up when they are asked for: some kinds contain themselves. */
function typeOfObject(shape: ObjectShape): ObjectType {
  const typeMeta = new Set(shape.typeMeta ? ['kind', 'apiVersion'] : [])
  const get = (name: string): ObjectField | undefined => {
    const found = shape.byName.get(name)?.shape
    if (found !== undefined) return { type: typeOfShape(found), member: name }
    if (typeMeta.has(name)) return { type: STRING, member: name }
    return shape.preserveUnknown ? { type: DYN, member: name } : undefined
  }
  const fields = {
    get,
    *[Symbol.iterator](): Generator<readonly [string, ObjectField]> {
      for (const { name, shape: inner } of shape.fields) yield [name, { type: typeOfShape(inner), member: name }]
    },
  }
  return { kind: 'object', name: shape.name, fields }
}

function typeOfShape(shape: Shape): Type {
  switch (shape.kind) {
    case 'object':
      return typeOfObject(shape)
    case 'list':
      return listOf(typeOfShape(shape.item))
    case 'map':
      return mapOf(STRING, typeOfShape(shape.value))
    case 'string':
    case 'duration':
    case 'quantity':
      return STRING
    case 'bytes':
      return { kind: 'bytes' }
    case 'int32':
    case 'int64':
      return INT
    case 'number':
      return { kind: 'double' }
    case 'boolean':
      return BOOL
    case 'time':
    case 'microTime':
      return { kind: 'timestamp' }
    default:
      return DYN
  }
}
