// The JSON paths by which columns, scale and selectable fields name fields, followed through the schema.
import type { StructuralSchema } from './structural.ts'

/** Metadata, and everything below a field of any content: it may be there. */
const ANYTHING: StructuralSchema = Object.freeze({})

/** A field by its name, with dots escaped or in brackets; or the items of a list. */
const STEP = /\.((?:\\.|[^.[\\])+)|\['([^']*)'\]|\[[^\]]*\]/

/** The schema of the field at a path. Undefined: none. */
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
