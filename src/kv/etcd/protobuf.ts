// As much of protobuf as etcd's messages need. Invariant: numbers are exact, or reading throws; what is cut off throws too.

const VARINT = 0
const FIXED_64 = 1
const DELIMITED = 2
const FIXED_32 = 5

/** Reads one field after the other: `next`, then whatever `field` is to be read as, or `skip`. */
export class ProtobufReader {
  readonly #bytes: Buffer
  #at = 0
  #end: number
  #type = VARINT
  /** The number of the field that comes now. */
  field = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#end = bytes.length
  }

  /** False at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#varint()
    this.field = Math.floor(tag / 8)
    this.#type = tag % 8
    if (this.field === 0) throw new RangeError('a field without a number')
    return true
  }

  number(): number {
    this.#expect(VARINT)
    const value = this.#varint()
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a 64-bit integer that no number can hold')
    return value
  }

  flag(): boolean {
    return this.number() !== 0
  }

  /** A view of what is read. */
  bytes(): Buffer {
    const end = this.#delimited()
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Bytes that are not UTF-8 do not fail the whole message: such keys are not ours. */
  text(): string {
    const end = this.#delimited()
    const text = this.#bytes.toString('utf8', this.#at, end)
    this.#at = end
    return text
  }

  /** A message within this one: `read` goes on until `next` says that it is over. */
  message<T>(read: (reader: ProtobufReader) => T): T {
    const outer = this.#end
    this.#end = this.#delimited()
    const message = read(this)
    this.#end = outer
    return message
  }

  skip(): void {
    if (this.#type === VARINT) this.#varint()
    else if (this.#type === DELIMITED) this.#at = this.#delimited()
    else if (this.#type === FIXED_64) this.#at += 8
    else if (this.#type === FIXED_32) this.#at += 4
    else throw new RangeError('a field of a type that there is not')
    if (this.#at > this.#end) throw new RangeError('a message ends within a field')
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new RangeError('a field of another type')
  }

  /** Where it ends. */
  #delimited(): number {
    this.#expect(DELIMITED)
    const end = this.#varint() + this.#at
    if (end > this.#end) throw new RangeError('a message ends within a field')
    return end
  }

  #varint(): number {
    let value = 0
    let factor = 1
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 0x80
    }
    throw new RangeError('a message ends within a number')
  }
}

/** Writes from the last byte to the first, so that no length has to be known before. What is zero is left out. */
export class ProtobufWriter {
  #bytes: Buffer
  #at: number

  /** It grows where the guess was too low. */
  constructor(guessedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(guessedBytes)
    this.#at = guessedBytes
  }

  number(field: number, value: number | undefined): void {
    if (value === undefined || value === 0) return
    this.#varint(value)
    this.#varint(field * 8 + VARINT)
  }

  flag(field: number, value: boolean | undefined): void {
    this.number(field, value === true ? 1 : 0)
  }

  bytes(field: number, value: Buffer): void {
    if (value.length === 0) return
    this.#reserve(value.length)
    this.#at -= value.length
    value.copy(this.#bytes, this.#at)
    this.#delimit(field, value.length)
  }

  text(field: number, value: string | undefined): void {
    if (value === undefined || value === '') return
    const length = Buffer.byteLength(value)
    this.#reserve(length)
    this.#at -= length
    this.#bytes.write(value, this.#at, length, 'utf8')
    this.#delimit(field, length)
  }

  /** A message within this one; it is there even where it is empty. */
  message(field: number, write: (writer: ProtobufWriter) => void): void {
    const end = this.#fromEnd
    write(this)
    this.#delimit(field, this.#fromEnd - end)
  }

  /** What was written, behind so many bytes that are the caller's. */
  finish(room: number): Buffer {
    this.#reserve(room)
    return this.#bytes.subarray(this.#at - room)
  }

  get #fromEnd(): number {
    return this.#bytes.length - this.#at
  }

  #delimit(field: number, length: number): void {
    this.#varint(length)
    this.#varint(field * 8 + DELIMITED)
  }

  #varint(value: number): void {
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
    this.#reserve(size)
    this.#at -= size
    let at = this.#at
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80
    this.#bytes[at] = rest
  }

  #reserve(size: number): void {
    if (size <= this.#at) return
    const used = this.#fromEnd
    const grown = Buffer.allocUnsafe((used + size) * 2)
    this.#bytes.copy(grown, grown.length - used, this.#at)
    this.#at = grown.length - used
    this.#bytes = grown
  }
}
