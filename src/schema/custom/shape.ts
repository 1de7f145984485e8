// Turns a structural schema into the records of `table.ts`, so that the same code decodes, patches and applies custom kinds and built-in
// kinds.
import type { Field, ListShape, ObjectShape, Shape } from '../table.ts'
import type { Node } from './node.ts'

const ANY: Shape = Object.freeze({ kind: 'any' })
const NO_FIELDS: ReadonlyMap<string, Node> = new Map()

function shapeOf(node: Node, path: string, metadata: ObjectShape): Shape {
  if (node.intOrString) return { kind: 'intOrString' }
  const kept = keptBy(node)
  switch (node.type) {
    case 'object':
      if (node.properties === undefined && !node.resource) {
        if (node.additional === 'any') return { kind: 'map', value: ANY, mapType: node.mapType, isOpen: true }
        if (node.additional !== undefined) {
          return { kind: 'map', value: shapeOf(node.additional, `${path}.*`, metadata), mapType: node.mapType }
        }
        if (node.preserveUnknown && node.mapType === 'granular') return ANY
      }
      return objectShape(node, path, metadata)
    case 'array':
      return listShape(node, path, metadata)
    case 'integer':
      return { kind: 'int64', ...kept }
    case 'number':
      return { kind: 'number', ...kept }
    case 'boolean':
      return { kind: 'boolean', ...kept }
    case 'string':
      return { kind: 'string', ...kept }
    case '':
      if (node.properties !== undefined) return { kind: 'any', within: objectShape(node, path, metadata) }
      return node.items === undefined ? ANY : { kind: 'any', within: listShape(node, path, metadata) }
  }
}

function listShape(node: Node, path: string, metadata: ObjectShape): ListShape {
  return {
    kind: 'list',
    item: node.items === undefined ? ANY : shapeOf(itemsOf(node, node.items), `${path}[]`, metadata),
    listType: node.listType,
    keys: node.mapKeys,
    ...keptBy(node),
  }
}

function keptBy({ preserveUnknown }: Node): { readonly preserveUnknown?: true } {
  return preserveUnknown ? { preserveUnknown } : {}
}

/** If a list preserves unknown fields, its items preserve them too. */
function itemsOf(list: Node, items: Node): Node {
  return list.preserveUnknown ? { ...items, preserveUnknown: true } : items
}

/** The shape of the whole kind has the path ''. Its metadata has the shape of all metadata. */
export function objectShape(node: Node, path: string, metadata: ObjectShape): ObjectShape {
  const properties = node.properties ?? NO_FIELDS
  const fields: Field[] = []
  for (const [name, property] of properties) {
    if (node.resource && (name === 'metadata' || name === 'apiVersion' || name === 'kind')) continue
    fields.push(fieldOf(name, property, shapeOf(property, path === '' ? name : `${path}.${name}`, metadata)))
  }
  if (node.resource) fields.push(metadataField(metadata))
  return {
    kind: 'object',
    name: path,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    mapType: node.mapType,
    preserveUnknown: node.preserveUnknown || node.additional !== undefined,
    typeMeta: node.resource,
    wire: undefined,
  }
}

function fieldOf(name: string, node: Node, shape: Shape): Field {
  return {
    name,
    shape,
    required: false,
    // In a custom object, absence, null and the zero value are different.
    pointer: true,
    omit: 'empty',
    default: node.default,
  }
}

function metadataField(shape: ObjectShape): Field {
  return { name: 'metadata', shape, required: false, pointer: true, omit: 'empty' }
}
