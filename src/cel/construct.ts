// List, map and object literals. A list or map literal that has only constants is made once, and costs nothing.
import type { ListLiteral, MapLiteral, StructLiteral } from './ast.ts'
import { Frame } from './frame.ts'
import { constant, type Plan, type PlanContext, type Planner, type Run } from './plan.ts'
import { LIST_COST, MAP_COST, STRUCT_COST } from './runtime-cost.ts'
import type { ObjectType } from './type.ts'
import {
  ArrayList,
  type CelValue,
  EntryMap,
  Fault,
  keyName,
  keyText,
  NamedMap,
  noSuchOverload,
  Optional,
} from './value.ts'

export function planList(node: ListLiteral, context: PlanContext, plan: Planner): Plan {
  const items = node.items.map((item) => ({ ...plan(item.value, context), optional: item.optional }))
  if (items.every((item) => item.constant !== undefined && !item.optional)) {
    return constant(new ArrayList(items.flatMap((item) => (item.constant === undefined ? [] : [item.constant]))))
  }
  return {
    run: (frame) => {
      const values: CelValue[] = []
      for (const item of items) {
        const value = item.run(frame)
        if (value instanceof Fault) return value
        if (!item.optional) values.push(value)
        else if (!(value instanceof Optional)) return notOptional()
        else if (value.value !== undefined) values.push(value.value)
      }
      frame.charge(LIST_COST)
      return new ArrayList(values)
    },
  }
}

const notOptional = (): Fault => new Fault('cannot initialize optional list element from non-optional value')

export function planMap(node: MapLiteral, context: PlanContext, plan: Planner): Plan {
  const entries = node.entries.map((entry) => ({
    key: plan(entry.key, context),
    value: plan(entry.value, context),
    optional: entry.optional,
  }))
  const run: Run = (frame) => {
    const made = new Map<string, readonly [CelValue, CelValue]>()
    for (const entry of entries) {
      const key = entry.key.run(frame)
      const value = entry.value.run(frame)
      if (key instanceof Fault) return key
      if (value instanceof Fault) return value
      const fault = addEntry(made, key, { value, optional: entry.optional })
      if (fault !== undefined) return fault
    }
    frame.charge(MAP_COST)
    return new EntryMap(made)
  }
  const known = entries.every(({ key, value, optional }) => !optional && isConstant(key) && isConstant(value))
  const made = known ? run(new Frame({}, MAP_COST)) : undefined
  return made instanceof EntryMap ? constant(made) : { run }
}

const isConstant = (each: Plan): boolean => each.constant !== undefined

function addEntry(
  made: Map<string, readonly [CelValue, CelValue]>,
  key: CelValue,
  { value, optional }: { value: CelValue; optional: boolean },
): Fault | undefined {
  const text = typeof key === 'number' ? undefined : keyName(key)
  if (text === undefined) return new Fault('unsupported key type')
  if (optional && !(value instanceof Optional)) return notOptional()
  const kept = optional && value instanceof Optional ? value.value : value
  if (kept === undefined) return undefined
  if (made.has(text)) return new Fault(`Failed with repeated key: ${keyText(key)}`)
  made.set(text, [key, kept])
  return undefined
}

export function planStruct(node: StructLiteral, context: PlanContext, plan: Planner): Plan {
  const type = context.struct(node.name.replace(/^\./, ''))
  const fields = node.fields.map((field) => ({ ...field, plan: plan(field.value, context) }))
  return {
    run: (frame) => {
      const made = new Map<string, CelValue>()
      for (const field of fields) {
        const value = field.plan.run(frame)
        if (value instanceof Fault) return value
        const kept = field.optional && value instanceof Optional ? value.value : value
        if (kept !== undefined) made.set(field.name, kept)
      }
      frame.charge(STRUCT_COST)
      return type === undefined ? noSuchOverload() : new StructMap(type, made)
    },
  }
}

/** An object that an expression made: `Object.spec{replicas: 3}`. */
class StructMap extends NamedMap {
  readonly #type: ObjectType
  readonly #fields: ReadonlyMap<string, CelValue>

  constructor(type: ObjectType, fields: ReadonlyMap<string, CelValue>) {
    super()
    this.#type = type
    this.#fields = fields
  }

  get typeName(): string {
    return this.#type.name
  }

  get size(): number {
    return this.#fields.size
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined
  }

  keys(): Iterable<string> {
    return this.#fields.keys()
  }
}
