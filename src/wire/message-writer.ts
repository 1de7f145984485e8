// Writes the messages of gRPC services field by field, from the last to the first, so that no length has to be known before. What is
// zero is left out.
import { ProtobufWriter } from './protobuf-writer.ts'

export class MessageWriter {
  readonly #out: ProtobufWriter

  /** It grows where the guess was too low. */
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

  /** `always`: also where it is empty, as an item of a list. */
  text(field: number, value: string | undefined, always = false): void {
    if (value === undefined || (!always && value === '')) return
    const end = this.#out.length
    this.#out.text(value)
    this.#out.close(field, end)
  }

  /** A message within this one; it is there even where it is empty. */
  message<T>(field: number, write: (writer: MessageWriter, message: T) => void, message: T): void {
    const end = this.#out.length
    write(this, message)
    this.#out.close(field, end)
  }

  /** What was written. The writer is not used after this. */
  finish(): Buffer {
    return this.#out.finish()
  }

  /** The same behind so many bytes that are the caller's: a view. */
  finishBehind(room: number): Buffer {
    return this.#out.finishBehind(room)
  }
}
