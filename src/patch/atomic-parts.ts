// The parts of a value that can only be replaced as a whole: lists, maps and structs that the schema calls atomic.
import { isList, isMap, type Value } from '../api/value.ts'
import type { Shape } from '../schema/table.ts'
import { fieldElement, type PathElement } from './field-set.ts'

export function atomicPartsOf(shape: Shape, value: Value): readonly (readonly PathElement[])[] {
  const found: (readonly PathElement[])[] = []
  visit(shape, value, { path: [], found })
  return found
}

interface Visit {
  readonly path: readonly PathElement[]
  readonly found: (readonly PathElement[])[]
}

/** Items are named by their index, even in lists with keys. The values of maps are not visited. */
function visit(shape: Shape, value: Value, { path, found }: Visit): void {
  if ((shape.kind === 'map' || shape.kind === 'object') && isMap(value)) {
    if (shape.mapType === 'atomic') found.push(path)
    if (shape.kind === 'map') return
    for (const [name, inner] of Object.entries(value)) {
      const field = shape.byName.get(name)
      if (field !== undefined) visit(field.shape, inner, { path: [...path, fieldElement(name)], found })
    }
  } else if (shape.kind === 'list' && isList(value)) {
    if (shape.listType === 'atomic') found.push(path)
    value.forEach((item, i) => visit(shape.item, item, { path: [...path, `i:${i}`], found }))
  }
}
