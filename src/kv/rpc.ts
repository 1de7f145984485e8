// Types and helpers for the messages and calls of etcd's API, for its client and its server. `gen/rpc.ts` has the messages, generated from
// `proto/etcd/rpc.proto`. A field that is absent reads as its zero, and a field that is zero is not written.
import { MessageWriter } from '../wire/message-writer.ts'
import { ProtobufReader } from '../wire/protobuf-reader.ts'
import { keyToBytes } from './key-text.ts'

export interface Message<T> {
  /** The approximate size in bytes. */
  readonly size: (message: Given<T>) => number
  readonly write: (writer: MessageWriter, message: Given<T>) => void
  readonly read: (reader: ProtobufReader) => T
}

/** A message to write: fields may be absent, and a `bigint` may be a `number`. */
export type Given<T> = T extends bigint
  ? number | bigint
  : T extends string | number | boolean | Buffer | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Given<Item>[]
      : { readonly [Name in keyof T]?: Given<T[Name]> | undefined }

export interface Rpc<Request, Response> {
  readonly path: string
  readonly request: Message<Request>
  readonly response: Message<Response>
}

/** Returns the bytes of the message. The first `room` bytes are free for the caller. */
export function encode<T>({ size, write }: Message<T>, message: Given<T>, room = 0): Buffer {
  const writer = new MessageWriter(size(message) + room)
  write(writer, message)
  return writer.finishBehind(room)
}

/** Throws `ProtobufError` if the bytes are not such a message. */
export function decode<T>({ read }: Message<T>, bytes: Buffer): T {
  return read(new ProtobufReader(bytes))
}

/** The approximate size of the numbers of a message, its own tag and length included. */
export const SMALL_BYTES = 48

export function lengthOf(value: { readonly length: number } | undefined): number {
  return value === undefined ? 0 : value.length
}

export function sizeOfOne<T>({ size }: Message<T>, value: Given<T> | undefined): number {
  return value === undefined ? 0 : size(value)
}

export function sizeOfAll<T>({ size }: Message<T>, values: readonly Given<T>[] = []): number {
  let bytes = 0
  for (const value of values) bytes += size(value)
  return bytes
}

export function writeKey(writer: MessageWriter, field: number, key: string | undefined, always = false): void {
  if (key === undefined || key.isWellFormed()) writer.text(field, key, always)
  else writer.bytes(field, keyToBytes(key))
}

export function writeOne<T>(
  writer: MessageWriter,
  field: number,
  { write }: Message<T>,
  value: Given<T> | undefined,
): void {
  if (value !== undefined) writer.message(field, write, value)
}

export function writeAll<T>(
  writer: MessageWriter,
  field: number,
  { write }: Message<T>,
  values: readonly Given<T>[] = [],
): void {
  for (let i = values.length - 1; i >= 0; i--) writer.message(field, write, values[i]!)
}
