// The fields that the parameters of a query name, checked against the schema of the kind.
import type { IndexedPlace } from '../../api/indexed-place.ts'
import { parsePaths, type PathText, queryFault } from '../../api/path-text.ts'
import type { ApiError } from '../../api/status.ts'
import { shapeAt } from '../../schema/field-shape.ts'
import type { ObjectShape, Shape } from '../../schema/table.ts'

interface CheckedField {
  readonly shape: Shape
  /** The path leads to a field of each item of a list. */
  readonly isMany: boolean
}

/** Throws `ApiError` `BadRequest` with the position of a field that the kind does not have. */
export function fieldAt(parameter: string, path: PathText, kind: ObjectShape): CheckedField {
  const found = shapeAt(kind, path.steps)
  if (found.kind === 'shape') return found
  throw fault(parameter, path, `undefined field '${found.step}'`)
}

/** Like `fieldAt`, for a field with one value. */
export function scalarAt(parameter: string, path: PathText, kind: ObjectShape): Shape {
  const { shape, isMany } = fieldAt(parameter, path, kind)
  if (isMany) throw fault(parameter, path, `${path.text} has many values`)
  return checkScalar(parameter, path, shape)
}

/** Throws `ApiError` `BadRequest` for a place that objects of the kind do not have. */
export function checkIndexedPlaces(parameter: string, places: readonly IndexedPlace[], kind: ObjectShape): void {
  for (const { name } of places) for (const path of parsePaths(parameter, name)) scalarAt(parameter, path, kind)
}

/** Like `scalarAt`, for a field that may have many values. A list of single values counts as many values. */
export function scalarsAt(parameter: string, path: PathText, kind: ObjectShape): Shape {
  const { shape } = fieldAt(parameter, path, kind)
  return checkScalar(parameter, path, shape.kind === 'list' ? shape.item : shape)
}

function checkScalar(parameter: string, path: PathText, shape: Shape): Shape {
  if (NOT_SINGLE.has(shape.kind)) throw fault(parameter, path, `${path.text} is not a single value`)
  return shape
}

const NOT_SINGLE: ReadonlySet<Shape['kind']> = new Set([
  'object',
  'map',
  'list',
  'rawExtension',
  'fieldsV1',
  'schemaOrArray',
  'schemaOrBool',
  'schemaOrStringArray',
])

export function refuseWord(parameter: string, { word, column, text }: PathText): void {
  if (word !== '') throw queryFault(parameter, column + text.length + 1, `unexpected ${JSON.stringify(word)}`)
}

function fault(parameter: string, path: PathText, problem: string): ApiError {
  return queryFault(parameter, path.column, problem)
}
