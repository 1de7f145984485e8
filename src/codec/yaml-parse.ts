// Parses YAML as the reference does: the first document, scalars of YAML 1.1, merge keys, the last of duplicate keys. js-yaml finds the
// events. This file builds the values, with limits on aliases and depth.
import { isUtf8 } from 'node:buffer'
import type {
  COLLECTION_STYLE,
  Event,
  EVENT_ID,
  MappingEvent,
  SCALAR_STYLE,
  ScalarEvent,
  SequenceEvent,
  YAMLException,
} from 'js-yaml'
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
  /** The members of maps are sorted, as in the reference. */
  readonly value: Value
  /** The texts about repeated keys, in document order: `line 7: key "paused" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Reads the first document. An empty stream is null. Throws `YamlError`. */
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

/** The number of characters that may be read again because the text was mended. */
const INDENT_BUDGET = 400_000

/**
 * The reference does not require indentation inside of brackets and quotes, but js-yaml does. Indents the reported line, which does not
 * change the value. Undefined: another fault was reported.
 */
function withIndent(text: string, { reason, mark }: YAMLException): string | undefined {
  if (reason !== 'deficient indentation' || mark === undefined) return undefined
  const lineStart = Math.max(text.lastIndexOf('\n', mark.position - 1), text.lastIndexOf('\r', mark.position - 1)) + 1
  const before = text.slice(0, lineStart)
  const widest = Math.max(...(before.match(/^[ -]*/gm) ?? []).slice(-MAX_INDENT).map((blanks) => blanks.length))
  return `${before}${' '.repeat(Math.min(widest + 1, MAX_INDENT))}${text.slice(lineStart)}`
}

const MAX_INDENT = 1000

/** The reference never reads the text after a document in brackets. Removes this text. Undefined: another fault was reported. */
function withoutRest(text: string, { reason, mark }: YAMLException): string | undefined {
  if (mark === undefined || !reason.startsWith('end of the stream or a document separator')) return undefined
  const isBracketed = /^(?:\s|#.*\n)*(?:---\s+)?[[{]/.test(text)
  return isBracketed && mark.position > 0 ? text.slice(0, mark.position) : undefined
}

/** The reference accepts an escaped single quote in double quotes. Removes the backslash. Undefined: another fault was reported. */
function withBareQuote(text: string, { reason, mark }: YAMLException): string | undefined {
  if (!reason.startsWith('unknown escape') || mark === undefined) return undefined
  const escape = text.lastIndexOf('\\', mark.position)
  return text[escape + 1] === "'" ? text.slice(0, escape) + text.slice(escape + 1) : undefined
}

/** A value that an anchor names, with its number of nodes and its length. Both numbers count its aliases as written out. */
interface Anchored {
  readonly value: Value
  readonly size: number
  readonly length: number
}

/** The copies of all aliases together may be as long as a body. A limit on nodes is not enough: a text of any length is one node. */
const MAX_ALIASED_LENGTH = 3 * 1024 * 1024

/** The reference reports at most this number of duplicates for other formats. */
const MAX_DUPLICATES = 100

/** The numbers of events and styles in js-yaml. They are repeated here because the package is loaded late. */
const SEQUENCE: typeof EVENT_ID.SEQUENCE = 2
const MAPPING: typeof EVENT_ID.MAPPING = 3
const SCALAR: typeof EVENT_ID.SCALAR = 4
const ALIAS: typeof EVENT_ID.ALIAS = 5
const POP: typeof EVENT_ID.POP = 6
const PLAIN: typeof SCALAR_STYLE.PLAIN = 1
const DOUBLE_QUOTED: typeof SCALAR_STYLE.DOUBLE_QUOTED = 3
const FLOW: typeof COLLECTION_STYLE.FLOW = 2

/** Builds the values of a document. It runs for every value of a body, so it allocates only values. */
class Builder {
  readonly #yaml = jsYaml()
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #anchors = new Map<string, Anchored | 'open'>()
  readonly #duplicates: string[] = []
  #lines: LineIndex | undefined
  #at = 0
  #nodes = 0
  #aliased = 0
  #aliasedLength = 0
  /** The number of open brackets at the current position. */
  #brackets = 0
  /** The number of nodes and the length of the last built value. Both count its aliases as written out. */
  #size = 1
  #length = 4

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
  }

  document(): YamlDocument {
    // The first event opens the document.
    this.#at = 1
    const value = this.#events.length === 0 ? null : this.#node()
    return { value, duplicates: this.#duplicates }
  }

  #node(): Value {
    const event = this.#events[this.#at]
    this.#at += 1
    switch (event?.type) {
      case SCALAR:
        return this.#anchored(event, this.#sized(this.#scalar(event)))
      case SEQUENCE:
      case MAPPING:
        return this.#anchored(event, this.#collection(event))
      case ALIAS:
        return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd))
      default:
        return this.#sized(null)
    }
  }

  #collection(event: SequenceEvent | MappingEvent): Value {
    const scalar = event.type === MAPPING ? this.#withColon(event) : undefined
    if (scalar !== undefined) return this.#sized(scalar)
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), 'open')
    if (event.style === FLOW) this.#brackets += 1
    const value = event.type === MAPPING ? this.#map() : this.#list()
    if (event.style === FLOW) this.#brackets -= 1
    return value
  }

  /** Remembers the last built value by its anchor, if it has one. Returns the value. */
  #anchored(event: ScalarEvent | SequenceEvent | MappingEvent, value: Value): Value {
    if (event.anchorStart >= 0) {
      const name = this.#text.slice(event.anchorStart, event.anchorEnd)
      this.#anchors.set(name, { value, size: this.#size, length: this.#length })
    }
    this.#charge(1, false)
    return value
  }

  #sized(scalar: PlainScalar): Value {
    if (typeof scalar === 'number' && !Number.isFinite(scalar)) {
      throw new YamlError(`json: unsupported value: ${Number.isNaN(scalar) ? 'NaN' : scalar > 0 ? '+Inf' : '-Inf'}`)
    }
    this.#size = 1
    this.#length = typeof scalar === 'string' ? scalar.length + 2 : 8
    return scalar
  }

  #alias(name: string): Value {
    const built = this.#anchors.get(name)
    if (built === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`)
    if (built === 'open') throw new YamlError(`yaml: anchor '${name}' value contains itself`)
    this.#charge(built.size, true)
    this.#chargeLength(built.length)
    this.#size = built.size
    this.#length = built.length
    return built.value
  }

  /** Aliased values are shared, but every walk visits them once for each alias. So the limit of the reference applies. */
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

  #list(): Value {
    const items: Value[] = []
    let size = 1
    let length = 2
    while (this.#open()) {
      items.push(this.#node())
      size += this.#size
      length += this.#length + 1
    }
    this.#size = size
    this.#length = length
    return items
  }

  #map(): Value {
    const members = new Members()
    let size = 1
    let length = 2
    while (this.#open()) {
      const keyAt = this.#at
      const key = this.#key()
      const valueAt = this.#at
      const value = this.#node()
      size += this.#size + 1
      length += this.#length + 2
      if (key === MERGE) this.#merge(members, value, keyAt, valueAt)
      else {
        const text = String(key)
        length += text.length + 2
        if (members.set(text, value)) this.#repeated(key, keyAt, valueAt)
      }
    }
    this.#size = size
    this.#length = length
    return members.sorted()
  }

  /** Reports a repeated key with the line where its value begins. Messages show texts in quotes, and numbers without quotes. */
  #repeated(key: PlainScalar, keyAt: number, valueAt: number): void {
    if (this.#duplicates.length >= MAX_DUPLICATES) return
    const place = this.#placeOf(this.#events[valueAt]) ?? this.#placeOf(this.#events[keyAt]) ?? 0
    const shown = typeof key === 'string' ? quoted(key) : String(key)
    this.#duplicates.push(`line ${this.#lineAt(place)}: key ${shown} already set in map`)
  }

  #merge(members: Members, source: Value, keyAt: number, valueAt: number): void {
    this.#chargeLength(this.#length)
    const maps = isMap(source) ? [source] : isList(source) ? [...source].reverse() : []
    if (!maps.every(isMap) || (!isMap(source) && !isList(source))) {
      throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
    }
    for (const map of maps as readonly ValueMap[]) {
      const keys = Object.keys(map)
      this.#charge(keys.length, true)
      for (const key of keys) if (members.set(key, map[key] ?? null)) this.#repeated(key, keyAt, valueAt)
    }
  }

  #key(): PlainScalar | typeof MERGE {
    const event = this.#events[this.#at]
    let key: Value
    if (event?.type === SCALAR) {
      if (this.#isMerge(event)) {
        this.#at += 1
        return MERGE
      }
      const scalar = this.#colonBehind(event) ? resolvePlain(`${this.#raw(event)}:`) : this.#scalar(event)
      this.#at += 1
      key = this.#anchored(event, this.#sized(scalar))
    } else key = this.#node()
    if (key === null) throw new YamlError('unsupported map key of type: null')
    if (typeof key === 'object') throw new YamlError('yaml: invalid map key')
    return key
  }

  #isMerge(key: ScalarEvent): boolean {
    const isWritten = key.valueEnd - key.valueStart === 2 && this.#text.startsWith('<<', key.valueStart)
    return isWritten && key.style === PLAIN && isMergeTag(this.#tag(key))
  }

  /**
   * In the reference, a colon in brackets ends a scalar only before a blank: the item `fe80::` is a text. js-yaml reads this item as a pair
   * without a value. Skips the events of such a pair, and returns the text. Undefined: the pair is not of this form.
   */
  #withColon(pair: MappingEvent): PlainScalar | undefined {
    const key = this.#events[this.#at]
    if (this.#text[pair.start] === '{' || !this.#colonBehind(key)) return undefined
    this.#at += 3
    return resolvePlain(`${this.#raw(key)}:`)
  }

  /** Whether the next event is a key in brackets with a colon after it, and no value after the colon. */
  #colonBehind(key: Event | undefined): key is ScalarEvent {
    const value = this.#events[this.#at + 1]
    if (key?.type !== SCALAR || value?.type !== SCALAR || value.valueStart >= 0) return false
    if (key.style !== PLAIN || key.tagStart >= 0) return false
    return this.#text[key.valueEnd] === ':' && /[,\]}]/.test(this.#text[key.valueEnd + 1] ?? '')
  }

  #tag({ tagStart, tagEnd }: ScalarEvent): string {
    return tagStart < 0 ? '' : this.#text.slice(tagStart, tagEnd)
  }

  /** Whether the collection continues. If it has ended, its end is skipped. */
  #open(): boolean {
    const event = this.#events[this.#at]
    if (event !== undefined && event.type !== POP) return true
    this.#at += 1
    return false
  }

  #raw(event: ScalarEvent): string {
    if (event.valueStart < 0) return ''
    if (this.#brackets > 0 && event.style === PLAIN) this.#checkQuestion(event)
    if (event.fast) return this.#text.slice(event.valueStart, event.valueEnd)
    if (event.style === DOUBLE_QUOTED) this.#checkEscapes(event)
    const value = this.#yaml.getScalarValue(this.#text, event)
    // A block that the end of the input cuts off has no line break to keep.
    const cut = event.indent >= 0 && event.valueEnd >= this.#text.length && !/[\r\n]$/.test(this.#text)
    return cut && value.endsWith('\n') ? value.slice(0, -1) : value
  }

  /** Throws if the scalar has the escape `\/` of later versions of YAML, which js-yaml accepts. */
  #checkEscapes({ valueStart, valueEnd }: ScalarEvent): void {
    const text = this.#text.slice(valueStart, valueEnd)
    if (!text.includes('\\/')) return
    for (const { 0: escape, index } of text.matchAll(/\\./gs)) {
      if (escape === '\\/') throw this.#fault('unknown escape sequence', valueStart + index + 2)
    }
  }

  /** Throws if the scalar has a question mark: in the reference, a question mark in brackets ends a scalar. */
  #checkQuestion({ valueStart, valueEnd }: ScalarEvent): void {
    const at = this.#text.slice(valueStart, valueEnd).indexOf('?')
    if (at > 0) throw this.#fault('missed comma between flow collection entries', valueStart + at)
  }

  #fault(reason: string, position: number): YamlError {
    return new YamlError(syntaxMessage(this.#text, { reason, mark: { position, line: this.#lineAt(position) - 1 } }))
  }

  #scalar(event: ScalarEvent): PlainScalar {
    const text = this.#raw(event)
    if (event.tagStart >= 0) return taggedScalar(this.#tag(event), text)
    return event.style === PLAIN ? resolvePlain(text) : text
  }

  /** The position at which a node begins. Undefined: the node is empty, or is a block on the line of its key. */
  #placeOf(event: Event | undefined): number | undefined {
    if (event === undefined || !('anchorStart' in event)) return undefined
    const { anchorStart } = event
    if (event.type === ALIAS) return anchorStart
    const begins = event.type === SCALAR ? (event.indent >= 0 ? -1 : event.valueStart) : event.start
    const marks = [anchorStart, event.tagStart, begins].filter((mark) => mark >= 0)
    return marks.length === 0 ? undefined : Math.min(...marks)
  }

  #lineAt(place: number): number {
    this.#lines ??= new LineIndex(this.#text)
    return this.#lines.at(place)
  }
}

const MERGE = Symbol('merge')

/** The members of a map that is being read. In most maps they come in order. */
class Members {
  readonly #members: Record<string, Value> = {}
  #last = ''
  #isSorted = true

  /** Sets a member. Returns whether the key was set before. */
  set(key: string, value: Value): boolean {
    const isNext = this.#isSorted && key > this.#last
    const isAgain = !isNext && Object.hasOwn(this.#members, key)
    if (isNext) this.#last = key
    else if (!isAgain && key !== this.#last) this.#isSorted = false
    setOwn(this.#members, key, value)
    return isAgain
  }

  sorted(): ValueMap {
    if (this.#isSorted) return this.#members
    const map: Record<string, Value> = {}
    for (const key of Object.keys(this.#members).sort()) setOwn(map, key, this.#members[key] ?? null)
    return map
  }
}

/** The share of all nodes that may come from aliases: nearly all nodes in small documents, a tenth in huge documents. */
function allowedShare(nodes: number): number {
  if (nodes <= 400_000) return 0.99
  return nodes >= 4_000_000 ? 0.1 : 0.99 - 0.89 * ((nodes - 400_000) / 3_600_000)
}
