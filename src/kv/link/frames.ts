// The frames of a link: the length, the type and the number of the call, then the content. Both ends are the same program, so
// contents are not checked.
import type { FrameFormat } from '../../wire/frame-splitter.ts'
import type {
  Batch,
  Commit,
  Expectation,
  GetResult,
  KeyValue,
  KvEvent,
  ListResult,
  Put,
  Removal,
  Revision,
  WriteResult,
} from '../kv.ts'

/** The types of frames. Clients send these. */
export const COMMIT = 1
export const GET = 3
export const LIST = 4
export const WATCH = 5
/** Frames of a watch: end it, request its progress, report the bytes that were read. */
export const CANCEL = 6
export const PROGRESS = 7
export const TAKEN = 8
export const NEWEST = 9
export const COMPACT = 10
export const HEALTH = 11
export const SIZE = 12
/** Answers. */
export const DONE = 32
export const FAILED = 33
export const BATCH = 34

/** Stands for the newest revision in a read. */
export const NEWEST_REVISION = -1

/** The bytes of the head: the length of the rest, the type, and the number of the call. */
export const HEAD_BYTES = 9
const LENGTH_BYTES = 4

/** The largest number of bytes in the fixed fields of a frame or an item. */
export const FIXED_BYTES = 64
/** The largest number of bytes in a character. */
const CHARACTER_BYTES = 3

/** The largest number of bytes in a text. */
export function roomForText(text: string): number {
  return text.length * CHARACTER_BYTES + FIXED_BYTES
}

export function roomForItem({ key, value }: Pick<KeyValue, 'key' | 'value'>): number {
  return roomForText(key) + value.length
}

/** Writes fields one after another. The caller makes sure that there is room. */
export class FieldWriter {
  buffer: Buffer
  at: number

  constructor(buffer: Buffer, at: number) {
    this.buffer = buffer
    this.at = at
  }

  byte(value: number): void {
    this.buffer[this.at++] = value
  }

  /** A revision, or another number that may be larger than 32 bits. */
  number(value: number): void {
    this.at = this.buffer.writeDoubleLE(value, this.at)
  }

  text(text: string): void {
    const bytes = this.buffer.write(text, this.at + LENGTH_BYTES)
    this.buffer.writeUInt32LE(bytes, this.at)
    this.at += LENGTH_BYTES + bytes
  }

  bytes(bytes: Buffer): void {
    const at = this.buffer.writeUInt32LE(bytes.length, this.at)
    this.buffer.set(bytes, at)
    this.at = at + bytes.length
  }

  item({ key, value, revision, createRevision }: KeyValue): void {
    this.number(revision)
    this.number(createRevision)
    this.text(key)
    this.bytes(value)
  }

  itemIfAny(item: KeyValue | undefined): void {
    this.byte(item === undefined ? 0 : 1)
    if (item !== undefined) this.item(item)
  }
}

/** Reads the fields of a `FieldWriter`. Returned bytes are views of the buffer. */
export class FieldReader {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  byte(): number {
    return this.#buffer[this.#at++]!
  }

  number(): number {
    const value = this.#buffer.readDoubleLE(this.#at)
    this.#at += 8
    return value
  }

  text(): string {
    const start = this.#at + LENGTH_BYTES
    const end = start + this.#buffer.readUInt32LE(this.#at)
    this.#at = end
    return this.#buffer.toString('utf8', start, end)
  }

  bytes(): Buffer {
    const start = this.#at + LENGTH_BYTES
    const end = start + this.#buffer.readUInt32LE(this.#at)
    this.#at = end
    return this.#buffer.subarray(start, end)
  }

  item(): KeyValue {
    const revision = this.number()
    const createRevision = this.number()
    const key = this.text()
    return { key, value: this.bytes(), revision, createRevision }
  }

  itemIfAny(): KeyValue | undefined {
    return this.byte() === 0 ? undefined : this.item()
  }
}

/** The kinds of keys in a commit: only compared, also put, also removed, or compared with `notAfter`. */
const COMPARED = 0
const PUT = 1
const REMOVED = 2
const NOT_AFTER = 3

export function roomForCommit({ expected, writes }: Commit): number {
  let bytes = FIXED_BYTES
  for (const { key } of expected) bytes += roomForText(key)
  for (const { value } of writes) bytes += FIXED_BYTES + (value?.length ?? 0)
  return bytes
}

/** Writes each key once, because every written key is also expected. */
export function writeCommit(writer: FieldWriter, { expected, writes }: Commit): void {
  const [first] = writes
  const written = writes.length > 1 ? new Map(writes.map((write) => [write.key, write])) : undefined
  writer.number(expected.length)
  for (const { key, revision, notAfter } of expected) {
    const write = written === undefined ? (first?.key === key ? first : undefined) : written.get(key)
    const compared = notAfter === undefined ? COMPARED : NOT_AFTER
    writer.byte(write === undefined ? compared : write.value === undefined ? REMOVED : PUT)
    writer.number(notAfter ?? revision)
    writer.text(key)
    if (write?.value === undefined) continue
    writer.number(write.ttlSeconds ?? -1)
    writer.bytes(write.value)
  }
}

/** Values are views of the read buffer. Each read has a new buffer. A caller that keeps a value for long must copy it. */
export function readCommit(reader: FieldReader): Commit {
  const expected: Expectation[] = []
  const writes: (Put | Removal)[] = []
  for (let left = reader.number(); left > 0; left--) {
    const kind = reader.byte()
    const revision = reader.number()
    const key = reader.text()
    expected.push(kind === NOT_AFTER ? { key, notAfter: revision } : { key, revision })
    if (kind === REMOVED) writes.push({ key })
    if (kind !== PUT) continue
    const ttlSeconds = reader.number()
    const value = reader.bytes()
    writes.push(ttlSeconds < 0 ? { key, value } : { key, value, ttlSeconds })
  }
  return { expected, writes }
}

export function roomForWritten(result: WriteResult): number {
  return FIXED_BYTES + (result.ok || result.current === undefined ? 0 : roomForItem(result.current))
}

export function writeWritten(writer: FieldWriter, result: WriteResult): void {
  writer.byte(result.ok ? 1 : 0)
  writer.number(result.revision)
  if (!result.ok) writer.itemIfAny(result.current)
}

export function readWritten(reader: FieldReader): WriteResult {
  const ok = reader.byte() === 1
  const revision = reader.number()
  return ok ? { ok, revision } : { ok, revision, current: reader.itemIfAny() }
}

export function writeFound(writer: FieldWriter, { revision, item }: GetResult): void {
  writer.number(revision)
  writer.itemIfAny(item)
}

export function readFound(reader: FieldReader): GetResult {
  return { revision: reader.number(), item: reader.itemIfAny() }
}

export function roomForList({ items }: ListResult): number {
  return items.reduce((sum, item) => sum + roomForItem(item), FIXED_BYTES)
}

export function writeList(writer: FieldWriter, { revision, items, more, count }: ListResult): void {
  writer.number(revision)
  writer.byte(more ? 1 : 0)
  writer.number(count ?? -1)
  writer.number(items.length)
  for (const item of items) writer.item(item)
}

export function readList(reader: FieldReader): ListResult {
  const revision = reader.number()
  const more = reader.byte() === 1
  const count = reader.number()
  const items = Array.from({ length: reader.number() }, () => reader.item())
  return count < 0 ? { revision, items, more } : { revision, items, more, count }
}

/** The flags of an event: its kind, and whether the previous item follows. */
const IS_PUT = 1
const HAS_PREVIOUS = 2

export function roomForBatch({ events }: Batch): number {
  let bytes = FIXED_BYTES
  for (const event of events) {
    bytes += roomForText(event.key) + (event.kind === 'put' ? event.value.length : 0)
    if (event.previous !== undefined) bytes += roomForItem(event.previous)
  }
  return bytes
}

export function writeBatch(writer: FieldWriter, { events, revision }: Batch): void {
  writer.number(revision)
  writer.number(events.length)
  for (const event of events) {
    writer.byte((event.kind === 'put' ? IS_PUT : 0) | (event.previous === undefined ? 0 : HAS_PREVIOUS))
    writer.number(event.revision)
    writer.text(event.key)
    if (event.kind === 'put') {
      writer.number(event.createRevision)
      writer.bytes(event.value)
    }
    if (event.previous !== undefined) writer.item(event.previous)
  }
}

export function revisionOfBatch(batch: Buffer): Revision {
  return new FieldReader(batch).number()
}

/** Adds the events to the list, and returns the revision of the batch. */
export function readBatch(reader: FieldReader, events: KvEvent[]): Revision {
  const revision = reader.number()
  for (let left = reader.number(); left > 0; left--) events.push(readEvent(reader))
  return revision
}

function readEvent(reader: FieldReader): KvEvent {
  const kind = reader.byte()
  const revision: Revision = reader.number()
  const key = reader.text()
  const event: KvEvent =
    (kind & IS_PUT) === 0
      ? { kind: 'delete', key, revision }
      : { kind: 'put', key, revision, createRevision: reader.number(), value: reader.bytes() }
  return (kind & HAS_PREVIOUS) === 0 ? event : { ...event, previous: reader.item() }
}

export interface LinkFrameHead {
  readonly type: number
  readonly call: number
}

/** The format of the frames of a link, for cutting received bytes. */
export const LINK_FRAMES: FrameFormat<LinkFrameHead> = {
  headBytes: HEAD_BYTES,
  lengthOf: (bytes, at) => LENGTH_BYTES + bytes.readUInt32LE(at) - HEAD_BYTES,
  headOf: (bytes, at) => ({ type: bytes[at + LENGTH_BYTES]!, call: bytes.readUInt32LE(at + LENGTH_BYTES + 1) }),
}
