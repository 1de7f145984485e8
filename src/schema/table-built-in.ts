// The built-in kinds as records of the table. They are made from the compiled form on demand, and shared.
import { type ApiLevel, NEWEST_LEVEL } from '../api/level.ts'
import { formatGroupVersion, type GroupVersionKind } from '../api/object.ts'
import { InvariantError } from '../lib/errors.ts'
import type {
  CompiledField,
  CompiledFieldFacts,
  CompiledFile,
  CompiledSchema,
  CompiledType,
  TypeForm,
} from './table-compiled.ts'
import type {
  Field,
  KindSchema,
  ObjectShape,
  ScalarKind,
  ScalarShape,
  SchemaTable,
  Shape,
  WireField,
  WireType,
} from './table.ts'
import { isAlwaysShown } from './zero-value.ts'

interface Declared {
  readonly file: CompiledFile
  readonly type: CompiledType
}

/** An object shape whose fields are still being added. A type can refer to itself, so its shape is known before its fields. */
interface OpenObject extends ObjectShape {
  readonly fields: Field[]
  readonly byName: Map<string, Field>
  readonly shown: Field[]
  readonly wire: WireField[] | undefined
}

/** The shapes of scalars by their types on the wire. */
const SCALARS: ReadonlyMap<string, ScalarShape> = new Map<WireType, ScalarShape>([
  ['string', { kind: 'string' }],
  ['bytes', { kind: 'bytes' }],
  ['int32', { kind: 'int32' }],
  ['int64', { kind: 'int64' }],
  ['double', { kind: 'number' }],
  ['bool', { kind: 'boolean' }],
])

export class BuiltInTable implements SchemaTable {
  readonly level: ApiLevel
  readonly #types = new Map<string, Declared>()
  /** The types of the kinds by the text of their group, version and kind. */
  readonly #kindTypes = new Map<string, Declared>()
  /** The kinds that belong to every group-version, and the kinds of v1 that all group-versions accept. */
  readonly #everywhere = new Map<string, Declared>()
  readonly #shapes = new Map<string, Shape>()
  readonly #kinds = new Map<string, KindSchema>()

  constructor(schema: CompiledSchema, level: ApiLevel = NEWEST_LEVEL) {
    this.level = level
    for (const file of schema.files) {
      for (const type of file.types) {
        const declared = { file, type }
        this.#types.set(`${file.stem}.${type.name}`, declared)
        if (type.kind === 'own') this.#kindTypes.set(keyOf(ownGvk(declared)), declared)
        if (type.kind === 'core' || type.kind === 'every') this.#everywhere.set(type.name, declared)
      }
    }
  }

  kind(gvk: GroupVersionKind): KindSchema | undefined {
    const key = keyOf(gvk)
    const made = this.#kinds.get(key)
    if (made !== undefined) return made
    const own = this.#kindTypes.get(key)
    if (own !== undefined) return this.#keep(key, this.#makeKind(own, gvk))
    const declared = this.#everywhere.get(gvk.kind)
    if (declared === undefined) return undefined
    // Only the kinds of v1 are kept, because a client can request any text as a group.
    if (gvk.group === '' && gvk.version === 'v1') return this.#keep(key, this.#makeKind(declared, gvk))
    return declared.type.kind === 'core'
      ? this.kind({ group: '', version: 'v1', kind: gvk.kind })
      : this.#makeKind(declared, gvk)
  }

  shape(name: string): ObjectShape | undefined {
    const declared = this.#types.get(name)
    if (declared === undefined || declared.type.form !== undefined) return undefined
    const shape = this.#shapeOf(name)
    return shape.kind === 'object' ? shape : undefined
  }

  *kinds(): Generator<KindSchema> {
    const own = [...this.#kindTypes.values()].map(ownGvk)
    const everywhere = [...this.#everywhere.keys()].map((kind) => ({ group: '', version: 'v1', kind }))
    for (const gvk of [...own, ...everywhere]) {
      const kind = this.kind(gvk)
      if (kind !== undefined) yield kind
    }
  }

  #keep(key: string, kind: KindSchema): KindSchema {
    this.#kinds.set(key, kind)
    return kind
  }

  #makeKind({ file, type }: Declared, { group, version, kind }: GroupVersionKind): KindSchema {
    const shape = this.#shapeOf(`${file.stem}.${type.name}`)
    if (shape.kind !== 'object') throw new InvariantError(`${kind} is not an object`)
    const isList = kind.endsWith('List') && shape.byName.has('items')
    return { group, version, kind, shape, isList, hasProtobuf: shape.wire !== undefined }
  }

  /** The shape of a scalar or a type, by its name in the compiled form. */
  #shapeOf(name: string): Shape {
    const known = SCALARS.get(name) ?? this.#shapes.get(name)
    if (known !== undefined) return known
    if (name === 'any') return { kind: 'any' }
    const declared = this.#types.get(name)
    if (declared === undefined) throw new InvariantError(`the compiled table has no ${name}`)
    return declared.type.form === undefined ? this.#makeObject(name, declared) : this.#makeForm(name, declared.type)
  }

  #makeForm(name: string, type: CompiledType): Shape {
    const shape = this.#shapeOfForm(type.form, type)
    this.#shapes.set(name, shape)
    return shape
  }

  #shapeOfForm(form: TypeForm | undefined, type: CompiledType): Shape {
    switch (form) {
      case 'json':
        return { kind: 'any' }
      case 'list':
        return { kind: 'list', item: { kind: 'string' }, listType: 'atomic', keys: [] }
      case 'rawExtension':
      case 'fieldsV1':
        return { kind: form }
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray': {
        const schema = type.fields.find(([name]) => name === 'schema')
        const shape = schema === undefined ? undefined : this.#shapeOf(schema[2])
        return shape?.kind === 'object' ? { kind: form, schema: shape } : { kind: form }
      }
      case undefined:
        throw new InvariantError(`${type.name} has no form of its own`)
      default:
        return { kind: form satisfies ScalarKind }
    }
  }

  #makeObject(name: string, { type }: Declared): ObjectShape {
    const shape: OpenObject = {
      kind: 'object',
      name,
      fields: [],
      byName: new Map(),
      shown: [],
      mapType: type.atomic === true ? 'atomic' : 'granular',
      preserveUnknown: false,
      typeMeta: type.kind !== undefined && type.typeMeta !== false,
      wire: type.jsonOnly === true ? undefined : [],
    }
    this.#shapes.set(name, shape)
    for (const field of type.fields) this.#addField(shape, field)
    shape.wire?.sort((a, b) => a.number - b.number)
    return shape
  }

  #addField(shape: OpenObject, compiled: CompiledField): void {
    const [, number, type, marks = ''] = compiled
    if (marks.includes('i')) {
      const inner = this.#shapeOf(type)
      if (inner.kind !== 'object') throw new InvariantError(`${shape.name} inlines ${type}, which is not an object`)
      const offset = shape.fields.length
      for (const field of inner.fields) addTo(shape, field)
      shape.wire?.push({ number, type: 'inline', name: inner.name, fields: inner.wire ?? [], offset })
      return
    }
    const field = this.#makeField(compiled)
    shape.wire?.push({ number, type: this.#wireType(type), field, index: shape.fields.length })
    addTo(shape, field)
  }

  /** Every record has the same members in the same order, so that all have one hidden class. */
  #makeField([name, , type, marks = '', facts = NO_FACTS]: CompiledField): Field {
    return {
      name,
      shape: this.#fieldShape(type, facts),
      required: marks.includes('r'),
      pointer: marks.includes('p'),
      omit: omitBy(marks),
      default: facts.default,
      patchStrategy: facts.patchStrategy,
      patchMergeKey: facts.patchMergeKey,
      goType: facts.goType,
    }
  }

  #fieldShape(type: string, facts: CompiledFieldFacts): Shape {
    const container = type[0]
    const inner = this.#shapeOf(itemType(type))
    const single = facts.values !== undefined && inner.kind === 'string' ? { ...inner, enum: facts.values } : inner
    if (container === '[') {
      return { kind: 'list', item: single, listType: facts.listType ?? 'atomic', keys: facts.listKeys ?? NO_KEYS }
    }
    if (container === '{') return { kind: 'map', value: single, mapType: facts.mapType ?? 'granular' }
    return facts.mapType === undefined || single.kind !== 'object' ? single : { ...single, mapType: facts.mapType }
  }

  #wireType(type: string): WireType {
    if (type.startsWith('{}')) return 'map'
    const name = itemType(type)
    if (isWireType(name)) return name
    return this.#types.get(name)?.type.form === 'list' ? 'stringList' : 'message'
  }
}

const NO_FACTS: CompiledFieldFacts = {}
const NO_KEYS: readonly string[] = []

/** The type without the mark of a list or a map. */
function itemType(type: string): string {
  return type[0] === '[' || type[0] === '{' ? type.slice(2) : type
}

function isWireType(name: string): name is WireType {
  return SCALARS.has(name)
}

function addTo(shape: OpenObject, field: Field): void {
  shape.fields.push(field)
  shape.byName.set(field.name, field)
  if (isAlwaysShown(field)) shape.shown.push(field)
}

function ownGvk({ file, type }: Declared): GroupVersionKind {
  return { group: file.group ?? '', version: file.version ?? '', kind: type.name }
}

function keyOf(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk)}/${gvk.kind}`
}

function omitBy(marks: string): Field['omit'] {
  if (marks.includes('n')) return 'never'
  if (marks.includes('z')) return 'zero'
  return marks.includes('a') ? 'absent' : 'empty'
}
