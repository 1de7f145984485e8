// Turns a Zod 4 schema into a structural one. It reads the definitions that Zod opens to libraries (`_zod.def`). The user brings the schema
// and its `zod` package: this file does not import that package.
import type { Value } from '../api/value.ts'
import { KUBERNETES_KEYWORDS, present, type Report, type StructuralSchema } from './structural.ts'
import { withChecks, type ZodCheck } from './zod-checks.ts'

/** The used members of a Zod 4 schema, of `zod` or `zod/mini`. */
export interface ZodSchema<Output = unknown, Input = unknown> {
  readonly _zod: {
    readonly def: { readonly type: string }
    readonly output: Output
    readonly input: Input
  }
}

/** A Zod schema with the members that only some types of schema have. */
interface AnyZod extends ZodSchema {
  readonly _zod: ZodSchema['_zod'] & {
    readonly def: ZodDef
    readonly values?: ReadonlySet<unknown>
    readonly pattern?: RegExp
    readonly optin?: string
  }
  meta?(): Readonly<Record<string, unknown>> | undefined
}

interface ZodDef {
  readonly type: string
  readonly checks?: readonly ZodCheck[]
  readonly coerce?: boolean
  readonly check?: string
  readonly shape: Readonly<Record<string, AnyZod>>
  readonly catchall?: AnyZod
  readonly element: AnyZod
  readonly keyType: AnyZod
  readonly valueType: AnyZod
  readonly innerType: AnyZod
  readonly options: readonly AnyZod[]
  readonly defaultValue: Value
}

export function isZodSchema(schema: object): schema is ZodSchema {
  return '_zod' in schema
}

/** Whether an object without the field is accepted. */
export function isOptional(schema: ZodSchema): boolean {
  return (schema as AnyZod)['_zod'].optin !== undefined
}

export function fromZod(schema: ZodSchema, path: string, report: Report): StructuralSchema {
  return new Walk(report).schema(schema as AnyZod, path)
}

/** Schemas that cannot be structural, and their replacements; the compiler shows the same texts. */
export const INSTEAD = {
  tuple: 'a tuple: use an object with named fields, or a list of one type',
  intersection: 'an intersection: use .extend() or spread the shapes into one object',
  lazy: 'a lazy or recursive schema: structural schemas are finite, use z.unknown() where the schema repeats',
  transform: 'a transform: the API stores what is sent; convert where it is read',
  pipe: 'a transform, codec or preprocessing: the API stores what is sent; convert where it is read',
  catch: '.catch(): the API refuses what is wrong; use .default() for what is absent',
  date: 'a Date: JSON has none, use z.iso.datetime()',
  bigint: 'a bigint: JSON has none, use z.int()',
  map: 'a Map: use z.record(z.string(), …) or a list with list type map',
  set: 'a Set: use z.array(…) with list type set',
  null: 'null alone: use .nullable() on another type',
  custom: 'z.custom() or z.instanceof(): use the schema of its JSON, and check it by a CEL rule',
  undefined: 'undefined: use .optional() on the field',
  void: 'undefined: use .optional() on the field',
  never: 'never: leave the field out',
  nan: 'NaN: JSON has none',
  union:
    'a union: use an object with an optional field for each alternative and a CEL rule, has(self.a) != has(self.b)',
  'record keys': 'a record whose keys are not just text: use z.object() for known keys, else z.string() and a CEL rule',
} as const

const REFINEMENT =
  'a refinement runs in your process only: say it as a CEL rule too, .meta(kubernetes({ rules: [{ rule: "…" }] }))'

/** Keywords of `.meta()` that go into the definition. Other keywords are ignored. */
const META: ReadonlySet<string> = new Set(['title', 'description', 'format', 'example'])

class Walk {
  readonly #report: Report
  /** The schemas that contain the current schema. */
  readonly #within = new Set<AnyZod>()

  constructor(report: Report) {
    this.#report = report
  }

  schema(schema: AnyZod, path: string): StructuralSchema {
    if (this.#within.has(schema)) return this.#refuse(path, INSTEAD.lazy)
    this.#within.add(schema)
    const { def } = schema['_zod']
    const typed = this.#typed(schema, path)
    this.#within.delete(schema)
    const meta = this.#meta(schema, path)
    // The rules of an outer schema, such as `.optional()`, are added to those of the inner one.
    const rules = [...(typed['x-kubernetes-validations'] ?? []), ...(meta['x-kubernetes-validations'] ?? [])]
    const made = { ...typed, ...meta, ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }) }
    const checked = withChecks(made, def, (message) => this.#report(path, message))
    if (checked.refinements > rules.length) this.#report(path, REFINEMENT)
    return checked.schema
  }

  #refuse(path: string, message: string): StructuralSchema {
    this.#report(path, message)
    return {}
  }

  #typed(schema: AnyZod, path: string): StructuralSchema {
    const { def, values, pattern } = schema['_zod']
    if (def.coerce === true) return this.#refuse(path, 'z.coerce: the API accepts only values of the right type')
    switch (def.type) {
      case 'string':
      case 'boolean':
      case 'number':
        return { type: def.type }
      case 'template_literal':
        return { type: 'string', ...(pattern === undefined ? {} : { pattern: pattern.source }) }
      case 'enum':
      case 'literal':
        return this.#enumeration([...(values ?? [])], path)
      case 'any':
      case 'unknown':
        return { nullable: true, 'x-kubernetes-preserve-unknown-fields': true }
      case 'object':
        return this.#object(def, path)
      case 'record':
        return this.#record(def, path)
      case 'array':
        return { type: 'array', items: this.schema(def.element, `${path}[]`) }
      case 'union':
        return this.#union(def.options, path)
      case 'optional':
      case 'nonoptional':
      case 'readonly':
        return this.schema(def.innerType, path)
      case 'nullable':
        return orNull(this.schema(def.innerType, path))
      case 'default':
      case 'prefault':
        return { ...this.schema(def.innerType, path), default: this.#constant(def, path) }
      default:
        return this.#refuse(path, insteadOf(def.type))
    }
  }

  #enumeration(values: readonly unknown[], path: string): StructuralSchema {
    const type = typeof values[0]
    const isScalar = type === 'string' || type === 'number' || type === 'boolean'
    if (!isScalar || values.some((value) => typeof value !== type)) {
      return this.#refuse(path, 'an enumeration of several types: its values are all text, all numbers or all booleans')
    }
    const isInteger = type === 'number' && values.every((value) => Number.isInteger(value))
    return { type: isInteger ? 'integer' : type, enum: values as Value[] }
  }

  #object({ shape, catchall }: ZodDef, path: string): StructuralSchema {
    const fields = Object.entries(shape)
    const others = catchall?.['_zod'].def.type
    const isClosed = others === undefined || others === 'never'
    if (!isClosed && others !== 'unknown' && others !== 'any') {
      if (fields.length === 0) return { type: 'object', additionalProperties: this.schema(catchall!, `${path}{}`) }
      return this.#refuse(
        path,
        'an object has either fields or values by key: move the values of .catchall() to a field with z.record()',
      )
    }
    const required = fields.filter(([, field]) => !isOptional(field)).map(([name]) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, this.schema(field, `${path}.${name}`)])),
      ...(required.length === 0 ? {} : { required }),
      ...(isClosed ? {} : { 'x-kubernetes-preserve-unknown-fields': true }),
    }
  }

  #record({ keyType, valueType }: ZodDef, path: string): StructuralSchema {
    const { type, check, checks = [] } = keyType['_zod'].def
    if (type !== 'string' || check !== undefined || checks.length > 0) return this.#refuse(path, INSTEAD['record keys'])
    return { type: 'object', additionalProperties: this.schema(valueType, `${path}{}`) }
  }

  #union(options: readonly AnyZod[], path: string): StructuralSchema {
    const types = options.map((option) => option['_zod'].def.type)
    const rest = options.filter((_, i) => types[i] !== 'null')
    if (rest.length < options.length && rest.length > 0) return orNull(this.#union(rest, path))
    if (rest.length === 1) return this.schema(rest[0]!, path)
    if (types.every((type) => type === 'literal' || type === 'enum')) {
      return this.#enumeration([...new Set(options.flatMap((option) => [...(option['_zod'].values ?? [])]))], path)
    }
    const made = types.every((type) => type === 'string' || type === 'number')
      ? options.map((option) => this.schema(option, path))
      : []
    const plain = new Set(made.map((schema) => (Object.keys(schema).join() === 'type' ? schema.type : 'more')))
    if (plain.size === 2 && plain.has('integer') && plain.has('string')) return { 'x-kubernetes-int-or-string': true }
    return this.#refuse(path, INSTEAD.union)
  }

  /** A default is a part of the definition, so its value must not differ from call to call. */
  #constant(def: ZodDef, path: string): Value {
    const text = JSON.stringify(def.defaultValue)
    if (text === undefined) this.#report(path, 'a default that is not JSON')
    else if (text !== JSON.stringify(def.defaultValue)) {
      this.#report(
        path,
        'a default that is different each time: the definition has one default for all objects; set it in your controller',
      )
    }
    return text === undefined ? null : (JSON.parse(text) as Value)
  }

  #meta(schema: AnyZod, path: string): StructuralSchema {
    const meta = Object.entries(metaOf(schema) ?? {})
    const unknown = meta.find(([key]) => key.startsWith('x-kubernetes-') && !KUBERNETES_KEYWORDS.has(key))
    if (unknown !== undefined) this.#report(path, `unknown keyword "${unknown[0]}" in .meta()`)
    return present(Object.fromEntries(meta.filter(([key]) => META.has(key) || KUBERNETES_KEYWORDS.has(key))))
  }
}

/** The schema that also allows null. An enumeration has to list null too. */
function orNull(schema: StructuralSchema): StructuralSchema {
  return { ...schema, nullable: true, ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }) }
}

function insteadOf(type: string): string {
  return Object.hasOwn(INSTEAD, type) ? INSTEAD[type as keyof typeof INSTEAD] : `z.${type}(): JSON has no such value`
}

/** The content of `.meta()`. Schemas of `zod/mini` have no such method, but all copies of zod share one registry. */
function metaOf(schema: AnyZod): Readonly<Record<string, unknown>> | undefined {
  if (typeof schema.meta === 'function') return schema.meta()
  const { __zod_globalRegistry: registry } = globalThis as {
    __zod_globalRegistry?: { get(schema: AnyZod): Readonly<Record<string, unknown>> | undefined }
  }
  return registry?.get(schema)
}
