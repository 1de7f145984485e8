// Objects that are nearly right: a sample with one value dropped, added, repeated or of another type. A seed makes them.
import { isList, isMap, type Value, type ValueMap } from '../../src/api/value.ts'
import { dice } from './dice.ts'

export interface MutatedSample {
  /** What was done to it. */
  readonly name: string
  readonly value: ValueMap
}

type Path = readonly (string | number)[]
type Holder = Record<string | number, Value> | Value[]

const OTHERS: readonly (readonly [name: string, value: Value])[] = [
  ['a text', 'x'],
  ['an empty text', ''],
  ['a long text', 'a'.repeat(300)],
  ['an odd text', 'A_b c/é"\n'],
  ['digits', '12'],
  ['an integer', 7],
  ['a negative integer', -1],
  ['an integer that no double holds', 9_007_199_254_740_993n],
  ['a fraction', 1.5],
  ['true', true],
  ['null', null],
  ['a list', ['a']],
  ['an empty list', []],
  ['a map', { a: 'b' }],
  ['an empty map', {}],
  ['a list of equal maps', [{ a: 1 }, { a: 1 }]],
]

export function mutatedSamples(sample: ValueMap, seed: number, count: number): readonly MutatedSample[] {
  const roll = dice(seed)
  const own = Object.keys(sample).filter((key) => !['apiVersion', 'kind', 'metadata'].includes(key))
  const paths = own.flatMap((key) => [...pathsIn(sample[key] ?? null, [key])])
  if (paths.length === 0) return []
  return Array.from({ length: count }, () => {
    const path = paths[roll(paths.length)] ?? []
    const value = structuredClone(sample)
    return { name: `${mutate(value, path, roll)} at ${path.join('.')}`, value }
  })
}

function* pathsIn(value: Value, at: Path): Generator<Path> {
  yield at
  if (isList(value)) for (const [i, item] of value.entries()) yield* pathsIn(item, [...at, i])
  else if (isMap(value)) for (const key of Object.keys(value)) yield* pathsIn(value[key] ?? null, [...at, key])
}

function mutate(value: ValueMap, path: Path, roll: (sides: number) => number): string {
  let holder = value as Holder
  for (const step of path.slice(0, -1)) holder = (holder as Record<string | number, Holder>)[step] ?? {}
  const last = path.at(-1) ?? ''
  const place = holder as Record<string | number, Value>
  const kindOfChange = roll(8)
  if (kindOfChange === 0) {
    if (Array.isArray(holder)) holder.splice(Number(last), 1)
    else delete holder[last]
    return 'nothing'
  }
  const found = place[last] ?? null
  if (kindOfChange === 1 && isMap(found)) {
    place[last] = { ...found, unknownField: { x: 1 } }
    return 'an unknown member'
  }
  if (kindOfChange === 2 && Array.isArray(holder)) {
    holder.push(structuredClone(found))
    return 'the same again'
  }
  const [name, other] = OTHERS[roll(OTHERS.length)] ?? ['null', null]
  place[last] = other
  return name
}
