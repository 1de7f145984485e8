// Random objects of any kind, in the form in which the server holds them: members in the order of the table, omitted by its
// rules, texts canonical. So whatever encodes and decodes one must give back an equal one.
import * as fc from 'fast-check'
import { formatGroupVersion, type ApiObject } from '../../src/api/object.ts'
import { setOwn, type Value, type ValueMap } from '../../src/api/value.ts'
import { formatDuration } from '../../src/lib/duration.ts'
import type { Field, KindSchema, ObjectShape, OpaqueShape, Shape } from '../../src/schema/table.ts'

/** Objects of a kind. Shrinks to sparser objects; a failing one is reproduced by fast-check's seed. */
export function arbitraryObject(kind: KindSchema): fc.Arbitrary<ApiObject> {
  return fc
    .record({ density: fc.nat(100), seed: fc.nat() })
    .map(({ density, seed }) => randomObject(kind, new Random(seed, density / 100)))
}

function randomObject(kind: KindSchema, random: Random): ApiObject {
  const names = kind.shape.typeMeta ? { kind: kind.kind, apiVersion: formatGroupVersion(kind) } : {}
  return { ...names, ...object(kind.shape, random, 0) } as ApiObject
}

/** A generator of pseudo-random numbers (mulberry32) with a measure of how full objects shall be. */
export class Random {
  #state: number
  readonly density: number

  constructor(seed: number, density: number) {
    this.#state = seed
    this.density = density
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Rarer with depth, so that what refers to itself ends. */
  chance(depth: number): boolean {
    return this.next() < this.density / (1 + depth * depth * 0.5)
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0]
  }
}

function object(shape: ObjectShape, random: Random, depth: number): ValueMap {
  const made: Record<string, Value> = {}
  for (const field of shape.fields) {
    const value = fieldValue(field, random, depth)
    if (value !== undefined) setOwn(made, field.name, value)
  }
  return made
}

/** A value that the field's rules let stand; undefined where they leave it out. */
function fieldValue(field: Field, random: Random, depth: number): Value | undefined {
  const { shape, pointer, omit } = field
  const isContainer = shape.kind === 'list' || shape.kind === 'map' || shape.kind === 'bytes'
  if (pointer || isContainer) {
    const absent = omit === 'never' ? null : undefined
    if (!random.chance(depth)) return absent
    const value = valueOf(shape, random, depth + 1)
    return value === null || isNothing(value, isContainer) ? absent : value
  }
  const value = random.chance(depth) || shape.kind === 'object' ? valueOf(shape, random, depth + 1) : zeroOf(shape)
  if (shape.kind === 'string' || shape.kind === 'int32' || shape.kind === 'int64' || shape.kind === 'boolean') {
    return omit === 'empty' && (value === '' || value === 0 || value === false) ? undefined : value
  }
  return omit === 'zero' && value === null ? undefined : value
}

function isNothing(value: Value, isContainer: boolean): boolean {
  return isContainer && typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function zeroOf(shape: Shape): Value {
  switch (shape.kind) {
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'quantity':
      return '0'
    case 'duration':
      return '0s'
    case 'time':
    case 'microTime':
    case 'rawExtension':
      return null
    default:
      return 0
  }
}

export function valueOf(shape: Shape, random: Random, depth: number): Value {
  switch (shape.kind) {
    case 'object':
      return object(shape, random, depth)
    case 'list':
      return Array.from({ length: 1 + random.below(3) }, () => itemOf(shape.item, random, depth))
    case 'map':
      return mapOf(shape.value, random, depth)
    case 'string':
      return shape.enum === undefined ? text(random) : (shape.enum[random.below(shape.enum.length)] ?? '')
    case 'bytes':
      return Buffer.from(Array.from({ length: 1 + random.below(9) }, () => random.below(256))).toString('base64')
    case 'int32':
      return random.pick([random.below(1000), -1, 2 ** 31 - 1, -(2 ** 31), 0])
    case 'int64':
      return random.pick<Value>([random.below(1000), -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n), 0])
    case 'number':
      return random.pick([random.below(1000) + 0.5, -1e-9, 1e300, 0, 3])
    case 'boolean':
      return random.next() < 0.5
    case 'time':
      return moment(random, '')
    case 'microTime':
      return moment(random, `.${String(random.below(1_000_000)).padStart(6, '0')}`)
    case 'duration':
      return formatDuration(random.pick([0n, 90_000_000_000n, -1n, BigInt(random.below(2 ** 31)) * 1_000n]))
    case 'quantity':
      return random.pick(['0', '1', '500m', '128Mi', '1k', '-3', '1500m', '1e3', '100n'])
    case 'intOrString':
      return random.next() < 0.5 ? random.below(65_536) : random.pick(['http', '25%', '8080', ''])
    case 'rawExtension':
    case 'fieldsV1':
      return { [text(random)]: json(random, depth), kind: 'X' }
    case 'any':
      return json(random, depth) ?? false
    default:
      return schemaOr(shape, random, depth)
  }
}

function itemOf(shape: Shape, random: Random, depth: number): Value {
  return shape.kind === 'any' && random.next() < 0.1 ? null : valueOf(shape, random, depth)
}

function mapOf(value: Shape, random: Random, depth: number): ValueMap {
  const made: Record<string, Value> = {}
  for (let i = random.below(4); i >= 0; i--) setOwn(made, text(random), valueOf(value, random, depth))
  return made
}

function schemaOr({ kind, schema }: OpaqueShape, random: Random, depth: number): Value {
  if (schema === undefined) throw new Error(`${kind} holds no schema`)
  if (kind === 'schemaOrBool' && random.next() < 0.5) return random.next() < 0.5
  if (kind === 'schemaOrArray' && random.next() < 0.5)
    return [object(schema, random, depth), object(schema, random, depth)]
  if (kind === 'schemaOrStringArray' && random.next() < 0.5) return [text(random), '']
  return object(schema, random, depth)
}

const TEXTS = [
  'web',
  'app.kubernetes.io/name',
  '',
  'a text that is long enough to take the other way through an encoder, twice over',
  'Grüße, 世界 🚀',
  '__proto__',
  'constructor',
  '17',
  '"quoted"\\\n\t\u0000\u2028<&>',
  'null',
  '~',
  '1e3',
  '2024-05-01',
] as const

function text(random: Random): string {
  return random.next() < 0.5 ? random.pick(TEXTS) : `t${random.below(1000)}`
}

function moment(random: Random, fraction: string): string {
  const seconds = random.pick([random.below(2 ** 31), 0, -1, 253_402_300_799, -62_135_596_799])
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`
}

function json(random: Random, depth: number): Value {
  switch (random.below(depth > 8 ? 5 : 7)) {
    case 0:
      return null
    case 1:
      return random.next() < 0.5
    case 2:
      return random.pick<Value>([random.below(1000), -1.5, 2n ** 60n + 1n, 1e100])
    case 3:
    case 4:
      return text(random)
    case 5:
      return Array.from({ length: random.below(3) }, () => json(random, depth + 1))
    default:
      return mapOf({ kind: 'any' }, random, depth + 1)
  }
}
