// Compiles the files of `proto/api` to the compact table. This file imports protobufjs and runs only at build time: no code that serves
// requests imports it. An unknown construct is an error.
import protobufjs from 'protobufjs'
import { API_LEVELS, type LevelSpan } from '../../api/level.ts'
import type { Value } from '../../api/value.ts'
import { givenMembers } from '../../lib/given-members.ts'
import {
  type CompiledChange,
  type CompiledField,
  type CompiledFieldFacts,
  type CompiledResource,
  type CompiledRule,
  type CompiledSchema,
  type CompiledSubresource,
  type CompiledType,
  TYPE_FORMS,
} from '../table-compiled.ts'
import { checkCompiled } from './check-compiled.ts'
import { compileRule } from './compile-rules.ts'
import { type DraftFile, type LikeKind, withLikeTypes } from './like-versions.ts'
import { optionsOf, type Options } from './proto-options.ts'

export interface ProtoFile {
  /** The file's name without `.proto`: the stem of its types. */
  readonly stem: string
  readonly text: string
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'int32', 'int64', 'bool', 'double'])

/** The compiled form of all files except `options`. The error for an unknown construct names its place. */
export function compileProtos(files: readonly ProtoFile[]): CompiledSchema {
  const parsed = files
    .filter(({ stem }) => stem !== 'options')
    .map((file) => parseFile(file))
    .sort((a, b) => (a.stem < b.stem ? -1 : 1))
  const stems = new Map(parsed.map(({ packageName, stem }) => [packageName, stem]))
  const schema = { files: withLikeTypes(parsed.map((file) => compileFile(file, stems))) }
  checkCompiled(schema)
  return schema
}

/** The comments of messages and fields, by `stem.Type` or `stem.Type.field`. The lines of `usual` are added, by `field` or `Type.field`. */
export function compileDescriptions(files: readonly ProtoFile[], usual = ''): Readonly<Record<string, string>> {
  const lines = usual.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const texts = files
    .filter(({ stem }) => stem !== 'options')
    .toSorted((a, b) => (a.stem < b.stem ? -1 : 1))
    .flatMap((file) => {
      const { stem, space } = parseFile(file)
      return space.nestedArray
        .filter((type) => type instanceof protobufjs.Type)
        .flatMap((type) => [
          [`${stem}.${type.name}`, type.comment] as const,
          ...type.fieldsArray.map((field) => [`${stem}.${type.name}.${jsonName(field)}`, field.comment] as const),
        ])
    })
  return Object.fromEntries([
    ...texts.flatMap(([name, text]) => (text === null || text === '' ? [] : [[name, text] as const])),
    ...lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)] as const),
  ])
}

function jsonName(field: protobufjs.Field): string {
  return optionsOf(field, field.name).text('json_name') ?? field.name
}

/** One line for each type, so that a change of one type changes one line. */
export function formatCompiled(schema: CompiledSchema): string {
  const files = schema.files.map((file) => {
    const { types, ...head } = file
    const lines = types.map((type) => JSON.stringify({ ...type, rules: undefined })).join(',\n')
    return `${JSON.stringify(head).slice(0, -1)},"types":[\n${lines}\n]}`
  })
  return `{"files":[\n${files.join(',\n')}\n]}\n`
}

interface ParsedFile {
  readonly stem: string
  readonly packageName: string
  readonly space: protobufjs.NamespaceBase
}

function parseFile({ stem, text }: ProtoFile): ParsedFile {
  const { package: packageName, root } = protobufjs.parse(text, new protobufjs.Root(), {
    keepCase: true,
    alternateCommentMode: true,
  })
  const space = packageName === undefined ? null : root.lookup(packageName)
  if (packageName === undefined || !(space instanceof protobufjs.Namespace)) throw new Error(`${stem}: has no package`)
  return { stem, packageName, space }
}

function compileFile({ stem, space }: ParsedFile, stems: ReadonlyMap<string, string>): DraftFile {
  const options = optionsOf(space, stem)
  const [group, version] = [options.number('group_priority'), options.number('version_priority')]
  const likeKinds = options.records('like_kind').map(compileLikeKind)
  const file = givenMembers({
    stem,
    group: options.text('api_group'),
    version: options.text('api_version'),
    openapi: options.text('openapi_prefix') ?? '',
    served: options.isTrue('served'),
    offByDefault: options.isTrue('off_by_default'),
    like: options.text('like'),
    ...spanOf(options, 'file_'),
    priority: group === undefined || version === undefined ? undefined : ([group, version] as const),
    types: space.nestedArray.map((type) => {
      if (!(type instanceof protobufjs.Type)) throw new Error(`${stem}.${type.name}: is not a message`)
      return compileType(type, `${stem}.${type.name}`, (name) => typeName(name, stem, stems))
    }),
  })
  options.done()
  return { file, likeKinds }
}

function compileLikeKind(options: Options): LikeKind {
  const kind = givenMembers({ name: options.required('name'), ...compileServing(options) })
  options.done()
  return kind
}

/** The options for the storage version of a resource, for its deprecation and for its feature gates. */
function compileServing(options: Options): Omit<LikeKind, 'name'> {
  return givenMembers({
    storageVersion: options.text('storage_version'),
    storageVersionUntil: options.oneOf('storage_version_until', API_LEVELS),
    deprecated: options.text('deprecated'),
    removed: options.text('removed'),
    replacement: options.text('replacement'),
    gate: options.text('gate'),
  })
}

/** The name of a type in the table, from its name in a file. */
function typeName(name: string, stem: string, stems: ReadonlyMap<string, string>): string {
  if (SCALARS.has(name)) return name
  if (name === 'google.protobuf.Value') return 'any'
  const dot = name.lastIndexOf('.')
  const other = dot < 0 ? stem : stems.get(name.slice(0, dot))
  if (other === undefined) throw new Error(`${stem}: refers to ${name}, but no file declares its package`)
  return `${other}.${name.slice(dot + 1)}`
}

function compileType(type: protobufjs.Type, place: string, nameOf: (name: string) => string): CompiledType {
  const options = optionsOf(type, place)
  const fields = type.fieldsArray.map((field) => compileField(field, `${place}.${field.name}`, nameOf))
  const rules = fields.flatMap(([, rule]) => (rule === undefined ? [] : [rule]))
  const compiled = givenMembers({
    name: type.name,
    kind: options.oneOf('kind', ['own', 'core', 'every']),
    typeMeta: options.isFalse('type_meta'),
    form: options.oneOf('form', TYPE_FORMS),
    atomic: options.isTrue('atomic'),
    published: options.isFalse('published'),
    jsonOnly: options.isTrue('json_only'),
    ...spanOf(options, 'type_'),
    resource: compileResource(options),
    fields: fields.map(([field]) => field),
    rules: rules.length === 0 ? undefined : rules,
  })
  options.done()
  return compiled
}

function compileResource(options: Options): CompiledResource | undefined {
  const [resource, ...more] = options.records('resource')
  const subresources = options.records('subresource').map(compileSubresource)
  if (resource === undefined) return undefined
  if (more.length > 0) throw new Error(`${resource.place}: has two resources`)
  const compiled = givenMembers({
    plural: resource.required('plural'),
    namespaced: resource.flag('namespaced') ?? false,
    shortNames: resource.texts('short_name'),
    categories: resource.texts('category'),
    verbs: resource.text('verbs')?.split(','),
    stored: resource.isFalse('stored'),
    ...compileServing(resource),
    subresources: subresources.length === 0 ? undefined : subresources,
  })
  resource.done()
  return compiled
}

function compileSubresource(options: Options): CompiledSubresource {
  const compiled = givenMembers({
    name: options.required('name'),
    kind: options.text('kind'),
    group: options.text('group'),
    version: options.text('version'),
    verbs: options.text('verbs')?.split(','),
    since: options.oneOf('since', API_LEVELS),
  })
  options.done()
  return compiled
}

type CompiledWithRule = readonly [CompiledField, CompiledRule | undefined]

function compileField(field: protobufjs.Field, place: string, nameOf: (name: string) => string): CompiledWithRule {
  const options = optionsOf(field, place)
  const isMap = field instanceof protobufjs.MapField
  if (isMap && field.keyType !== 'string') throw new Error(`${place}: is a map whose keys are not strings`)
  if (field.repeated && SCALARS.has(field.type) && !['string', 'bytes'].includes(field.type)) {
    if (options.flag('packed') !== false) throw new Error(`${place}: must be declared with packed = false`)
  }
  const type = nameOf(field.type)
  const pointer = options.flag('proto3_optional') === true
  const required = options.flag('required') === true
  const omit = options.oneOf('omit', ['never', 'empty', 'zero', 'absent']) ?? (required ? 'never' : 'empty')
  const inline = options.flag('inline') === true
  const marks = [
    required ? 'r' : '',
    pointer ? 'p' : '',
    omit === 'never' && !inline ? 'n' : '',
    omit === 'zero' ? 'z' : '',
    omit === 'absent' ? 'a' : '',
    inline ? 'i' : '',
    options.flag('discriminator') === true ? 'd' : '',
  ].join('')
  const single = !field.repeated && !isMap
  const facts = compileFacts(options, {
    type,
    zeroByDefault: single && required && !pointer && omit === 'never',
  })
  const name = options.text('json_name') ?? field.name
  const full = `${field.repeated ? '[]' : isMap ? '{}' : ''}${type}`
  const rule = compileRule(options, { name, type: full, pointer, values: facts.values })
  options.done()
  if (Object.keys(facts).length > 0) return [[name, field.id, full, marks, facts], rule]
  return [marks === '' ? [name, field.id, full] : [name, field.id, full, marks], rule]
}

const ZEROS: Readonly<Record<string, string | number | boolean>> = {
  string: '',
  int32: 0,
  int64: 0,
  double: 0,
  bool: false,
}

function compileFacts(
  options: Options,
  { type, zeroByDefault }: { readonly type: string; readonly zeroByDefault: boolean },
): CompiledFieldFacts {
  const text = options.text('default_value')
  const zero = ZEROS[type]
  const fallback = text === undefined ? (zeroByDefault ? zero : undefined) : parseDefault(text, zero)
  return givenMembers({
    default: fallback,
    ...compileListFacts(options),
    mapType: options.oneOf('map_type', ['atomic', 'granular']),
    member: options.text('member'),
    gate: options.text('gate'),
    goType: options.text('go_type'),
    ...spanOf(options, ''),
    changed: compileChange(options),
  })
}

function compileListFacts(options: Options): Pick<CompiledFieldFacts, keyof CompiledChange & keyof CompiledFieldFacts> {
  return givenMembers({
    values: options.text('values')?.split('|'),
    listType: options.oneOf('list_type', ['atomic', 'set', 'map']),
    listKeys: options.texts('list_key'),
    patchStrategy: options.list('patch_strategy', ['merge', 'replace', 'retainKeys']),
    patchMergeKey: options.text('patch_merge_key'),
  })
}

function compileChange(options: Options): CompiledChange | undefined {
  const [change, ...more] = options.records('changed')
  if (change === undefined) return undefined
  const since = change.oneOf('since', API_LEVELS)
  if (since === undefined || more.length > 0)
    throw new Error(`${change.place}: must occur once, with a level in 'since'`)
  const compiled = givenMembers({ since, required: change.flag('required'), ...compileListFacts(change) })
  change.done()
  return compiled
}

function spanOf(options: Options, prefix: 'file_' | 'type_' | ''): LevelSpan {
  return givenMembers({
    since: options.oneOf(`${prefix}since`, API_LEVELS),
    until: options.oneOf(`${prefix}until`, API_LEVELS),
  })
}

function parseDefault(text: string, zero: string | number | boolean | undefined): Value {
  switch (typeof zero) {
    case 'string':
      return text
    case 'number':
      return Number(text)
    case 'boolean':
      return text === 'true'
    default:
      return JSON.parse(text) as Value
  }
}
