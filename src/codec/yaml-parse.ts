// YAML from users, as the reference reads it: the first document, scalars of YAML 1.1, merge keys, the last of repeated keys.
// The library finds the structure; values are made here, so that aliases, depth and repetition are under our own rules.
import { isUtf8 } from 'node:buffer'
import type { Event, MappingEvent, ScalarEvent, YAMLException } from 'js-yaml'
import { quoted } from '../api/field-error.ts'
import { type Value, type ValueMap, isList, isMap, setOwn } from '../api/value.ts'
import { jsYaml } from '../lib/late-packages.ts'
import { MAX_JSON_DEPTH } from './json-exact.ts'
import { LineIndex } from './line-index.ts'
import { firstDocument } from './yaml-document.ts'
import { syntaxMessage } from './yaml-faults.ts'
import { type PlainScalar, resolveNumber, resolvePlain } from './yaml-scalar.ts'

/** Input that is not YAML, or not a value that JSON could hold. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

export interface YamlDocument {
  /** The members of maps are sorted, as the reference's are when it goes on from here. */
  readonly value: Value
  /** Keys that occur again, in document order: `line 7: key "paused" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Reads the first document; nothing at all is null. Throws `YamlError`. */
export function parseYaml(bytes: Buffer): YamlDocument {
  if (!isUtf8(bytes)) throw new YamlError('yaml: invalid leading UTF-8 octet')
  const yaml = jsYaml()
  let text = firstDocument(bytes.toString('utf8'))
  for (let budget = INDENT_BUDGET - text.length; ; budget -= text.length) {
    try {
      return new Builder(text, yaml.parseEvents(text, { maxDepth: MAX_JSON_DEPTH })).document()
    } catch (error) {
      if (!(error instanceof yaml.YAMLException)) throw error
      const mended = budget < 0 ? undefined : (withIndent(text, error) ?? withoutRest(text, error))
      if (mended === undefined) throw new YamlError(syntaxMessage(text, error))
      text = mended
    }
  }
}

/** How many characters may be read again because lines were indented. */
const INDENT_BUDGET = 400_000

/**
 * In brackets and quotes the reference does not ask for indentation, the library does: the line where it complains is indented,
 * which changes nothing in what it says. Undefined: the complaint is another.
 */
function withIndent(text: string, { reason, mark }: YAMLException): string | undefined {
  if (reason !== 'deficient indentation' || mark === undefined) return undefined
  const lineStart = Math.max(text.lastIndexOf('\n', mark.position - 1), text.lastIndexOf('\r', mark.position - 1)) + 1
  const before = text.slice(0, lineStart)
  const widest = Math.max(...(before.match(/^[ -]*/gm) ?? []).slice(-MAX_INDENT).map((blanks) => blanks.length))
  return `${before}${' '.repeat(Math.min(widest + 1, MAX_INDENT))}${text.slice(lineStart)}`
}

const MAX_INDENT = 1000

/** What stands behind a document in brackets is never looked at by the reference. Undefined: the complaint is another. */
function withoutRest(text: string, { reason, mark }: YAMLException): string | undefined {
  if (mark === undefined || !reason.startsWith('end of the stream or a document separator')) return undefined
  const isBracketed = /^(?:\s|#.*\n)*(?:---\s+)?[[{]/.test(text)
  return isBracketed && mark.position > 0 ? text.slice(0, mark.position) : undefined
}

/** A value with the number of nodes that it has, and how long it is, when its aliases are written out. */
interface Built {
  readonly value: Value
  readonly size: number
  readonly length: number
}

const NOTHING: Built = Object.freeze({ value: null, size: 1, length: 4 })

/** What aliases stand for may be as long as a body, all of it together: a long text is one node however long it is. */
const MAX_ALIASED_LENGTH = 3 * 1024 * 1024

/** As many as the reference tells of other formats. */
const MAX_DUPLICATES = 100

class Builder {
  readonly #yaml = jsYaml()
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #anchors = new Map<string, Built | 'open'>()
  readonly #duplicates: string[] = []
  #lines: LineIndex | undefined
  #at = 0
  #nodes = 0
  #aliased = 0
  #aliasedLength = 0

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
  }

  document(): YamlDocument {
    // The first event opens the document.
    this.#at = 1
    const value = this.#events.length === 0 ? null : this.#node().value
    return { value, duplicates: this.#duplicates }
  }

  #node(): Built {
    const event = this.#events[this.#at]
    this.#at += 1
    switch (event?.type) {
      case this.#yaml.EVENT_ID.SCALAR:
        return this.#anchored(event, () => scalarBuilt(this.#scalar(event)))
      case this.#yaml.EVENT_ID.SEQUENCE:
        return this.#anchored(event, () => this.#list())
      case this.#yaml.EVENT_ID.MAPPING:
        return this.#anchored(event, () => this.#map())
      case this.#yaml.EVENT_ID.ALIAS:
        return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd))
      default:
        return NOTHING
    }
  }

  #anchored(event: ScalarEvent | MappingEvent | Extract<Event, { type: 2 }>, build: () => Built): Built {
    const name = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd)
    if (name !== undefined) this.#anchors.set(name, 'open')
    const built = build()
    if (name !== undefined) this.#anchors.set(name, built)
    this.#charge(1, false)
    return built
  }

  #alias(name: string): Built {
    const built = this.#anchors.get(name)
    if (built === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`)
    if (built === 'open') throw new YamlError(`yaml: anchor '${name}' value contains itself`)
    this.#charge(built.size, true)
    this.#chargeLength(built.length)
    return built
  }

  /** Values are shared, but whoever walks them meets them once an alias: the reference's bound on that holds here too. */
  #charge(nodes: number, aliased: boolean): void {
    this.#nodes += nodes
    if (aliased) this.#aliased += nodes
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedShare(this.#nodes)) {
      throw new YamlError('yaml: document contains excessive aliasing')
    }
  }

  #chargeLength(length: number): void {
    this.#aliasedLength += length
    if (this.#aliasedLength > MAX_ALIASED_LENGTH) throw new YamlError('yaml: document contains excessive aliasing')
  }

  #list(): Built {
    const items: Value[] = []
    let size = 1
    let length = 2
    while (this.#open()) {
      const item = this.#node()
      items.push(item.value)
      size += item.size
      length += item.length + 1
    }
    return { value: items, size, length }
  }

  #map(): Built {
    const entries = new Map<string, Value>()
    let size = 1
    let length = 2
    while (this.#open()) {
      const line = this.#events[this.#at]
      const key = this.#key()
      const value = this.#node()
      size += value.size + 1
      length += value.length + 2
      if (key === MERGE) this.#merge(entries, value, line)
      else {
        length += key.text.length + 2
        this.#set(entries, key, value.value, line)
      }
    }
    return { value: sortedMap(entries), size, length }
  }

  #set(entries: Map<string, Value>, key: Key, value: Value, event: Event | undefined): void {
    if (entries.has(key.text) && this.#duplicates.length < MAX_DUPLICATES) {
      this.#duplicates.push(`line ${this.#lineOf(event)}: key ${key.shown} already set in map`)
    }
    entries.set(key.text, value)
  }

  #merge(entries: Map<string, Value>, { value: source, length }: Built, event: Event | undefined): void {
    this.#chargeLength(length)
    const maps = isMap(source) ? [source] : isList(source) ? [...source].reverse() : []
    if (!maps.every(isMap) || (!isMap(source) && !isList(source))) {
      throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
    }
    for (const map of maps as readonly ValueMap[]) {
      const keys = Object.keys(map)
      this.#charge(keys.length, true)
      for (const key of keys) this.#set(entries, { text: key, shown: quoted(key) }, map[key] ?? null, event)
    }
  }

  #key(): Key | typeof MERGE {
    const event = this.#events[this.#at]
    if (event?.type === this.#yaml.EVENT_ID.SCALAR) {
      if (this.#isPlain(event) && event.tagStart < 0 && this.#raw(event) === '<<') {
        this.#at += 1
        return MERGE
      }
      const scalar = this.#scalar(event)
      this.#at += 1
      this.#anchored(event, () => scalarBuilt(scalar))
      return keyOf(scalar)
    }
    const { value } = this.#node()
    if (typeof value === 'object' && value !== null) throw new YamlError('yaml: invalid map key')
    return keyOf(value)
  }

  /** Whether the collection goes on; where it does not, its end is passed. */
  #open(): boolean {
    const event = this.#events[this.#at]
    if (event !== undefined && event.type !== this.#yaml.EVENT_ID.POP) return true
    this.#at += 1
    return false
  }

  #raw(event: ScalarEvent): string {
    if (event.valueStart < 0) return ''
    const value = this.#yaml.getScalarValue(this.#text, event)
    // A block that the end of the input cuts off has no line break to keep.
    const cut = event.indent >= 0 && event.valueEnd >= this.#text.length && !/[\r\n]$/.test(this.#text)
    return cut && value.endsWith('\n') ? value.slice(0, -1) : value
  }

  #isPlain(event: ScalarEvent): boolean {
    return event.style === this.#yaml.SCALAR_STYLE.PLAIN
  }

  #scalar(event: ScalarEvent): PlainScalar {
    const text = this.#raw(event)
    const tag = event.tagStart < 0 ? '' : this.#text.slice(event.tagStart, event.tagEnd)
    return tag === '' ? (this.#isPlain(event) ? resolvePlain(text) : text) : tagged(tag, text)
  }

  #lineOf(event: Event | undefined): number {
    const place = event?.type === this.#yaml.EVENT_ID.SCALAR ? Math.max(event.valueStart, 0) : 0
    this.#lines ??= new LineIndex(this.#text)
    return this.#lines.at(place)
  }
}

const MERGE = Symbol('merge')

interface Key {
  readonly text: string
  /** As messages show it: texts in quotes, numbers without. */
  readonly shown: string
}

function keyOf(scalar: PlainScalar): Key {
  if (scalar === null) throw new YamlError('unsupported map key of type: null')
  const text = String(scalar)
  return { text, shown: typeof scalar === 'string' ? quoted(text) : text }
}

const YAML_TAG = 'tag:yaml.org,2002:'

/** A scalar whose tag says what it is; tags that we do not know leave the text. */
function tagged(tag: string, text: string): PlainScalar {
  const name = tag.startsWith('!!')
    ? tag.slice(2)
    : tag.startsWith(`!<${YAML_TAG}`)
      ? tag.slice(2 + YAML_TAG.length, -1)
      : ''
  switch (name) {
    case 'int':
    case 'float': {
      const number = resolveNumber(text)
      if (number !== undefined) return number
      throw new YamlError(`yaml: cannot decode !!str \`${text.slice(0, 30)}\` as a !!${name}`)
    }
    case 'bool':
    case 'null': {
      const value = resolvePlain(text)
      if (name === 'bool' ? typeof value === 'boolean' : value === null) return value
      throw new YamlError(`yaml: cannot decode !!str \`${text.slice(0, 30)}\` as a !!${name}`)
    }
    case 'binary': {
      const packed = text.replace(/\s/g, '')
      if (!/^(?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?$/.test(packed)) {
        throw new YamlError('yaml: !!binary value contains invalid base64 data')
      }
      return Buffer.from(packed, 'base64').toString('utf8')
    }
    default:
      return text
  }
}

function scalarBuilt(scalar: PlainScalar): Built {
  return { value: jsonScalar(scalar), size: 1, length: typeof scalar === 'string' ? scalar.length + 2 : 8 }
}

function jsonScalar(scalar: PlainScalar): Value {
  if (typeof scalar === 'number' && !Number.isFinite(scalar)) {
    throw new YamlError(`json: unsupported value: ${Number.isNaN(scalar) ? 'NaN' : scalar > 0 ? '+Inf' : '-Inf'}`)
  }
  return scalar
}

function sortedMap(entries: ReadonlyMap<string, Value>): ValueMap {
  const map: Record<string, Value> = {}
  if (isSorted(entries.keys())) for (const [key, value] of entries) setOwn(map, key, value)
  else for (const key of [...entries.keys()].sort()) setOwn(map, key, entries.get(key) ?? null)
  return map
}

function isSorted(keys: Iterable<string>): boolean {
  let before = ''
  for (const key of keys) {
    if (key < before) return false
    before = key
  }
  return true
}

/** How large a share of all nodes may come out of aliases: nearly all in small documents, a tenth in huge ones. */
function allowedShare(nodes: number): number {
  if (nodes <= 400_000) return 0.99
  return nodes >= 4_000_000 ? 0.1 : 0.99 - 0.89 * ((nodes - 400_000) / 3_600_000)
}
