// Matches objects with a selection by their stored bytes: labels and fields are found by scanning, not by parsing. The exact
// requirements of a selection (a name, a namespace, a value of an indexed field, a label) are exposed, to narrow the search.
import { createHash } from 'node:crypto'
import type { StoredObject } from '../api/read.ts'
import { readField, type SelectableField } from '../api/selector-fields.ts'
import { exactField, type FieldSelector, type LabelSelector, matchesFields } from '../api/selector.ts'
import { matchesShard, type ShardSelector } from '../api/shard-selector.ts'
import { findValue } from '../codec/json-scan.ts'
import { layoutOf } from '../codec/resource-version-splice.ts'
import { parseStoredJson } from '../codec/stored-json.ts'
import type { Pin, Predicate, Selection, StoredResource } from './store.ts'

/** The selectable parts of an object. Objects of the cache know the place of their labels. */
export interface Selectable extends StoredObject {
  /** The label map as JSON text. Empty: the object has no labels. */
  readonly labelText?: string
  /** The text of an indexed field. */
  knownField?(name: string): string | undefined
}

export interface Matcher {
  /** Equal for matchers that match the same objects. */
  readonly key: string
  /** The only name, namespace, value of an indexed field or label that can match. */
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly indexed: { readonly field: SelectableField; readonly value: string } | undefined
  readonly label: { readonly key: string; readonly value: string } | undefined
  /** The pins that hold for the stored form of every matching object. */
  readonly pins: readonly Pin[]
  /** Whether every object with the values of the pin matches. */
  isAnsweredBy(pin: Pin): boolean
  /** See `Predicate`. */
  readonly isSlow: boolean
  readonly turns: Predicate['turns']
  matches(object: Selectable): boolean
}

/** Undefined: everything is selected. */
export function matcherOf(resource: StoredResource, selection: Selection | undefined): Matcher | undefined {
  const labels = selection?.labels?.requirements.length ? selection.labels : undefined
  const fields = selection?.fields?.terms.length ? selection.fields : undefined
  const shard = selection?.shard
  const where = selection?.where
  if (labels === undefined && fields === undefined && shard === undefined && where === undefined) return undefined
  return new SelectionMatcher(resource, { labels, fields, shard, where })
}

type GivenSelection = { readonly [Part in keyof Selection]-?: Selection[Part] | undefined }

class SelectionMatcher implements Matcher {
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly indexed: Matcher['indexed']
  readonly label: Matcher['label']
  readonly isSlow: boolean
  readonly turns: Predicate['turns']
  readonly #resource: StoredResource
  readonly #labels: LabelSelector | undefined
  readonly #fields: FieldSelector | undefined
  readonly #shard: ShardSelector | undefined
  readonly #where: Predicate | undefined
  #key: string | undefined

  constructor(resource: StoredResource, { labels, fields, shard, where }: GivenSelection) {
    this.#resource = resource
    this.#labels = labels
    this.#fields = fields
    this.#shard = shard
    this.#where = where
    this.isSlow = where?.isSlow === true
    this.turns = where?.turns
    this.name = exactText(fields, where, 'name')
    this.namespace = exactText(fields, where, 'namespace')
    this.indexed = fields === undefined ? undefined : pinnedField(resource, fields)
    this.label = labels === undefined ? undefined : pinnedLabel(labels)
  }

  get pins(): readonly Pin[] {
    const fields = this.#fields === undefined ? [] : fieldPins(this.#resource, this.#fields)
    const { form } = this.#resource
    if (form !== undefined && !form.keepsValues()) return []
    return [...fields, ...(this.#where?.pins ?? [])]
  }

  isAnsweredBy(pin: Pin): boolean {
    const where = this.#where
    if (where?.arePinsEnough !== true || where.pins.length > 1 || where.pins[0] !== pin) return false
    const { form } = this.#resource
    const hasMore = this.#labels !== undefined || this.#fields !== undefined || this.#shard !== undefined
    return !hasMore && (form === undefined || form.isAsStored())
  }

  get key(): string {
    this.#key ??= shortened(
      JSON.stringify(
        [this.#labels?.requirements, this.#fields?.terms, this.#shard?.text, this.#where?.key],
        (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
      ),
    )
    return this.#key
  }

  matches(object: Selectable): boolean {
    if (this.#fields !== undefined && !matchesFields(this.#fields, (field) => this.#field(object, field))) return false
    if (this.#labels !== undefined && !matchesLabelText(this.#labels, labelTextOf(object))) return false
    if (this.#shard !== undefined && !matchesShard(this.#shard, shardText(this.#shard, object))) return false
    return this.#where === undefined || this.#where.matches(this.#shown(object))
  }

  /** The served form: the stored object may have another version, or lack a default. */
  #shown(object: Selectable): StoredObject {
    const { form } = this.#resource
    return form === undefined || form.isAsStored() ? object : (form.atHand(object) ?? object)
  }

  #text(object: Selectable, field: SelectableField): string {
    const shown = this.#shown(object)
    return shown === object ? fieldText(object.bytes, field) : readField(shown.object(), field)
  }

  #field(object: Selectable, name: string): string {
    if (name === 'metadata.name') return object.name
    if (name === 'metadata.namespace') return object.namespace
    const known = object.knownField?.(name)
    if (known !== undefined) return known
    const field = this.#resource.selectableFields.find((field) => field.name === name)
    return field === undefined ? '' : this.#text(object, field)
  }
}

const UID: SelectableField = { name: 'metadata.uid', paths: [['metadata', 'uid']], absent: '', indexed: false }

/** No conversion changes the uid or the namespace. */
function shardText({ field }: ShardSelector, object: Selectable): string {
  return field === 'namespace' ? object.namespace : fieldText(object.bytes, UID)
}

const LONGEST_KEY = 1024

/** Every watcher keeps a key, so a long one is replaced by its digest. */
function shortened(key: string): string {
  return key.length <= LONGEST_KEY ? key : createHash('sha256').update(key).digest('base64')
}

function pinnedField(resource: StoredResource, fields: FieldSelector): Matcher['indexed'] {
  for (const field of resource.selectableFields) {
    const value = field.indexed ? exactField(fields, field.name) : undefined
    if (value !== undefined) return { field, value }
  }
  return undefined
}

function exactText(
  fields: FieldSelector | undefined,
  where: Predicate | undefined,
  name: 'name' | 'namespace',
): string | undefined {
  const exact = fields === undefined ? undefined : exactField(fields, `metadata.${name}`)
  if (exact !== undefined) return exact
  const pin = where?.pins.find(({ path, values }) => isNameOf(path, name) && values.length === 1)
  return pin?.values[0]
}

function isNameOf(path: Pin['path'], name: string): boolean {
  return path.length === 2 && path[0] === 'metadata' && path[1] === name
}

/** The pins of fields that can have their value at one place only. */
function fieldPins(resource: StoredResource, fields: FieldSelector): readonly Pin[] {
  return resource.selectableFields.flatMap(({ name, paths, absent }) => {
    const [path, other] = paths
    const value = path === undefined || other !== undefined ? undefined : exactField(fields, name)
    return path === undefined || value === undefined || value === absent ? [] : [{ path, values: [value] }]
  })
}

function pinnedLabel({ requirements }: LabelSelector): Matcher['label'] {
  for (const requirement of requirements) {
    if (requirement.kind === 'equals') return { key: requirement.key, value: requirement.value }
  }
  return undefined
}

export function labelTextOf(object: Selectable): string {
  if (object.labelText !== undefined) return object.labelText
  const { bytes } = object
  const span = layoutOf(bytes)?.labels
  return span === undefined ? '' : bytes.toString('utf8', span.start, span.end)
}

/** Labels need no JSON escapes, so they can be found in the text as `"key":"value"`. */
function matchesLabelText(selector: LabelSelector, text: string): boolean {
  if (selector.isLarge) return selector.matchesAll(labelMap(text))
  if (text.includes('\\')) return selector.matches(labelsIn(text))
  return selector.matches((key) => plainValue(text, key))
}

/** The value under a key in the text of a label map. */
export function labelValue(text: string, key: string): string | undefined {
  return text.includes('\\') ? labelsIn(text)(key) : plainValue(text, key)
}

function plainValue(text: string, key: string): string | undefined {
  const mark = `"${key}":"`
  const at = text.indexOf(mark)
  return at < 0 ? undefined : text.slice(at + mark.length, text.indexOf('"', at + mark.length))
}

function labelsIn(text: string): (key: string) => string | undefined {
  const labels = labelMap(text)
  return (key) => labels.get(key)
}

function labelMap(text: string): ReadonlyMap<string, string> {
  return new Map(text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, string>))
}

/** The text of a field in an object's stored JSON. `readField` returns the same for the parsed object. */
export function fieldText(bytes: Buffer, field: SelectableField): string {
  for (const path of field.paths) {
    const text = textAt(bytes, path)
    if (text !== '') return text
  }
  return field.absent
}

function textAt(bytes: Buffer, path: readonly string[]): string {
  const span = findValue(bytes, path)
  if (span === undefined) return ''
  const text = bytes.toString('utf8', span.start, span.end)
  switch (text[0]) {
    case '{':
    case '[':
    case 'n':
      return ''
    case '"':
      return text.includes('\\') ? (parseStoredJson(bytes.subarray(span.start, span.end)) as string) : text.slice(1, -1)
    default:
      return text
  }
}
