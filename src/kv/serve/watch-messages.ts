// The messages of etcd's Watch call: requests as they are read, answers as they are written. An answer that is too large for one
// message is cut into fragments, where the client takes them.
import type { ProtobufReader } from '../../wire/protobuf-reader.ts'
import type { MessageWriter } from '../../wire/message-writer.ts'
import type { Revision } from '../kv.ts'
import type { StoredEvent } from '../transactional.ts'
import { delimited, messageReader, number, readKey, readNumber } from './requests.ts'
import { type Identity, sizeOfItem, writeHeader, writeItem, writeKey, written } from './responses.ts'

export interface WatchCreateRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly startRevision: number
  readonly progressNotify: boolean
  readonly filters: readonly number[]
  readonly prevKv: boolean
  /** 0: any. */
  readonly watchId: number
  readonly fragment: boolean
}

export type WatchRequest =
  | { readonly kind: 'create'; readonly create: WatchCreateRequest }
  | { readonly kind: 'cancel'; readonly watchId: number }
  | { readonly kind: 'progress' }
  | { readonly kind: 'none' }

/** `WatchCreateRequest.FilterType`. */
export const NO_PUT = 0
export const NO_DELETE = 1

export interface WatchAnswer {
  readonly revision: Revision
  readonly watchId: number
  readonly created?: boolean
  readonly canceled?: boolean
  readonly compactRevision?: Revision
  readonly cancelReason?: string
  readonly fragment?: boolean
  readonly events?: readonly StoredEvent[]
}

const readCreate = messageReader<WatchCreateRequest>(
  {
    key: '',
    rangeEnd: '',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0,
    fragment: false,
  },
  {
    [delimited(1)]: (reader, create) => (create.key = readKey(reader)),
    [delimited(2)]: (reader, create) => (create.rangeEnd = readKey(reader)),
    [number(3)]: (reader, create) => (create.startRevision = readNumber(reader)),
    [number(4)]: (reader, create) => (create.progressNotify = reader.bool()),
    [number(5)]: (reader, create) => (create.filters = [...create.filters, readNumber(reader)]),
    [delimited(5)]: (reader, create) => (create.filters = [...create.filters, ...reader.bytes()]),
    [number(6)]: (reader, create) => (create.prevKv = reader.bool()),
    [number(7)]: (reader, create) => (create.watchId = readNumber(reader)),
    [number(8)]: (reader, create) => (create.fragment = reader.bool()),
  },
)

const readCancel = messageReader(
  { watchId: 0 },
  { [number(1)]: (reader, cancel) => (cancel.watchId = readNumber(reader)) },
)

export function readWatch(reader: ProtobufReader): WatchRequest {
  let request: WatchRequest = { kind: 'none' }
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === delimited(1)) request = { kind: 'create', create: reader.message(readCreate) }
    else if (tag === delimited(2)) request = { kind: 'cancel', ...reader.message(readCancel) }
    else {
      if (tag === delimited(3)) request = { kind: 'progress' }
      reader.skip(tag)
    }
  }
  return request
}

export function writeWatch(identity: Identity, answer: WatchAnswer): Buffer {
  const { events = [] } = answer
  let bytes = 0
  for (const event of events) bytes += sizeOfEvent(event)
  return written((writer) => {
    for (let i = events.length - 1; i >= 0; i--) writer.message(11, () => writeEvent(writer, events[i]!))
    writer.flag(7, answer.fragment)
    writer.text(6, answer.cancelReason)
    writer.number(5, answer.compactRevision)
    writer.flag(4, answer.canceled)
    writer.flag(3, answer.created)
    writer.integer(2, answer.watchId)
    writeHeader(writer, identity, answer.revision)
  }, bytes)
}

/** Pieces of at most so many bytes, or of one event. */
export function fragmentsOf(events: readonly StoredEvent[], maxBytes: number): readonly (readonly StoredEvent[])[] {
  const pieces: StoredEvent[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const event of events) {
    const size = sizeOfEvent(event)
    if (bytes + size > maxBytes) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)!.push(event)
    bytes += size
  }
  return pieces
}

function sizeOfEvent(event: StoredEvent): number {
  const own = event.kind === 'put' ? sizeOfItem(event.item) : event.key.length + SMALL_BYTES
  return own + (event.previous === undefined ? 0 : sizeOfItem(event.previous))
}

const SMALL_BYTES = 64

function writeEvent(writer: MessageWriter, event: StoredEvent): void {
  const { previous } = event
  if (previous !== undefined) writer.message(3, () => writeItem(writer, previous))
  if (event.kind === 'put') return writer.message(2, () => writeItem(writer, event.item))
  writer.message(2, () => {
    writer.number(3, event.revision)
    writeKey(writer, 1, event.key)
  })
  writer.number(1, 1)
}
