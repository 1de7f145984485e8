// Tells whether a value has the types of its shape. Each shape becomes a function at its first use: these functions take half of the time of a
// walk that reads the shape again for every value.
import { isList, isMap, type Value } from '../api/value.ts'
import type { Field, ObjectShape, ScalarShape, Shape, OpaqueShape } from './table.ts'
import { isAlwaysShown, shownFields, zeroOfField } from './zero-value.ts'

/** True: the value and all of its parts have the right types. False: a type may be wrong. */
type TypeCheck = (value: Value) => boolean

interface Rules {
  readonly scalar: (shape: ScalarShape, value: Value) => boolean
  readonly opaque: (shape: OpaqueShape, value: Value) => boolean
  /** Whether an object must have the field, which JSON always shows. */
  readonly isNeeded: (shape: ObjectShape, field: Field) => boolean
}

/** Returns a function that makes the check of each shape at its first use. */
export function typeChecks({ scalar, opaque, isNeeded }: Rules): (shape: ObjectShape) => TypeCheck {
  const known = new WeakMap<ObjectShape, TypeCheck>()
  const checkOf = (shape: Shape): TypeCheck => {
    switch (shape.kind) {
      case 'object':
        return checkOfObject(shape)
      case 'list':
        return checkOfList(checkOf(shape.item))
      case 'map':
        return checkOfMap(checkOf(shape.value))
      case 'string':
        return isText
      case 'any':
      case 'rawExtension':
      case 'fieldsV1':
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return (value) => value !== null && opaque(shape, value)
      default:
        return (value) => scalar(shape, value)
    }
  }
  const checkOfField = (field: Field): TypeCheck => {
    const isRight = checkOf(field.shape)
    const mayBeNull = isAlwaysShown(field) && zeroOfField(field) === null
    return mayBeNull ? (value) => value === null || isRight(value) : isRight
  }
  const checkOfObject = (shape: ObjectShape): TypeCheck => {
    let check = known.get(shape)
    if (check !== undefined) return check
    const needed = shownFields(shape).filter((field) => isNeeded(shape, field))
    const names = needed.map(({ name }) => name)
    // Some types contain themselves.
    let fields: ReadonlyMap<string, TypeCheck> | undefined
    check = (value) => {
      if (!isMap(value)) return false
      fields ??= new Map(shape.fields.map((field) => [field.name, checkOfField(field)]))
      for (const name in value) {
        const isRight = fields.get(name)
        if (isRight === undefined) continue
        const member = value[name]!
        if (isRight === isText ? typeof member !== 'string' : !isRight(member)) return false
      }
      for (let i = 0; i < names.length; i++) if (value[names[i]!] === undefined) return false
      return true
    }
    known.set(shape, check)
    return check
  }
  return checkOf
}

const isText: TypeCheck = (value) => typeof value === 'string'

function checkOfList(isRight: TypeCheck): TypeCheck {
  return (value) => {
    if (!isList(value)) return false
    for (let i = 0; i < value.length; i++) if (!isRight(value[i]!)) return false
    return true
  }
}

function checkOfMap(isRight: TypeCheck): TypeCheck {
  return (value) => {
    if (!isMap(value)) return false
    for (const key in value) if (!isRight(value[key]!)) return false
    return true
  }
}
