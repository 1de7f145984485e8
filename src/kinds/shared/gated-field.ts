// Fields of feature gates: if the gate is off, they are dropped silently, unless the stored object has them.
import { withMembers } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { isList, isMap, own, setOwn, type Value, type ValueMap } from '../../api/value.ts'
import { InvariantError } from '../../lib/errors.ts'
import type { WriteContext } from '../../registry/registry.ts'
import { builtInFields } from '../../schema/built-in-compiled.ts'
import type { KindStrategy } from '../strategy.ts'

export interface GatedField {
  readonly gate: string
  /**
   * The path from the object to the field. `*` is every item of a list and every value of a map. A member with `?` at its end is removed
   * with the field if the member is empty then.
   */
  readonly path: readonly string[]
}

/** The fields at these paths from a type (`core_v1.PodSpec`), each with the gate that `proto/` declares for it. */
export function gatedFields(type: string, ...paths: readonly string[]): readonly GatedField[] {
  return paths.map((path) => {
    const steps = path.split('/')
    const gate = gateAt(type, steps)
    if (gate === undefined) throw new InvariantError(`${type}: ${path} has no gate`)
    return { gate, path: steps }
  })
}

function gateAt(type: string, [step = '', ...rest]: readonly string[]): string | undefined {
  if (step === '*') return gateAt(type, rest)
  const field = builtInFields(type).find(([name]) => name === plain(step))
  if (field === undefined) return undefined
  return rest.length === 0 ? field[4]?.gate : gateAt(field[2].replace(/^(?:\[\]|\{\})/, ''), rest)
}

/** The strategy with a first step, which drops the fields. Fields of the status are dropped when the status is written. */
export function withGatedFields<T extends ApiObject>(
  fields: readonly GatedField[],
  strategy: NoInfer<KindStrategy<T>>,
): KindStrategy<T> {
  const { ofStatus = [], others = [] } = Object.groupBy(fields, ({ path }) =>
    path[0] === 'status' ? 'ofStatus' : 'others',
  )
  const prepare = dropping<T>(others)
  const prepareStatus = dropping<T>(ofStatus)
  return {
    ...strategy,
    ...(ofStatus.length > 0 && {
      prepareStatus: (object: T, stored: T, context: WriteContext) => {
        const prepared = prepareStatus(object, stored, context)
        return strategy.prepareStatus?.(prepared, stored, context) ?? prepared
      },
    }),
    prepareForCreate: (object, context) => {
      const prepared = prepare(object, undefined, context)
      return strategy.prepareForCreate?.(prepared, context) ?? prepared
    },
    prepareForUpdate: (object, stored, context) => {
      const prepared = prepare(object, stored, context)
      return strategy.prepareForUpdate?.(prepared, stored, context) ?? prepared
    },
  }
}

/** Drops the fields whose gates are off. */
function dropping<T extends ApiObject>(
  fields: readonly GatedField[],
): (object: T, stored: T | undefined, context: WriteContext) => T {
  const known = new WeakMap<ReadonlySet<string>, ClosedFields>()
  return (object, stored, { gates }) => {
    const closed = known.get(gates) ?? closedOf(fields, gates)
    known.set(gates, closed)
    // Hardly any object has such a field. One walk finds that out.
    if (!hasAnyField(object, closed.steps)) return object
    return closed.paths
      .filter((path) => stored === undefined || !hasField(stored, path))
      .reduce((result, path) => withoutField(result, path) as T, object)
  }
}

/** The fields whose gates are off. */
interface ClosedFields {
  readonly paths: readonly (readonly string[])[]
  readonly steps: readonly Step[]
}

/** A step that several paths may share. */
interface Step {
  readonly name: string
  /** A path ends here. Other paths may go on. */
  readonly isField: boolean
  readonly next: readonly Step[]
}

function closedOf(fields: readonly GatedField[], gates: ReadonlySet<string>): ClosedFields {
  const paths = fields.filter(({ gate }) => !gates.has(gate)).map(({ path }) => path)
  return { paths, steps: stepsOf(paths) }
}

function stepsOf(paths: readonly (readonly string[])[]): readonly Step[] {
  const byName = Map.groupBy(paths, ([name = '']) => plain(name))
  return Array.from(byName, ([name, members]) => {
    const next = members.map((path) => path.slice(1)).filter((path) => path.length > 0)
    return { name, isField: next.length < members.length, next: stepsOf(next) }
  })
}

/** Whether any of the paths leads to a field. */
function hasAnyField(holder: Value, steps: readonly Step[]): boolean {
  return steps.some(({ name, isField, next }) => {
    if (name !== '*') {
      const value = isMap(holder) ? own(holder, name) : undefined
      return value !== undefined && (isField || hasAnyField(value, next))
    }
    if (isList(holder)) return holder.some((item) => hasAnyField(item, next))
    return isMap(holder) && Object.values(holder).some((value) => hasAnyField(value, next))
  })
}

function plain(name: string): string {
  return name.endsWith('?') ? name.slice(0, -1) : name
}

function hasField(holder: Value | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return holder !== undefined
  if (name === '*')
    return isMap(holder) || isList(holder) ? Object.values(holder).some((each) => hasField(each, rest)) : false
  return isMap(holder) && hasField(own(holder, plain(name)), rest)
}

/** The value without the field. It is the same value if the field is absent, as nearly always. `from`: the position in the path. */
function withoutField(holder: Value, path: readonly string[], from = 0): Value {
  const step = path[from]
  if (step === undefined) return holder
  if (step === '*' && isList(holder)) return withoutFieldInItems(holder, path, from + 1)
  if (!isMap(holder)) return holder
  if (step === '*') return withoutFieldInMembers(holder, path, from + 1)
  const name = plain(step)
  const value = own(holder, name)
  if (value === undefined) return holder
  const changed = from === path.length - 1 ? undefined : withoutField(value, path, from + 1)
  if (changed === value) return holder
  const isGone = changed === undefined || (step.endsWith('?') && isMap(changed) && Object.keys(changed).length === 0)
  return isGone ? withMembers(holder, { [name]: undefined }) : { ...holder, [name]: changed }
}

/** Copies the map once, however many of its members have the field. */
function withoutFieldInMembers(map: ValueMap, path: readonly string[], from: number): ValueMap {
  let changed: Record<string, Value> | undefined
  for (const [name, value] of Object.entries(map)) {
    const without = withoutField(value, path, from)
    if (without !== value) setOwn((changed ??= { ...map }), name, without)
  }
  return changed ?? map
}

function withoutFieldInItems(list: readonly Value[], path: readonly string[], from: number): Value {
  let changed: Value[] | undefined
  for (let i = 0; i < list.length; i++) {
    const item = list[i]!
    // Empty items are one shared object.
    const without: Value = i > 0 && item === list[i - 1] ? (changed ?? list)[i - 1]! : withoutField(item, path, from)
    if (without === item) continue
    changed ??= [...list]
    changed[i] = without
  }
  return changed ?? list
}
