// Finds the shape of the field at a path. A name after a list is the name of a field of each item.
import type { ListShape, ObjectShape, Shape } from './table.ts'

export type FoundShape =
  | { readonly kind: 'shape'; readonly shape: Shape; readonly isMany: boolean }
  /** The kind has no such field. `step` is the first unknown step. */
  | { readonly kind: 'unknown'; readonly step: string | number }

const ANY: Shape = { kind: 'any' }
const TEXT: Shape = { kind: 'string' }

export function shapeAt(root: ObjectShape, steps: readonly (string | number)[]): FoundShape {
  let shape: Shape = root
  let isMany = false
  for (const step of steps) {
    const isName = typeof step === 'string'
    if (isName && shape.kind === 'list') isMany = true
    if (isName) shape = itemOf(shape)
    const next: Shape | undefined = innerShape(shape, step)
    if (next === undefined) return { kind: 'unknown', step }
    shape = next
  }
  return { kind: 'shape', shape, isMany }
}

/** The shape of the innermost items of nested lists. Any other shape is returned itself. */
function itemOf(shape: Shape): Shape {
  return shape.kind === 'list' ? itemOf(shape.item) : shape
}

function innerShape(shape: Shape, step: string | number): Shape | undefined {
  switch (shape.kind) {
    case 'object': {
      const found = shape.byName.get(String(step))?.shape
      if (found !== undefined) return found
      if (shape.typeMeta && (step === 'kind' || step === 'apiVersion')) return TEXT
      return shape.preserveUnknown ? ANY : undefined
    }
    case 'map':
      return shape.isOpen === true ? ANY : shape.value
    case 'list':
      return shape.item
    case 'any':
      return (shape.within === undefined ? undefined : innerShape(within(shape.within, step), step)) ?? ANY
    case 'rawExtension':
    case 'fieldsV1':
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return ANY
    default:
      return shape.preserveUnknown === true ? ANY : undefined
  }
}

function within(shape: ObjectShape | ListShape, step: string | number): Shape {
  return shape.kind === 'list' && typeof step === 'string' ? shape.item : shape
}
