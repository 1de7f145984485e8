// The field sets (`fieldsV1`) in stored JSON. They are a third of many objects, and are equal in all objects made from one template. So
// each text is parsed only once, and the objects share the parsed record. When a record is written, its remembered text is used again.
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import { jsonOrAbsent } from '../api/json-text.ts'
import { withRightTypes } from '../schema/stored-types.ts'
import { plainJson } from './json-encode.ts'
import { type EncodeText, parseAsItIs, type ParseObject, parseStoredText } from './stored-json.ts'

const MAX_KNOWN = 64
const MAX_RECENT = 8
const MAX_TEXT_LENGTH = 16 * 1024
const LIST = '"managedFields":['
const FIELDS = '"fieldsV1":'
const NO_FIELDS: ValueMap = {}
const EMPTY_FIELDS = `${FIELDS}{}`

/** Returns functions that read and write the objects of a resource. `plain` writes an object without remembered texts. */
export function rememberingManagedFields(plain: EncodeText): {
  readonly encode: EncodeText
  readonly parse: ParseObject
} {
  const fields = new StoredFieldSets(plain)
  return { encode: (object) => fields.encode(object), parse: (bytes) => fields.parse(bytes) }
}

interface StoredFields {
  readonly text: string
  readonly record: ValueMap
}

/** Reads and writes the objects of one resource. The number of remembered texts is bounded, and the oldest are dropped first. */
class StoredFieldSets {
  readonly #encode: EncodeText
  readonly #known = new Map<string, StoredFields>()
  /** Texts that occurred more than once. They are tried first, without a search for the end of the text. */
  #recent: readonly StoredFields[] = []
  readonly #texts = new WeakMap<ValueMap, string>()

  constructor(encode: EncodeText) {
    this.#encode = encode
  }

  /** Like `parseStored`, but equal field sets share one record. */
  parse(bytes: Buffer): ApiObject | undefined {
    const text = bytes.toString('utf8')
    const { rest, records } = this.#takeOut(text)
    if (records.length === 0) return parseStoredText(text)
    const object = parseAsItIs(rest)
    return object !== undefined && putBack(object, records)
      ? (withRightTypes(object) as ApiObject)
      : parseStoredText(text)
  }

  /** Returns the same text as the plain `encode`. */
  encode(object: ApiObject): string {
    const list = own(object.metadata, 'managedFields')
    if (!isList(list)) return this.#encode(object)
    const texts: string[] = []
    const managedFields = list.map((entry) => {
      const record = isMap(entry) ? own(entry, 'fieldsV1') : undefined
      if (!isMap(entry) || !isMap(record)) return entry
      texts.push(this.#textOf(record))
      return { ...entry, fieldsV1: NO_FIELDS }
    })
    const text = this.#encode({ ...object, metadata: { ...object.metadata, managedFields } })
    return putIn(text, texts) ?? this.#encode(object)
  }

  #textOf(record: ValueMap): string {
    let text = this.#texts.get(record)
    if (text === undefined) this.#texts.set(record, (text = plainJson(record)))
    return text
  }

  /** The field sets in the list of managers, and the text with `null` in their places. */
  #takeOut(text: string): { readonly rest: string; readonly records: readonly ValueMap[] } {
    const records: ValueMap[] = []
    const list = text.indexOf(LIST)
    if (list < 0) return { rest: text, records }
    let rest = ''
    let behind = 0
    for (let from = list + LIST.length; ; from = behind) {
      const at = text.indexOf(FIELDS, from)
      // The list may end at this bracket. A later member of the same name can be something else.
      if (at < 0 || text.slice(from, at).includes(']')) break
      const start = at + FIELDS.length
      const fields = this.#fieldsAt(text, start)
      if (fields === undefined) break
      records.push(fields.record)
      rest += `${text.slice(behind, start)}null`
      behind = start + fields.text.length
      if (text.startsWith('}]', behind)) break
    }
    return { rest: rest + text.slice(behind), records }
  }

  /** The field set at a position. Undefined: there is no JSON map. */
  #fieldsAt(text: string, start: number): StoredFields | undefined {
    // A map ends with its last bracket, so a map that begins with the text of a known map is equal to the known map.
    for (const fields of this.#recent) if (text.startsWith(fields.text, start)) return fields
    const end = endOfMap(text, start)
    if (end < 0) return undefined
    const found = text.slice(start, end)
    const known = this.#known.get(found)
    if (known === undefined) return this.#remember(found)
    this.#recent = [known, ...this.#recent.slice(0, MAX_RECENT - 1)]
    return known
  }

  #remember(found: string): StoredFields | undefined {
    const record = jsonOrAbsent(found) as ValueMap | undefined
    if (record === undefined || found.length > MAX_TEXT_LENGTH) return record && { text: found, record }
    // The text is copied, because a part of a text keeps the whole text in memory.
    const text = Buffer.from(found).toString()
    const fields = { text, record }
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(text, fields)
    return fields
  }
}

/** The text with the field sets put into its first list of managers. Undefined: the text has no place for them. */
function putIn(text: string, fields: readonly string[]): string | undefined {
  let out = ''
  let behind = 0
  let at = text.indexOf(LIST)
  for (const written of fields) {
    at = at < 0 ? -1 : text.indexOf(EMPTY_FIELDS, at)
    if (at < 0) return undefined
    out += text.slice(behind, at + FIELDS.length) + written
    behind = at += EMPTY_FIELDS.length
  }
  return out + text.slice(behind)
}

/** Puts the field sets into the object, which is not shared yet. Returns false if the nulls are not where the field sets were. */
function putBack(object: ApiObject, records: readonly ValueMap[]): boolean {
  const list = own(object.metadata, 'managedFields')
  if (!isList(list)) return false
  let count = 0
  for (const entry of list) {
    if (!isMap(entry) || own(entry, 'fieldsV1') !== null) continue
    const record = records[count++]
    if (record === undefined) return false
    ;(entry as Record<string, Value>)['fieldsV1'] = record
  }
  return count === records.length
}

/** The position after the map that begins at `start`. -1: there is no map, or it does not end. */
function endOfMap(text: string, start: number): number {
  if (text[start] !== '{') return -1
  let depth = 0
  for (let i = start; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i)
        if (i < 0) return -1
        break
      case '{':
        depth++
        break
      case '}':
        if (--depth === 0) return i + 1
        break
    }
  }
  return -1
}

/** The position of the quote that ends the string with its first quote at `start`. -1: the string does not end. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '"') return i
    if (text[i] === '\\') i++
  }
  return -1
}
