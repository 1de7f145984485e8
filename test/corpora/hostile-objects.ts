// Objects of a built-in kind with as many items in one of its lists or maps as fit a body, made from the table of kinds: whatever
// a validator does with the items it does very often.
import { formatGroupVersion } from '../../src/api/object.ts'
import { isList, isMap, setOwn, type Value, type ValueMap } from '../../src/api/value.ts'
import { validObject } from './valid-objects.ts'
import type { Field, KindSchema, ListShape, MapShape, ObjectShape, Shape } from '../../src/schema/table.ts'

/** A list or a map of a kind. The steps to it are names of fields; a list or map on the way has one item. */
export interface Place {
  readonly steps: readonly Field[]
  readonly shape: ListShape | MapShape
  /** `spec.template.spec.containers` */
  readonly text: string
  /** The type that has it and its name there: places that have this in common are mostly judged by the same code. */
  readonly owner: string
}

/**
 * What the items are like. `tiny`: as small as they can be, so most of them; `sparse`: with what an item cannot do without, each
 * another and looking valid; `same`: all alike; `full`: with one of every kind of member; `bad`: like full, and no text or number
 * is what its field asks for.
 */
export type Variety = 'tiny' | 'sparse' | 'same' | 'full' | 'bad'
export const VARIETIES: readonly Variety[] = ['tiny', 'sparse', 'same', 'full', 'bad']

/** Every list and map of a kind; a type that contains itself is entered once. */
export function placesOf(kind: KindSchema): readonly Place[] {
  const places: Place[] = []
  const enter = (shape: Shape, steps: readonly Field[], open: ReadonlySet<ObjectShape>, owner: string): void => {
    if (shape.kind === 'list' || shape.kind === 'map') {
      places.push({ steps, shape, text: steps.map(({ name }) => name).join('.'), owner })
      enter(shape.kind === 'list' ? shape.item : shape.value, steps, open, `${owner}[]`)
    }
    if (shape.kind !== 'object' || open.has(shape)) return
    const within = new Set(open).add(shape)
    for (const field of shape.fields) enter(field.shape, [...steps, field], within, `${shape.name}.${field.name}`)
  }
  enter(kind.shape, [], new Set(), kind.kind)
  return places
}

/** The JSON of an object of the kind with as many items in the place as fit. */
export function hostileBody(kind: KindSchema, place: Place, variety: Variety, bytes: number): string {
  const [before = '', after = ''] = JSON.stringify(objectAround(kind, place.steps, () => MARK)).split(`"${MARK}"`)
  const room = bytes - before.length - after.length - 2
  const items: string[] = []
  for (let size = 0, i = 0; ; i++) {
    const item = itemText(place, variety, i)
    size += item.length + 1
    if (size > room) break
    items.push(item)
  }
  const [open, close] = place.shape.kind === 'list' ? '[]' : '{}'
  return `${before}${open}${items.join(',')}${close}${after}`
}

const MARK = 'the items come here'

/** A valid object of the kind with something at the end of the steps, given the shape that it is to have. */
export function objectAround(kind: KindSchema, steps: Place['steps'], end: (shape: Shape) => Value): ValueMap {
  const valid = validObject(kind.group, kind.kind)
  const put = (shape: Shape, known: Value | undefined, at: number): Value => {
    const field = steps[at]
    if (field === undefined) return end(shape)
    if (shape.kind === 'list') return [put(shape.item, isList(known) ? known[0] : undefined, at)]
    if (shape.kind === 'map') return { key: put(shape.value, undefined, at) }
    const members = isMap(known) ? known : shape.kind === 'object' ? sampleObject(shape, NEEDED) : {}
    return { ...members, [field.name]: put(field.shape, members[field.name], at + 1) }
  }
  const metadata = { name: 'hostile', ...(valid['metadata'] as ValueMap | undefined) }
  return put(kind.shape, { kind: kind.kind, apiVersion: formatGroupVersion(kind), ...valid, metadata }, 0) as ValueMap
}

function itemText({ shape, steps }: Place, variety: Variety, index: number): string {
  const i = variety === 'same' ? 0 : index
  const isTiny = variety === 'tiny'
  const wish = { name: steps.at(-1)?.name ?? '', i, depth: 0, isBad: variety === 'bad', isFull: FULL.has(variety) }
  if (shape.kind === 'list') return JSON.stringify(isTiny ? tiny(shape.item) : sample(shape.item, wish))
  const key = isTiny ? i.toString(36) : wish.isBad ? `-k_${i}!/` : `k${i}`
  return `${JSON.stringify(key)}:${JSON.stringify(isTiny ? tiny(shape.value) : sample(shape.value, wish))}`
}

const FULL: ReadonlySet<Variety> = new Set<Variety>(['full', 'bad'])

/** As short as JSON can say it. */
function tiny(shape: Shape): Value {
  switch (shape.kind) {
    case 'list':
      return []
    case 'string':
    case 'bytes':
      return ''
    case 'boolean':
      return true
    case 'time':
    case 'microTime':
      return null
    case 'duration':
      return '0s'
    case 'int32':
    case 'int64':
    case 'number':
    case 'intOrString':
    case 'quantity':
    case 'any':
      return 0
    default:
      return {}
  }
}

interface Wish {
  /** Of the field. */
  readonly name: string
  /** Makes it another one. */
  readonly i: number
  readonly depth: number
  readonly isBad: boolean
  readonly isFull: boolean
}

const NEEDED: Wish = Object.freeze({ name: '', i: 0, depth: 0, isBad: false, isFull: false })

function sample(shape: Shape, wish: Wish): Value {
  const { i, isBad, name, depth } = wish
  const deeper = { ...wish, depth: depth + 1 }
  switch (shape.kind) {
    case 'object':
      return sampleObject(shape, wish)
    case 'list':
      return [sample(shape.item, deeper)]
    case 'map':
      return { [isBad ? '-k!' : `k${i}`]: sample(shape.value, deeper) }
    case 'string':
      if (isBad) return `-_ ${i}!`
      return shape.enum === undefined ? textFor(name, i) : (shape.enum[i % shape.enum.length] ?? '')
    case 'bytes':
      return Buffer.from(`b${i}`).toString('base64')
    case 'int32':
    case 'int64':
    case 'number':
      return isBad ? -1 - i : 1 + (i % 65_535)
    case 'boolean':
      return true
    case 'time':
      return '2024-01-02T03:04:05Z'
    case 'microTime':
      return '2024-01-02T03:04:05.000006Z'
    case 'duration':
      return `${1 + (i % 1000)}s`
    case 'quantity':
      return isBad ? `-${1 + i}` : `${1 + i}`
    case 'intOrString':
      return i % 2 === 0 ? 1 + (i % 65_535) : `n${i % 10_000}`
    case 'rawExtension':
      return { kind: 'X', apiVersion: 'v1', i }
    case 'fieldsV1':
      return { 'f:metadata': { [`f:${i}`]: {} } }
    case 'any':
      return { i }
    default:
      return { type: 'string' }
  }
}

/**
 * What is required and what identifies it; all scalars where it is to be full. Of the other members one, in turns, where it would
 * have none, or is full: types with many parts mostly want one of them.
 */
function sampleObject(shape: ObjectShape, wish: Wish): ValueMap {
  const made: Record<string, Value> = {}
  const parts: Field[] = []
  for (const field of shape.fields) {
    const isPart = ['object', 'list', 'map'].includes(field.shape.kind) || field.shape.kind.startsWith('schemaOr')
    const isWanted = field.required || IDENTITIES.has(field.name) || (wish.isFull && !isPart)
    if (isWanted && wish.depth < 5) setOwn(made, field.name, sample(field.shape, inField(wish, field)))
    else if (isPart) parts.push(field)
  }
  const part = parts[wish.i % Math.max(parts.length, 1)]
  const isBare = Object.keys(made).every((name) => IDENTITIES.has(name))
  if (part !== undefined && (wish.isFull || isBare) && wish.depth < 2) {
    setOwn(made, part.name, sample(part.shape, inField(wish, part)))
  }
  return made
}

const IDENTITIES: ReadonlySet<string> = new Set(['name', 'key'])

function inField(wish: Wish, { name }: Field): Wish {
  return { ...wish, name, depth: wish.depth + 1 }
}

const TEXTS: readonly (readonly [RegExp, (i: number) => string])[] = [
  [/cidr/i, (i) => `10.${(i >> 8) & 255}.${i & 255}.0/24`],
  [/ips?$|address/i, (i) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`],
  [/mountPath|devicePath/i, (i) => `/p${i}`],
  [/path/i, (i) => `p${i}`],
  [/^hosts?$|hostname|domain/i, (i) => `h${i}.example.com`],
  [/apiGroup|^group$/i, (i) => `g${i}.example.com`],
  [/apiVersion/i, () => 'v1'],
  [/expression|^rule$/i, (i) => `object.metadata.name == 'n${i}'`],
  [/topologyKey|finalizer/i, (i) => `example.com/t${i}`],
  [/driver/i, (i) => `d${i}.example.com`],
]

/** A text that looks like what a field of that name holds. */
function textFor(name: string, i: number): string {
  return TEXTS.find(([pattern]) => pattern.test(name))?.[1](i) ?? `n${i}`
}
