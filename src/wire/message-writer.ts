// Writes the messages of gRPC services field by field, from the last to the first, so that lengths need not be known in advance. Zero
// values are left out.
import { ProtobufWriter } from './protobuf-writer.ts'

export class MessageWriter {
  readonly #out: ProtobufWriter

  /** `guessedBytes`: the first size of the buffer, which grows. */
  constructor(guessedBytes?: number) {
    this.#out = new ProtobufWriter(guessedBytes)
  }

  number(field: number, value: number | undefined): void {
    if (value === undefined || value === 0) return
    this.#out.varint(value)
    this.#out.varint(field << 3)
  }

  /** Writes any 64-bit integer. `always`: 0 is written too, as an item of a list. */
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

  /** `always`: an empty text is written too, as an item of a list. */
  text(field: number, value: string | undefined, always = false): void {
    if (value === undefined || (!always && value === '')) return
    const end = this.#out.length
    this.#out.text(value)
    this.#out.close(field, end)
  }

  /** Writes a nested message, even an empty one. */
  message<T>(field: number, write: (writer: MessageWriter, message: T) => void, message: T): void {
    const end = this.#out.length
    write(this, message)
    this.#out.close(field, end)
  }

  /** Returns the written bytes. Do not use the writer after this. */
  finish(): Buffer {
    return this.#out.finish()
  }

  /** Returns a view of the written bytes with `room` free bytes before them. Do not use the writer after this. */
  finishBehind(room: number): Buffer {
    return this.#out.finishBehind(room)
  }
}
