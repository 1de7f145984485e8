// The path and Go type of a field with a value of the wrong type, as the reference's messages name them: inlined structs
// are part of the path, and named types appear by their name.
import type { Field, ObjectShape, Shape, WireField } from './table.ts'

/** `struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource`. */
export function goFieldPath(root: ObjectShape, fields: readonly string[], wanted: string): string {
  if (fields.length === 0) return `value of type ${wanted}`
  const words: string[] = []
  let record = root
  let field: Field | undefined
  for (const name of fields) {
    record = objectIn(field?.shape ?? root) ?? record
    words.push(...(structsAround(record.wire ?? [], name) ?? []).map(shortName))
    field = record.byName.get(name)
    // Kind and version are in a struct of their own. The reference does not name this struct if they belong to the root object.
    if (field === undefined && record.typeMeta && record !== root) words.push('TypeMeta')
    words.push(name)
  }
  return `struct field ${shortName(record.name)}.${words.join('.')} of type ${namedType(field, wanted)}`
}

function objectIn(shape: Shape): ObjectShape | undefined {
  switch (shape.kind) {
    case 'object':
      return shape
    case 'list':
      return objectIn(shape.item)
    case 'map':
      return objectIn(shape.value)
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return shape.schema
    default:
      return undefined
  }
}

/** The inlined structs around a field. Empty: the field belongs to the record itself. Undefined: there is no such field. */
function structsAround(wire: readonly WireField[], name: string): readonly string[] | undefined {
  for (const member of wire) {
    if (member.type !== 'inline') {
      if (member.field.name === name) return []
      continue
    }
    const inside = structsAround(member.fields, name)
    if (inside !== undefined) return [member.name, ...inside]
  }
  return undefined
}

/** The name of the wanted type, which is the type of the field, or of the values of its list or map. */
function namedType(field: Field | undefined, wanted: string): string {
  if (field?.goType === undefined) return wanted
  let whole = goType(field.shape)
  let name = field.goType
  while (whole !== wanted) {
    const prefix = /^(?:\[\]|map\[string\])/.exec(name)?.[0]
    if (prefix === undefined || !whole.startsWith(prefix)) return wanted
    whole = whole.slice(prefix.length)
    name = name.slice(prefix.length)
  }
  return name
}

/** `PodSpec` for `core_v1.PodSpec`. */
function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** The reference's name of a type: `v1.PodSpec`, `[]v1.Container`, `map[string]string`. */
export function goType(shape: Shape): string {
  switch (shape.kind) {
    case 'object': {
      const stem = shape.name.slice(0, shape.name.lastIndexOf('.'))
      return `${stem.slice(stem.lastIndexOf('_') + 1)}.${shortName(shape.name)}`
    }
    case 'list':
      return `[]${goType(shape.item)}`
    case 'map':
      return shape.value.kind === 'quantity' ? 'v1.ResourceList' : `map[string]${goType(shape.value)}`
    default:
      return GO_TYPES[shape.kind] ?? shape.kind
  }
}

const GO_TYPES: Readonly<Record<string, string>> = {
  any: 'v1.JSON',
  bytes: '[]uint8',
  boolean: 'bool',
  number: 'float64',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
}
