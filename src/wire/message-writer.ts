// Writes the messages of gRPC services field by field, from the last to the first, so that no length has to be known before. Zero values
// are left out.
import { ProtobufWriter } from './protobuf-writer.ts'

export class MessageWriter {
  readonly #out: ProtobufWriter

  /** The first size. The buffer grows. */
  constructor(guessedBytes?: number) {
    this.#out = new ProtobufWriter(guessedBytes)
  }

  number(field: number, value: number | undefined): void {
    if (value === undefined || value === 0) return
    this.#out.varint(value)
    this.#out.varint(field << 3)
  }

  /** Any whole number of 64 bits. `always`: also 0, as an item of a list. */
  integer(field: number, value: number | bigint | undefined, always = false): void {
    if (value === undefined || (!always && (value === 0 || value === 0n))) return
    this.#out.signed(value)
    this.#out.varint(field << 3)
  }

  flag(field: number, value: boolean | undefined): void {
    this.number(field, value === true ? 1 : 0)
  }

  bytes(field: number, value: Buffer | undefined): void {
    if (value === undefined || value.length === 0) return
    const end = this.#out.length
    this.#out.bytes(value)
    this.#out.close(field, end)
  }

  /** `always`: also an empty text, as an item of a list. */
  text(field: number, value: string | undefined, always = false): void {
    if (value === undefined || (!always && value === '')) return
    const end = this.#out.length
    this.#out.text(value)
    this.#out.close(field, end)
  }

  /** A message within this one. An empty one is written too. */
  message<T>(field: number, write: (writer: MessageWriter, message: T) => void, message: T): void {
    const end = this.#out.length
    write(this, message)
    this.#out.close(field, end)
  }

  /** Returns the written bytes. The writer is not used after this. */
  finish(): Buffer {
    return this.#out.finish()
  }

  /** The same with free bytes before it for the caller, as a view. */
  finishBehind(room: number): Buffer {
    return this.#out.finishBehind(room)
  }
}
