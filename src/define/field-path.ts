// Follows JSON paths through a schema. Columns, scale and selectable fields name fields by such paths.
import type { StructuralSchema } from './structural.ts'

/** The schema of metadata and of fields with any content: every path below them is allowed. */
const ANYTHING: StructuralSchema = Object.freeze({})

/** One step of a path: a field by its name (with escaped dots, or in brackets), or the items of a list. */
const STEP = /\.((?:\\.|[^.[\\])+)|\['([^']*)'\]|\[[^\]]*\]/

/** The schema of the field at a path. Undefined: no such field. */
export function schemaAt(root: StructuralSchema, jsonPath: string): StructuralSchema | undefined {
  const step = new RegExp(STEP, 'y')
  let schema: StructuralSchema | undefined = root
  while (schema !== undefined && schema !== ANYTHING && step.lastIndex < jsonPath.length) {
    const match: RegExpExecArray | null = step.exec(jsonPath)
    if (match === null) return undefined
    const name = match[1]?.replaceAll('\\', '') ?? match[2]
    if (schema === root && name === 'metadata') schema = ANYTHING
    else schema = name === undefined ? schema.items : fieldOf(schema, name)
  }
  return schema
}

/** The schema of a field, or of the values of a map. Undefined: the object has no such field. */
export function fieldOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties = {}, additionalProperties } = schema
  if (Object.hasOwn(properties, name)) return properties[name]
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return ANYTHING
  return additionalProperties
}
