// The parts of a value that can only be replaced as a whole: lists, maps and structs that the schema calls atomic.
import { isList, isMap, type Value } from '../api/value.ts'
import type { Shape } from '../schema/table.ts'
import { fieldElement, type PathElement } from './field-set.ts'
import { elementAt, memberShape, structureOf } from './structure.ts'

export function atomicPartsOf(shape: Shape, value: Value): readonly (readonly PathElement[])[] {
  const found: (readonly PathElement[])[] = []
  visit(shape, value, { path: [], found })
  return found
}

interface Visit {
  readonly path: readonly PathElement[]
  readonly found: (readonly PathElement[])[]
}

function visit(shape: Shape, value: Value, { path, found }: Visit): void {
  const isAtomic =
    (shape.kind === 'list' && shape.listType === 'atomic' && isList(value)) ||
    ((shape.kind === 'map' || shape.kind === 'object') && shape.mapType === 'atomic' && isMap(value))
  if (isAtomic) {
    found.push(path)
    return
  }
  const structure = structureOf(shape, value)
  if (structure === 'members' && isMap(value)) {
    for (const [name, inner] of Object.entries(value)) {
      visit(memberShape(shape, name), inner, { path: [...path, fieldElement(name)], found })
    }
  } else if (structure === 'items' && shape.kind === 'list' && isList(value)) {
    value.forEach((item, i) => {
      visit(shape.item, item, { path: [...path, elementAt(shape, item, i)], found })
    })
  }
}
