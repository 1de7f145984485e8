// Parses YAML as the reference does: the first document, scalars of YAML 1.1, merge keys, the last of duplicate keys. js-yaml
// gives the events; values are built here, with limits on aliases and depth.
import { isUtf8 } from 'node:buffer'
import type { Event, MappingEvent, ScalarEvent, YAMLException } from 'js-yaml'
import { quoted } from '../api/field-error.ts'
import { type Value, type ValueMap, isList, isMap, setOwn } from '../api/value.ts'
import { jsYaml } from '../lib/late-packages.ts'
import { MAX_JSON_DEPTH } from './json-exact.ts'
import { LineIndex } from './line-index.ts'
import { firstDocument } from './yaml-document.ts'
import { tooManyValues } from './value-limit.ts'
import { syntaxMessage, YamlError } from './yaml-faults.ts'
import { type PlainScalar, resolvePlain } from './yaml-scalar.ts'
import { isMergeTag, taggedScalar } from './yaml-tags.ts'

export interface YamlDocument {
  /** The members of maps are sorted, as the reference's are when it goes on from here. */
  readonly value: Value
  /** Keys that occur again, in document order: `line 7: key "paused" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Reads the first document; nothing at all is null. Throws `YamlError`. */
export function parseYaml(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): YamlDocument {
  if (!isUtf8(bytes)) throw new YamlError('yaml: invalid leading UTF-8 octet')
  const yaml = jsYaml()
  let text = firstDocument(bytes.toString('utf8'))
  for (let budget = INDENT_BUDGET - text.length; ; budget -= text.length) {
    try {
      const events = yaml.parseEvents(text, { maxDepth: MAX_JSON_DEPTH })
      if (events.length > 2 * maxValues) throw tooManyValues()
      return new Builder(text, events).document()
    } catch (error) {
      if (!(error instanceof yaml.YAMLException)) throw error
      const mended =
        budget < 0 ? undefined : (withIndent(text, error) ?? withoutRest(text, error) ?? withBareQuote(text, error))
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

/** A single quote may be escaped between double ones, the reference says, and means itself. Undefined: the complaint is another. */
function withBareQuote(text: string, { reason, mark }: YAMLException): string | undefined {
  if (!reason.startsWith('unknown escape') || mark === undefined) return undefined
  const escape = text.lastIndexOf('\\', mark.position)
  return text[escape + 1] === "'" ? text.slice(0, escape) + text.slice(escape + 1) : undefined
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

/** As many as the reference reports for other formats. */
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
  /** How many are open around what comes now. */
  #brackets = 0

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
      case this.#yaml.EVENT_ID.MAPPING: {
        const scalar = this.#withColon(event)
        return this.#anchored(event, () => (scalar === undefined ? this.#map() : scalarBuilt(scalar)))
      }
      case this.#yaml.EVENT_ID.ALIAS:
        return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd))
      default:
        return NOTHING
    }
  }

  #anchored(event: ScalarEvent | MappingEvent | Extract<Event, { type: 2 }>, build: () => Built): Built {
    const name = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd)
    if (name !== undefined) this.#anchors.set(name, 'open')
    const isBracketed = event.type !== this.#yaml.EVENT_ID.SCALAR && event.style === this.#yaml.COLLECTION_STYLE.FLOW
    if (isBracketed) this.#brackets += 1
    const built = build()
    if (isBracketed) this.#brackets -= 1
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

  /** Aliased values are shared, but every walk visits them once an alias: the reference's bound on that holds here too. */
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
      const keyPlace = this.#placeOf(this.#events[this.#at]) ?? 0
      const key = this.#key()
      const place = this.#placeOf(this.#events[this.#at]) ?? keyPlace
      const value = this.#node()
      size += value.size + 1
      length += value.length + 2
      if (key === MERGE) this.#merge(entries, value, place)
      else {
        length += key.text.length + 2
        this.#set(entries, key, value.value, place)
      }
    }
    return { value: sortedMap(entries), size, length }
  }

  /** `place` is where the value begins: that line is reported. */
  #set(entries: Map<string, Value>, key: Key, value: Value, place: number): void {
    if (entries.has(key.text) && this.#duplicates.length < MAX_DUPLICATES) {
      this.#duplicates.push(`line ${this.#lineAt(place)}: key ${key.shown} already set in map`)
    }
    entries.set(key.text, value)
  }

  #merge(entries: Map<string, Value>, { value: source, length }: Built, place: number): void {
    this.#chargeLength(length)
    const maps = isMap(source) ? [source] : isList(source) ? [...source].reverse() : []
    if (!maps.every(isMap) || (!isMap(source) && !isList(source))) {
      throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
    }
    for (const map of maps as readonly ValueMap[]) {
      const keys = Object.keys(map)
      this.#charge(keys.length, true)
      for (const key of keys) this.#set(entries, { text: key, shown: quoted(key) }, map[key] ?? null, place)
    }
  }

  #key(): Key | typeof MERGE {
    const event = this.#events[this.#at]
    if (event?.type === this.#yaml.EVENT_ID.SCALAR) {
      if (this.#isPlain(event) && isMergeTag(this.#tag(event)) && this.#raw(event) === '<<') {
        this.#at += 1
        return MERGE
      }
      const scalar = this.#colonBehind(event) ? resolvePlain(`${this.#raw(event)}:`) : this.#scalar(event)
      this.#at += 1
      this.#anchored(event, () => scalarBuilt(scalar))
      return keyOf(scalar)
    }
    const { value } = this.#node()
    if (typeof value === 'object' && value !== null) throw new YamlError('yaml: invalid map key')
    return keyOf(value)
  }

  /**
   * In brackets a colon ends a scalar only before a blank, the reference says: the item `fe80::` is a text, which the library takes
   * for a pair without a value. Undefined: it is another pair. Else its events are passed.
   */
  #withColon(pair: MappingEvent): PlainScalar | undefined {
    const key = this.#events[this.#at]
    if (this.#text[pair.start] === '{' || !this.#colonBehind(key)) return undefined
    this.#at += 3
    return resolvePlain(`${this.#raw(key)}:`)
  }

  /** Whether what comes now is a key in brackets with a colon that belongs to it, and nothing behind that. */
  #colonBehind(key: Event | undefined): key is ScalarEvent {
    const value = this.#events[this.#at + 1]
    if (key?.type !== this.#yaml.EVENT_ID.SCALAR || value?.type !== this.#yaml.EVENT_ID.SCALAR) return false
    if (!this.#isPlain(key) || key.tagStart >= 0 || value.valueStart >= 0) return false
    return /^:[,\]}]/.test(this.#text.slice(key.valueEnd, key.valueEnd + 2))
  }

  #tag({ tagStart, tagEnd }: ScalarEvent): string {
    return tagStart < 0 ? '' : this.#text.slice(tagStart, tagEnd)
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
    if (event.style === this.#yaml.SCALAR_STYLE.DOUBLE_QUOTED) this.#checkEscapes(event)
    if (this.#brackets > 0 && this.#isPlain(event)) this.#checkQuestion(event)
    const value = this.#yaml.getScalarValue(this.#text, event)
    // A block that the end of the input cuts off has no line break to keep.
    const cut = event.indent >= 0 && event.valueEnd >= this.#text.length && !/[\r\n]$/.test(this.#text)
    return cut && value.endsWith('\n') ? value.slice(0, -1) : value
  }

  /** The library knows an escape of later versions of YAML. */
  #checkEscapes({ valueStart, valueEnd }: ScalarEvent): void {
    const text = this.#text.slice(valueStart, valueEnd)
    if (!text.includes('\\/')) return
    for (const { 0: escape, index } of text.matchAll(/\\./gs)) {
      if (escape === '\\/') throw this.#fault('unknown escape sequence', valueStart + index + 2)
    }
  }

  /** In brackets a question mark ends a scalar, the reference says. */
  #checkQuestion({ valueStart, valueEnd }: ScalarEvent): void {
    const at = this.#text.slice(valueStart, valueEnd).indexOf('?')
    if (at > 0) throw this.#fault('missed comma between flow collection entries', valueStart + at)
  }

  #fault(reason: string, position: number): YamlError {
    return new YamlError(syntaxMessage(this.#text, { reason, mark: { position, line: this.#lineAt(position) - 1 } }))
  }

  #isPlain(event: ScalarEvent): boolean {
    return event.style === this.#yaml.SCALAR_STYLE.PLAIN
  }

  #scalar(event: ScalarEvent): PlainScalar {
    const text = this.#raw(event)
    const tag = this.#tag(event)
    return tag === '' ? (this.#isPlain(event) ? resolvePlain(text) : text) : taggedScalar(tag, text)
  }

  /** Where a node begins; undefined where it is empty, or a block whose line is that of its key. */
  #placeOf(event: Event | undefined): number | undefined {
    if (event === undefined || !('anchorStart' in event)) return undefined
    const { anchorStart } = event
    if (event.type === this.#yaml.EVENT_ID.ALIAS) return anchorStart
    const begins = event.type === this.#yaml.EVENT_ID.SCALAR ? (event.indent >= 0 ? -1 : event.valueStart) : event.start
    const marks = [anchorStart, event.tagStart, begins].filter((mark) => mark >= 0)
    return marks.length === 0 ? undefined : Math.min(...marks)
  }

  #lineAt(place: number): number {
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
