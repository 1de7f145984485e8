// The OpenAPI schemas of the built-in types, from the compiled table and the descriptions in `proto/api`.
import { type ApiLevel, byLevel } from '../api/level.ts'
import type { GroupVersion } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { givenMembers } from '../lib/given-members.ts'
import { compareStrings } from '../lib/text-order.ts'
import { BUILT_IN, builtInAt, builtInType } from './built-in-compiled.ts'
import descriptions from './gen/built-in-descriptions.json' with { type: 'json' }
import { knownVersions, versionsKnownToClients } from './known-versions.ts'
import { type OpenApiVersion, type TypeSchemas } from './openapi-model.ts'
import { LIST_META_TEXT, TYPE_META, USUAL_TEXTS } from './openapi-texts.ts'
import type { CompiledField, CompiledFile, CompiledType } from './table-compiled.ts'

interface Declared {
  readonly file: CompiledFile
  readonly type: CompiledType
}

const TEXTS: Readonly<Record<string, string>> = descriptions

interface TypeIndex {
  readonly byName: ReadonlyMap<string, Declared>
  /** The types that documents contain, by their names in documents. */
  readonly published: ReadonlyMap<string, Declared>
}

export class BuiltInTypeSchemas implements TypeSchemas {
  readonly #level: ApiLevel
  readonly #types: TypeIndex
  /** The group-versions that version 3 lists for kinds that belong to every group. */
  readonly #versions: readonly GroupVersion[]

  constructor(level: ApiLevel, versions = versionsKnownToClients(level)) {
    this.#level = level
    this.#versions = versions
    this.#types = indexAt(level)
  }

  /** The same types for the document of one group-version. */
  within(gv: GroupVersion): BuiltInTypeSchemas {
    return new BuiltInTypeSchemas(this.#level, gv.group === '' ? [gv] : [{ group: '', version: 'v1' }, gv])
  }

  schema(name: string, version: OpenApiVersion): ValueMap | undefined {
    const declared = this.#types.published.get(name)
    return declared === undefined
      ? undefined
      : new SchemaWriter(this.#types.byName, version, DOCUMENT_FORMS[this.#level]).type(
          declared,
          this.#kinds(declared, version),
        )
  }

  /** Every group-version of a kind. */
  #kinds({ file, type }: Declared, openApi: OpenApiVersion): readonly ValueMap[] {
    const kind = type.name
    switch (type.kind) {
      case 'own':
        return [{ group: file.group ?? '', kind, version: file.version ?? '' }]
      case 'core':
        return [{ group: '', kind, version: 'v1' }]
      case 'every':
        return (openApi === 2 ? knownVersions(this.#level) : this.#versions).map(({ group, version }) => ({
          group,
          kind,
          version,
        }))
      default:
        return []
    }
  }
}

const indexAt = byLevel(indexTypes)

function indexTypes(level: ApiLevel): TypeIndex {
  const declared = builtInAt(level).files.flatMap((file) => file.types.map((type) => ({ file, type })))
  const published = declared.filter(({ type }) => type.published !== false)
  return {
    byName: new Map(declared.map((one) => [`${one.file.stem}.${one.type.name}`, one])),
    published: new Map(published.map((one) => [`${one.file.openapi}.${one.type.name}`, one])),
  }
}

/** The name of a type in documents. Undefined: the type is not in the table, or is not published. */
export function documentName(stem: string, name: string): string | undefined {
  const type = builtInType(stem, name)
  const file = BUILT_IN.files.find((one) => one.stem === stem)
  return type === undefined || type.published === false ? undefined : `${file?.openapi}.${name}`
}

class SchemaWriter {
  readonly #types: ReadonlyMap<string, Declared>
  readonly #version: OpenApiVersion
  readonly #form: DocumentForm

  constructor(types: ReadonlyMap<string, Declared>, version: OpenApiVersion, form: DocumentForm) {
    this.#types = types
    this.#version = version
    this.#form = form
  }

  type({ file, type }: Declared, kinds: readonly ValueMap[]): ValueMap {
    const name = `${file.stem}.${type.name}`
    const description = TEXTS[name] ?? this.#partText(file, type)
    if (type.form !== undefined) return givenMembers({ description, ...this.#ownForm(type) })
    const fields = this.#fieldsOf(name, type)
    const members = fields.map(({ place, field }) => [field[0], this.#field(place, field)] as const)
    const properties =
      type.kind === undefined || type.typeMeta === false ? members : [...Object.entries(TYPE_META), ...members]
    const required = fields.filter(({ field }) => field[3]?.includes('r') === true).map(({ field }) => field[0])
    return givenMembers({
      description,
      type: 'object',
      required: required.length === 0 ? undefined : required,
      properties: properties.length === 0 ? undefined : sorted(properties),
      'x-kubernetes-group-version-kind': kinds.length === 0 ? undefined : kinds,
      'x-kubernetes-map-type': type.atomic === true ? 'atomic' : undefined,
      'x-kubernetes-unions': unionsOf(type),
    })
  }

  /** The description of parts of a kind, such as `PodSpec` and `PodStatus`. */
  #partText({ stem }: CompiledFile, { name }: CompiledType): string | undefined {
    const kind = name.replace(/(Spec|Status)$/, '')
    if (kind === name || !this.#types.has(`${stem}.${kind}`)) return undefined
    return name.endsWith('Spec') ? `The desired state of a ${kind}.` : `The observed state of a ${kind}.`
  }

  /** The fields of a type and of its inlined types, each with its place. */
  #fieldsOf(name: string, type: CompiledType): readonly { readonly place: string; readonly field: CompiledField }[] {
    return type.fields.flatMap((field) => {
      const inlined = field[3]?.includes('i') === true ? this.#types.get(field[2])?.type : undefined
      return inlined === undefined ? [{ place: `${name}.${field[0]}`, field }] : this.#fieldsOf(field[2], inlined)
    })
  }

  #field(place: string, [name, , type, marks = '', facts = {}]: CompiledField): ValueMap {
    const shape = this.#shape(type, { isPointer: marks.includes('p'), values: facts.values, zero: facts.default })
    const isBare = this.#version === 3 && Object.hasOwn(shape, '$ref') && this.#form.undescribed.test(place)
    return this.#describe(
      isBare ? undefined : fieldText(place, name, type),
      givenMembers({
        ...shape,
        'x-kubernetes-list-map-keys': facts.listKeys,
        'x-kubernetes-list-type': facts.listType,
        'x-kubernetes-map-type': facts.mapType,
        'x-kubernetes-patch-merge-key': facts.patchMergeKey,
        'x-kubernetes-patch-strategy': facts.patchStrategy?.join(','),
      }),
    )
  }

  /** In version 3 a reference has no other members. So a reference with a description is wrapped in `allOf`. */
  #describe(description: string | undefined, schema: ValueMap): ValueMap {
    const described = description === undefined || description === '' ? schema : { description, ...schema }
    const { $ref, ...beside } = described
    const isAlone = description === undefined && Object.keys(beside).length === 0
    if (this.#version === 2 || $ref === undefined || isAlone) return described
    return { ...beside, allOf: [{ $ref }] }
  }

  #shape(type: string, { isPointer, values, zero }: ValueFacts): ValueMap {
    if (type.startsWith('[]'))
      return { type: 'array', items: this.#describe(undefined, this.#item(type.slice(2), values)) }
    if (type.startsWith('{}')) {
      return { type: 'object', additionalProperties: this.#describe(undefined, this.#item(type.slice(2), values)) }
    }
    const scalar = SCALARS[type]
    if (scalar !== undefined) {
      return givenMembers({ ...scalar, ...(zero === undefined ? {} : this.#default(zero)), enum: values })
    }
    return this.#reference(type, zero ?? (isPointer ? undefined : {}))
  }

  #item(type: string, values: readonly string[] | undefined): ValueMap {
    const { itemDefaults } = this.#form
    return this.#shape(type, { isPointer: !itemDefaults, values, zero: itemDefaults ? ZEROS[type] : undefined })
  }

  #reference(name: string, value: Value | undefined): ValueMap {
    const declared = this.#types.get(name)
    if (declared === undefined) return {}
    const { file, type } = declared
    if (type.published === false && type.form !== undefined) return this.#ownForm(type)
    const $ref = `${this.#version === 2 ? '#/definitions/' : '#/components/schemas/'}${file.openapi}.${type.name}`
    return { $ref, ...(value === undefined || type.form !== undefined ? {} : this.#default(value)) }
  }

  /** Version 2 is served without defaults, because older clients apply them wrongly. */
  #default(value: Value): ValueMap {
    return this.#version === 2 ? {} : { default: value }
  }

  /** The schema of a type whose JSON form is not an object of its fields. */
  #ownForm({ form }: CompiledType): ValueMap {
    switch (form) {
      case 'time':
      case 'microTime':
        return { type: 'string', format: 'date-time' }
      case 'duration':
        return { type: 'string' }
      case 'quantity':
        return this.#version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }
      case 'intOrString':
        return this.#version === 2
          ? { type: 'string', format: 'int-or-string' }
          : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
      case 'rawExtension':
      case 'fieldsV1':
        return { type: 'object' }
      case 'list':
        return { type: 'array', items: this.#item('string', undefined) }
      default:
        return {}
    }
  }
}

/** The description of the field itself, else of `Type.field` in all groups, else of all fields of this name, else of the field's type. */
function fieldText(place: string, name: string, type: string): string {
  const [typeName = ''] = place.split('.').slice(-2)
  const own = TEXTS[place] ?? (type === 'meta_v1.ListMeta' ? LIST_META_TEXT : TEXTS[`${typeName}.${name}`])
  return own ?? USUAL_TEXTS[name] ?? TEXTS[name] ?? TEXTS[type.replace(/^(?:\[\]|\{\})+/, '')] ?? ''
}

/** The reference has no descriptions of these fields, so their `$ref` has no other members beside it. */
const UNDESCRIBED =
  /^(?:apiextensions\.k8s\.io_v1\.JSONSchemaProps\.(?!default$)|networking\.k8s\.io_v1\.IngressRuleValue\.)/

/** Differences between the documents of levels, besides the differences that `proto/api` declares. */
interface DocumentForm {
  /** In version 3, the items of lists and maps have the zero of their type as default. */
  readonly itemDefaults: boolean
  readonly undescribed: RegExp
}

const DOCUMENT_FORMS: Readonly<Record<ApiLevel, DocumentForm>> = {
  '1.36': { itemDefaults: true, undescribed: UNDESCRIBED },
  '1.37': { itemDefaults: false, undescribed: /^apiextensions\.k8s\.io_v1\.JSONSchemaProps\.(?!default$)/ },
}

interface ValueFacts {
  readonly isPointer: boolean
  readonly values: readonly string[] | undefined
  readonly zero: Value | undefined
}

const SCALARS: Readonly<Record<string, ValueMap>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bool: { type: 'boolean' },
  any: {},
}

const ZEROS: Readonly<Record<string, Value>> = { string: '', int32: 0, int64: 0, bool: false }

/** The members as a map, by their names. */
export function sorted<T extends Value>(members: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(members.toSorted(([a], [b]) => compareStrings(a, b)))
}

function unionsOf(type: CompiledType): readonly ValueMap[] | undefined {
  const members = type.fields.flatMap(([name, , , , facts]) =>
    facts?.member === undefined ? [] : [[name, facts.member] as const],
  )
  if (members.length === 0) return undefined
  const discriminator = type.fields.find(([, , , marks]) => marks?.includes('d') === true)?.[0]
  return [givenMembers({ discriminator, 'fields-to-discriminateBy': sorted(members) })]
}
