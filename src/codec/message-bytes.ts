// A reusable buffer for nested messages, which are written from front to back. The length of a message is known only at its end. So as many
// bytes are reserved for the length as the last message of the field needed. If this number is wrong, the content is moved.
import { putVarint, varintSize } from '../wire/varint.ts'

/** Up to this length a loop in JavaScript is faster than the call into native code. */
const SHORT = 40
/** A number takes at most this number of bytes. */
const NUMBER_ROOM = 10

export class MessageBytes {
  #bytes: Buffer = Buffer.allocUnsafeSlow(64 * 1024)
  #end = 0

  get length(): number {
    return this.#end
  }

  clear(): void {
    this.#end = 0
  }

  /** A view of the written bytes. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }

  since(start: number): Buffer {
    return this.#bytes.subarray(start, this.#end)
  }

  varint(value: number): void {
    if (this.#end + NUMBER_ROOM > this.#bytes.length) this.#grow(NUMBER_ROOM)
    if (value < 0x80) this.#bytes[this.#end++] = value
    else this.#end = putVarint(this.#bytes, this.#end, value)
  }

  bytes(bytes: Uint8Array): void {
    this.slice(bytes, 0, bytes.length)
  }

  slice(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (length === 0) return
    if (this.#end + length > this.#bytes.length) this.#grow(length)
    put(this.#bytes, this.#end, bytes, start, end)
    this.#end += length
  }

  /** Writes a text with its tag and length. */
  text(tag: number, bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#end + length + 2 * NUMBER_ROOM > this.#bytes.length) this.#grow(length + 2 * NUMBER_ROOM)
    let at = this.#end
    if (tag < 0x80) this.#bytes[at++] = tag
    else at = putVarint(this.#bytes, at, tag)
    if (length < 0x80) this.#bytes[at++] = length
    else at = putVarint(this.#bytes, at, length)
    put(this.#bytes, at, bytes, start, end)
    this.#end = at + length
  }

  /** Begins a message and reserves `size` bytes for its length. Returns the beginning of its content. */
  open(tag: number, size: number): number {
    this.varint(tag)
    if (this.#end + size > this.#bytes.length) this.#grow(size)
    this.#end += size
    return this.#end
  }

  /** Ends the message whose content begins at `content`. Returns the number of bytes of its length. */
  close(content: number, size: number): number {
    const length = this.#end - content
    if (size === 1 && length < 0x80) {
      this.#bytes[content - 1] = length
      return 1
    }
    const needed = varintSize(length)
    if (needed !== size) {
      if (this.#end + needed > this.#bytes.length) this.#grow(needed)
      this.#bytes.copyWithin(content + needed - size, content, this.#end)
      this.#end += needed - size
    }
    putVarint(this.#bytes, content - size, length)
    return needed
  }

  /** Makes a message of all written bytes: puts a tag and the length before them. */
  prefix(tag: number): void {
    const length = this.#end
    const room = varintSize(tag) + varintSize(length)
    if (this.#end + room > this.#bytes.length) this.#grow(room)
    this.#bytes.copyWithin(room, 0, length)
    putVarint(this.#bytes, putVarint(this.#bytes, 0, tag), length)
    this.#end = length + room
  }

  /** Moves the bytes from `from` on to `target`, where they replace `replaced` bytes. */
  move(from: number, target: number, replaced: number): void {
    const moved = Buffer.from(this.#bytes.subarray(from, this.#end))
    this.#bytes.copyWithin(target + moved.length, target + replaced, from)
    moved.copy(this.#bytes, target)
    this.#end -= replaced
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(2 * (this.#end + length))
    this.#bytes.copy(grown, 0, 0, this.#end)
    this.#bytes = grown
  }
}

function put(target: Buffer, at: number, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > SHORT) {
    target.set(bytes.subarray(start, end), at)
    return
  }
  for (let i = start, to = at; i < end; i++, to++) target[to] = bytes[i] as number
}
