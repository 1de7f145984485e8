// Converts objects between encodings, for the command line and for tests. Objects of built-in kinds become
// canonical. Other objects are kept as they are, if the encoding needs no schema.
import { textOrEmpty } from '../api/members.ts'
import { type GroupKind, parseGroupVersion } from '../api/object.ts'
import { type Value, type ValueMap, isList, isMap, own } from '../api/value.ts'
import { DecodeError, decodeObject } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { CborError, parseCbor, parseCborSequence } from './cbor-decode.ts'
import { encodeCborValue } from './cbor-encode.ts'
import { type Encoding, encodeObject } from './codec.ts'
import { indentJson } from './indent.ts'
import { JsonSyntaxError } from './json-exact.ts'
import { plainJson, valueJson } from './json-encode.ts'
import { parseJsonDocument } from './json-parse.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import { decodeProtobuf, decodeRaw } from './protobuf.ts'
import {
  DEFAULT_TABLE,
  TABLE_END,
  tableDocument,
  type TableForm,
  tableHead,
  type TableItem,
  tableRow,
  type TableShape,
} from './table.ts'
import { splitDocuments } from './yaml-document.ts'
import { emitYaml } from './yaml-emit.ts'
import { YamlError } from './yaml-faults.ts'
import { parseYaml } from './yaml-parse.ts'

export type SourceEncoding = Encoding | 'cbor-seq'
export type TargetEncoding = SourceEncoding | 'table'

export interface Conversion {
  readonly from: SourceEncoding
  readonly to: TargetEncoding
  readonly kinds: SchemaTable
  /** The columns of a kind. Absent: the default columns. */
  readonly columnsOf?: (kind: GroupKind) => TableShape
  /** The time for ages in tables, in milliseconds since the epoch. */
  readonly now: number
}

export interface Converted {
  readonly bytes: Buffer
  /** Unknown fields, which were left out. */
  readonly problems: readonly string[]
}

/** The reason why the input cannot be converted, in one line. */
export class ConvertError extends Error {
  override readonly name = 'ConvertError'
}

/** Converts the input. Throws `ConvertError`. */
export function convert(bytes: Buffer, conversion: Conversion): Converted {
  try {
    const objects = read(bytes, conversion)
    if (objects.length === 0) throw new ConvertError('the input holds no object')
    return { bytes: write(objects, conversion), problems: objects.flatMap(({ problems }) => problems) }
  } catch (error) {
    if (!isInputError(error)) throw error
    throw new ConvertError(error.message.replace(/\s*\n\s*/g, ' '))
  }
}

function isInputError(error: unknown): error is Error {
  return [ConvertError, JsonSyntaxError, YamlError, CborError, ProtobufError, DecodeError].some(
    (type) => error instanceof type,
  )
}

interface ConvertedObject {
  readonly value: ValueMap
  /** Undefined: the table does not have the kind. */
  readonly kind: KindSchema | undefined
  readonly problems: readonly string[]
}

/** A value, and the input for its decoding: the exact form of the value if there is one. */
interface ReadDocument {
  readonly value: Value
  readonly source: SourceValue
}

function read(bytes: Buffer, { from, kinds }: Conversion): readonly ConvertedObject[] {
  const documents = from === 'protobuf' ? undefined : readDocuments(bytes, from)
  return documents?.map((document) => typed(document, kinds)) ?? [fromProtobuf(bytes, kinds)]
}

function readDocuments(bytes: Buffer, from: Exclude<SourceEncoding, 'protobuf'>): readonly ReadDocument[] {
  const plain = (value: Value): ReadDocument => ({ value, source: value })
  switch (from) {
    case 'json':
      return jsonDocuments(bytes)
    case 'yaml':
      return splitDocuments(bytes.toString()).map((text) => plain(parseYaml(Buffer.from(text)).value))
    case 'cbor':
      return [plain(parseCbor(bytes))]
    case 'cbor-seq':
      return parseCborSequence(bytes).map(plain)
  }
}

/** The input is one document, or has one document in each line. */
function jsonDocuments(bytes: Buffer): readonly ReadDocument[] {
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
  const isLines = lines.length > 1 && lines.every((line) => line.startsWith('{') && line.trimEnd().endsWith('}'))
  return isLines ? lines.map((line) => parseJsonDocument(Buffer.from(line))) : [parseJsonDocument(bytes)]
}

function typed({ value, source }: ReadDocument, kinds: SchemaTable): ConvertedObject {
  if (!isMap(value)) throw new ConvertError('the input is not an object')
  const kind = kindOf(value, kinds)
  return kind === undefined ? { value, kind, problems: [] } : { ...decodeObject(source, kind.shape), kind }
}

/** The members of an event of a watch, which names no kind. */
const EVENT_MEMBERS = 'object,type'
const EVENT = { group: '', version: 'v1', kind: 'WatchEvent' } as const

function kindOf(object: ValueMap, kinds: SchemaTable): KindSchema | undefined {
  const { kind, apiVersion } = typeNamesIn(object)
  if (kind === '' && Object.keys(object).sort().join() === EVENT_MEMBERS) return kinds.kind(EVENT)
  const gv = apiVersion === '' ? undefined : parseGroupVersion(apiVersion)
  return gv === undefined ? undefined : kinds.kind({ ...gv, kind })
}

function fromProtobuf(bytes: Buffer, kinds: SchemaTable): ConvertedObject {
  const envelope = decodeProtobuf(bytes)
  const gv = parseGroupVersion(envelope.apiVersion)
  if (envelope.contentType === 'application/json') return typed(parseJsonDocument(envelope.raw), kinds)
  // Only events of watches have no kind.
  const gvk = envelope.kind === '' ? EVENT : { group: '', version: '', ...gv, kind: envelope.kind }
  const kind = kinds.kind(gvk)
  if (kind === undefined || !kind.hasProtobuf) throw new ConvertError(`${nameOf(envelope)} has no protobuf encoding`)
  return { value: decodeRaw(kind, envelope.raw), kind, problems: [] }
}

function nameOf({ kind, apiVersion }: { readonly kind: string; readonly apiVersion: string }): string {
  return kind === '' ? 'an object without a kind' : `${apiVersion} ${kind}`.trim()
}

function typeNamesIn(value: ValueMap): { readonly kind: string; readonly apiVersion: string } {
  return { kind: textOrEmpty(value, 'kind'), apiVersion: textOrEmpty(value, 'apiVersion') }
}

function write(objects: readonly ConvertedObject[], conversion: Conversion): Buffer {
  switch (conversion.to) {
    case 'json':
      return writeJson(objects)
    case 'yaml':
      return Buffer.from(objects.map(({ value }) => emitYaml(value)).join('---\n'))
    case 'cbor-seq':
      return Buffer.concat(objects.map((object) => encoded(object, 'cbor')))
    case 'cbor':
    case 'protobuf':
      return encoded(single(objects), conversion.to)
    case 'table':
      return indentJson(tableOf(single(objects), conversion))
  }
}

function single(objects: readonly ConvertedObject[]): ConvertedObject {
  const [first, ...others] = objects
  if (first === undefined || others.length > 0) {
    throw new ConvertError(`the input holds ${objects.length} objects, and the target encoding holds one`)
  }
  return first
}

function encoded({ value, kind }: ConvertedObject, encoding: 'cbor' | 'protobuf'): Buffer {
  if (kind !== undefined && (encoding === 'cbor' || kind.hasProtobuf)) return encodeObject(value, kind, encoding)
  if (encoding === 'cbor') return encodeCborValue(value)
  throw new ConvertError(`${nameOf(typeNamesIn(value))} has no protobuf encoding`)
}

/** One object is indented. Several objects have one line each. */
function writeJson(objects: readonly ConvertedObject[]): Buffer {
  const lines = objects.map(({ value, kind }) => (kind === undefined ? plainJson(value) : valueJson(value, kind.shape)))
  return lines.length === 1 ? indentJson(Buffer.from(lines[0] ?? '')) : Buffer.from(`${lines.join('\n')}\n`)
}

function tableOf({ value, kind }: ConvertedObject, { columnsOf = () => DEFAULT_TABLE, now }: Conversion): Buffer {
  const items = own(value, 'items')
  const names = typeNamesIn(value)
  const isListKind = kind?.isList ?? (isList(items) && names.kind.endsWith('List'))
  const shape = columnsOf({
    group: kind?.group ?? parseGroupVersion(names.apiVersion)?.group ?? '',
    kind: isListKind ? names.kind.slice(0, -'List'.length) : names.kind,
  })
  const form: TableForm = { shape, apiVersion: 'meta.k8s.io/v1', include: 'Metadata', now }
  if (!isListKind) return tableDocument(form, itemOf(value))
  const rows = (isList(items) ? items : []).filter(isMap).map((item) => tableRow(form, itemOf(item)))
  const metadata = Buffer.from(plainJson(own(value, 'metadata') ?? {}))
  const separated = rows.flatMap((row, i) => (i === 0 ? [row] : [Buffer.from(','), row]))
  return Buffer.concat([tableHead(form, metadata.toString()), ...separated, TABLE_END])
}

function itemOf(value: ValueMap): TableItem {
  return { bytes: Buffer.from(plainJson(value)), object: () => value }
}
