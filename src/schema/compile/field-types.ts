// Writes the TypeScript types of the built-in kinds for the server itself: objects in the canonical form that decoding gives them
// (`schema/decode.ts`). A field that JSON always shows is required. Every other field is optional and never null.
import { fieldsOfSomeLevels } from '../compiled-level.ts'
import { BuiltInTable } from '../table-built-in.ts'
import type { CompiledSchema } from '../table-compiled.ts'
import type { Field, ObjectShape, Shape } from '../table.ts'
import { isAlwaysShown, zeroOf, zeroOfField } from '../zero-value.ts'
import { namesOf, reachedFrom, typesById } from './type-names.ts'

type Names = ReadonlyMap<string, string>

const HEAD = `// Written by \`make generate\` from proto/api: the types of built-in kinds as the server holds them. Decoding returns objects of
// these types, and stored objects are checked when they are parsed (\`schema/stored-types.ts\`).
import type { MapOf, Value } from '../value.ts'
`

const EMBEDDED = `
/** An object inside another object, which may leave out its kind and version. */
type Embedded<T extends { kind: string; apiVersion: string }> = Omit<T, 'kind' | 'apiVersion'> & {
  readonly kind?: string
  readonly apiVersion?: string
}
`

export function formatFieldTypes(schema: CompiledSchema): string {
  const table = new BuiltInTable(schema)
  const byId = typesById(schema)
  const declared = [...byId].filter(([, { file, type }]) => !byId.has(`${file.like}.${type.name}`)).map(([id]) => id)
  const shapes = reachedFrom(declared, byId).flatMap((id) => table.shape(id) ?? [])
  const sometimes = fieldsOfSomeLevels(schema)
  const names = namesOf(
    shapes.map(({ name }) => name),
    byId,
  )
  const byName = shapes
    .map((shape) => ({ shape, name: names.get(shape.name)! }))
    .sort(({ name: a }, { name: b }) => (a < b ? -1 : 1))
  const types = byName.map(({ shape, name }) => `export type ${name} = {\n${membersOf(shape, names, sometimes)}}\n`)
  const ids = byName.map(({ shape, name }) => `  readonly '${shape.name}': ${name}\n`)
  return `${HEAD}${EMBEDDED}\n${types.join('\n')}\n/** By their names in the table. */\nexport type BuiltInTypes = {\n${ids.join('')}}\n`
}

function membersOf(shape: ObjectShape, names: Names, sometimes: ReadonlySet<string>): string {
  const typeMeta = shape.typeMeta ? '  readonly kind: string\n  readonly apiVersion: string\n' : ''
  return `${typeMeta}${shape.fields.map((field) => memberOf(field, shape, { names, sometimes })).join('')}`
}

interface Known {
  readonly names: Names
  readonly sometimes: ReadonlySet<string>
}

function memberOf(field: Field, holder: ObjectShape, { names, sometimes }: Known): string {
  const key = /^[a-zA-Z]\w*$/.test(field.name) ? field.name : `'${field.name}'`
  const isShown = isAlwaysShown(field)
  const text = textOf(field.shape, names, holder.name.endsWith('List'))
  const nullable = isShown && zeroOfField(field) === null && text !== 'Value' ? ' | null' : ''
  const isAlways = isShown && !sometimes.has(`${holder.name}.${field.name}`)
  return `  readonly ${key}${isAlways ? '' : '?'}: ${text}${nullable}
`
}

function textOf(shape: Shape, names: Names, isWhole = false): string {
  switch (shape.kind) {
    case 'object': {
      const name = names.get(shape.name)!
      return shape.typeMeta && !isWhole ? `Embedded<${name}>` : name
    }
    case 'list':
      return `readonly ${inList(orNull(shape.item, textOf(shape.item, names, isWhole)))}[]`
    case 'map':
      return `MapOf<${orNull(shape.value, textOf(shape.value, names))}>`
    case 'int64':
    case 'number':
      return 'number | bigint'
    case 'int32':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'intOrString':
      return 'number | string'
    case 'any':
    case 'rawExtension':
    case 'fieldsV1':
      return 'Value'
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray': {
      const schema = names.get(shape.schema!.name)!
      return `${schema} | ${{ schemaOrArray: `readonly ${schema}[]`, schemaOrBool: 'boolean', schemaOrStringArray: 'readonly string[]' }[shape.kind]}`
    }
    default:
      return 'string'
  }
}

/** Decoding turns a null item of a list, or entry of a map, into the zero of its type. Some zeros are null. */
function orNull(shape: Shape, text: string): string {
  return zeroOf(shape) === null && text !== 'Value' ? `${text} | null` : text
}

function inList(text: string): string {
  return text.includes(' ') ? `(${text})` : text
}
