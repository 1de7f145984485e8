// Writes the TypeScript types of the built-in kinds for users of the client: an interface for each type that occurs in objects of served
// kinds, and a constant for each kind, which has the name of the interface.
import { formatGroupVersion } from '../../api/object.ts'
import type { CompiledField, CompiledFile, CompiledSchema, CompiledType } from '../table-compiled.ts'
import { itemOf, type NamedType, namesOf, reachedFrom, typesById } from './type-names.ts'

type Descriptions = Readonly<Record<string, string>>

/** Kinds that clients send or get besides the resources and their subresources. */
const FURTHER_KINDS: readonly string[] = [
  'meta_v1.Status',
  'meta_v1.DeleteOptions',
  'admission.k8s.io_v1.AdmissionReview',
]

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bool: 'boolean',
  any: 'unknown',
}

/** Types whose JSON is not an object of their fields. */
const FORMS: Readonly<Record<NonNullable<CompiledType['form']>, string>> = {
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  rawExtension: 'unknown',
  fieldsV1: 'Readonly<Record<string, unknown>>',
  json: 'unknown',
  schemaOrArray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  schemaOrBool: 'JSONSchemaProps | boolean',
  schemaOrStringArray: 'JSONSchemaProps | readonly string[]',
  list: 'readonly string[]',
}

const HEAD = `// Written by \`make generate\` from proto/api: the built-in kinds and the types of their fields. Where two groups have a type of
// one name, the kind has it, or the group that discovery lists first; the other begins with its group and version.
import type { Kind } from '../kind.ts'
`

export function formatClientTypes(schema: CompiledSchema, descriptions: Descriptions): string {
  const byName = typesById(schema)
  const reached = reachedFrom(firstTypes(schema), byName)
  const names = namesOf(reached, byName)
  const written = reached
    .map((id) => ({ name: names.get(id)!, text: formatType(id, byName, names, descriptions) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return `${HEAD}\n${written.map(({ text }) => text).join('\n')}`
}

function firstTypes({ files }: CompiledSchema): string[] {
  const enabled = files.filter(({ offByDefault }) => offByDefault !== true)
  const resources = enabled.flatMap((file) =>
    file.types.flatMap(({ name, resource }) => (resource === undefined ? [] : [{ file, name, resource }])),
  )
  return [
    ...resources.map(({ file, name }) => `${file.stem}.${name}`),
    ...resources.flatMap(({ file, resource }) =>
      (resource.subresources ?? []).flatMap(({ kind, group = file.group, version = file.version }) => {
        const stem = files.find((other) => other.group === group && other.version === version)?.stem
        return kind === undefined || stem === undefined ? [] : [`${stem}.${kind}`]
      }),
    ),
    ...FURTHER_KINDS,
  ]
}

function formatType(
  id: string,
  byName: ReadonlyMap<string, NamedType>,
  names: ReadonlyMap<string, string>,
  descriptions: Descriptions,
): string {
  const { file, type } = byName.get(id)!
  const name = names.get(id)!
  const comment = commentOf(descriptions[id], '')
  if (type.form !== undefined) return `${comment}export type ${name} = ${FORMS[type.form]}\n`
  const members = [
    ...(type.kind === undefined || type.typeMeta === false ? [] : typeMetaOf(file, type)),
    ...membersOf(id, byName).map((field) => {
      const [fieldName, , fieldType, marks = ''] = field
      const isRequired = marks.includes('r') || (type.kind !== undefined && fieldType === 'meta_v1.ObjectMeta')
      const key = /^[a-zA-Z]\w*$/.test(fieldName) ? fieldName : `'${fieldName}'`
      const description = commentOf(descriptions[`${id}.${fieldName}`], '  ')
      return `${description}  readonly ${key}${isRequired ? '' : '?'}: ${formatFieldType(field, names)}\n`
    }),
  ]
  return `${comment}export interface ${name} {\n${members.join('')}}\n${formatKind(file, type, name)}`
}

function typeMetaOf({ group = '', version = '' }: CompiledFile, { name, kind }: CompiledType): readonly string[] {
  const apiVersion =
    kind === 'own' ? `'${formatGroupVersion({ group, version })}'` : kind === 'core' ? "'v1'" : 'string'
  return [`  readonly apiVersion?: ${apiVersion}\n`, `  readonly kind?: '${name}'\n`]
}

/** The fields as in JSON: the fields of an inlined type are among the others. */
function membersOf(id: string, byName: ReadonlyMap<string, NamedType>): readonly CompiledField[] {
  return byName
    .get(id)!
    .type.fields.flatMap((field) => (field[3]?.includes('i') === true ? membersOf(field[2], byName) : [field]))
}

function formatFieldType([, , full, , facts]: CompiledField, names: ReadonlyMap<string, string>): string {
  const item = itemOf(full)
  const values = facts?.values?.map((value) => `'${value}'`).join(' | ')
  const text = values ?? SCALARS[item] ?? names.get(item)!
  if (full.startsWith('[]')) return `readonly ${values === undefined ? text : `(${text})`}[]`
  return full.startsWith('{}') ? `Readonly<Record<string, ${text}>>` : text
}

function formatKind(file: CompiledFile, { name: kind, resource }: CompiledType, name: string): string {
  if (resource === undefined) return ''
  const { group = '', version } = file
  const { plural, namespaced } = resource
  const members = Object.entries({ group, version, kind, plural, namespaced }).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? `'${value}'` : value}`,
  )
  return `export const ${name}: Kind<${name}> = { ${members.join(', ')} }\n`
}

function commentOf(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('\n', ' ')} */\n`
}
