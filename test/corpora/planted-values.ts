// Stored objects that no server of ours has written: every field of a kind can be there, and one of them has a value of a wrong type or
// an extreme number. They are JSON texts, because not every one of these numbers is a number of JavaScript.
import { jsonText } from '../../src/api/json-text.ts'
import { isList, isMap, setOwn, type Value, type ValueMap } from '../../src/api/value.ts'
import type { ObjectShape, Shape } from '../../src/schema/table.ts'
import { Random, valueOf } from './arbitrary-object.ts'

export interface PlantedObject {
  /** The planted value, and where it stands. */
  readonly name: string
  readonly text: string
}

const PLANTED: readonly string[] = [
  'null',
  'true',
  '"x"',
  '""',
  '"-"',
  '{}',
  '[]',
  '[null]',
  '[7,"x",{}]',
  '{"a":null,"b":7,"c":["x"]}',
  '{"__proto__":"x"}',
  '1.5',
  '-1',
  '9223372036854775807',
  '-9223372036854775808',
  '18446744073709551616',
  '1e300',
  '1e400',
]

const MARK = 'planted:here'
const MAX_DEPTH = 9
/** What tells the kind and the key. An object without metadata is no object. */
const KEPT: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'metadata.name', 'metadata.namespace'])

/** In every second object, fields that the sample does not have are filled in. */
export function plantedObjects(
  sample: ValueMap,
  shape: ObjectShape,
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly PlantedObject[] {
  const random = new Random(seed, 0.9)
  return Array.from({ length: count }, (_, i) => {
    const object = i % 2 === 0 ? sample : filled(sample, shape, random, 0)
    const paths = [...pathsIn(object, [])].filter((path) => !KEPT.has(path.join('.')))
    const path = paths[random.below(paths.length)]!
    const planted = PLANTED[random.below(PLANTED.length)]!
    const text = jsonText(withValue(object, path, MARK)).replace(JSON.stringify(MARK), planted)
    return { name: `${planted} at ${path.join('.')}`, text }
  })
}

function filled(value: Value, shape: Shape, random: Random, depth: number): Value {
  if (shape.kind === 'list' && isList(value)) return value.map((item) => filled(item, shape.item, random, depth + 1))
  if (shape.kind !== 'object' || !isMap(value)) return value
  const made: Record<string, Value> = { ...value }
  for (const { name, shape: inner } of shape.fields) {
    const known = value[name]
    if (known !== undefined) made[name] = filled(known, inner, random, depth + 1)
    else if (depth < MAX_DEPTH && random.next() < 0.8) made[name] = valueOf(inner, random, depth + 2)
  }
  return made
}

function* pathsIn(value: Value, at: readonly string[]): Generator<readonly string[]> {
  if (at.length > 0) yield at
  if (isList(value)) for (const [i, item] of value.entries()) yield* pathsIn(item, [...at, String(i)])
  else if (isMap(value)) for (const [key, member] of Object.entries(value)) yield* pathsIn(member, [...at, key])
}

function withValue(value: Value, [step, ...rest]: readonly string[], planted: Value): Value {
  if (step === undefined) return planted
  if (isList(value)) return value.map((item, i) => (String(i) === step ? withValue(item, rest, planted) : item))
  const made: Record<string, Value> = {}
  for (const [key, member] of Object.entries(value as ValueMap)) {
    setOwn(made, key, key === step ? withValue(member, rest, planted) : member)
  }
  return made
}
