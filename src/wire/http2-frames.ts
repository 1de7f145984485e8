// Frames of HTTP/2 (RFC 9113, sections 4 and 6): writes them, and cuts the bytes of a socket into them.
// Invariant: a frame is handed on when it is complete, and none exceeds our SETTINGS_MAX_FRAME_SIZE.

export const DATA = 0
export const HEADERS = 1
export const PRIORITY = 2
export const RST_STREAM = 3
export const SETTINGS = 4
export const PUSH_PROMISE = 5
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9

export const END_STREAM = 0x1
/** The flag of settings and pings. */
export const ACK = 0x1
export const END_HEADERS = 0x4
const PADDED = 0x8
const WITH_PRIORITY = 0x20

/** Settings, by their numbers. */
export const HEADER_TABLE_SIZE = 1
export const ENABLE_PUSH = 2
export const MAX_CONCURRENT_STREAMS = 3
export const INITIAL_WINDOW_SIZE = 4
export const MAX_FRAME_SIZE = 5
export const MAX_HEADER_LIST_SIZE = 6

/** Errors, by their numbers. */
export const NO_ERROR = 0
export const PROTOCOL_ERROR = 1
export const INTERNAL_ERROR = 2
export const FLOW_CONTROL_ERROR = 3
export const STREAM_CLOSED = 5
export const FRAME_SIZE_ERROR = 6
export const REFUSED_STREAM = 7
export const CANCEL = 8
export const COMPRESSION_ERROR = 9
export const ENHANCE_YOUR_CALM = 11
export const INADEQUATE_SECURITY = 12

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** The defaults: the content of a frame, the window of a stream and the window of the connection. */
export const DEFAULT_FRAME_BYTES = 16_384
export const DEFAULT_WINDOW_BYTES = 65_535
export const LARGEST_WINDOW_BYTES = 2 ** 31 - 1
export const LARGEST_STREAM = 2 ** 31 - 1

export const HEAD_BYTES = 9

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly stream: number
}

export interface SizedHead extends FrameHead {
  /** The length of its content. */
  readonly length: number
}

export interface Frame extends FrameHead {
  readonly content: Buffer
}

/** A connection error (section 5.4.1): after it the connection cannot be used. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Returns the place of the content. */
export function writeHead(bytes: Buffer, at: number, { type, flags, stream, length }: SizedHead): number {
  bytes[at] = length >>> 16
  bytes[at + 1] = length >>> 8
  bytes[at + 2] = length
  bytes[at + 3] = type
  bytes[at + 4] = flags
  bytes[at + 5] = stream >>> 24
  bytes[at + 6] = stream >>> 16
  bytes[at + 7] = stream >>> 8
  bytes[at + 8] = stream
  return at + HEAD_BYTES
}

export function settingsContent(settings: readonly (readonly [number, number])[]): Buffer {
  const content = Buffer.alloc(settings.length * 6)
  for (const [i, [setting, value]] of settings.entries()) {
    content.writeUInt16BE(setting, i * 6)
    content.writeUInt32BE(value, i * 6 + 2)
  }
  return content
}

/** The content of RST_STREAM or WINDOW_UPDATE. */
export function numberContent(value: number): Buffer {
  const content = Buffer.allocUnsafe(4)
  content.writeUInt32BE(value)
  return content
}

/** Without padding, and without the priorities, which are no longer used. */
export function strip({ type, flags, stream }: FrameHead, content: Buffer): Buffer {
  let start = 0
  let end = content.length
  if ((flags & PADDED) !== 0) {
    start = 1
    end -= content[0] ?? 0
  }
  const hasPriority = type === HEADERS && (flags & WITH_PRIORITY) !== 0
  const fieldsAt = hasPriority ? start + PRIORITY_BYTES : start
  if (end < fieldsAt) throw new ConnectionError(PROTOCOL_ERROR, 'more padding than payload')
  if (hasPriority) checkDependency(stream, content, start)
  return content.subarray(fieldsAt, end)
}

/** A stream dependency and a weight: the content of PRIORITY, and an option of HEADERS. */
export const PRIORITY_BYTES = 5

/** RFC 7540, section 5.3.1. RFC 9113 lets receivers ignore it. */
export function checkDependency(stream: number, content: Buffer, at: number): void {
  if ((content.readUInt32BE(at) & 0x7fffffff) !== stream) return
  throw new ConnectionError(PROTOCOL_ERROR, 'a stream cannot depend on itself')
}

/** False: no more for now. */
type TakeFrame = (head: FrameHead, content: Buffer) => boolean

/** Cuts received bytes into frames. The contents of frames are views of the bytes, which are not kept. */
export class FrameSplitter {
  /** The received part of an incomplete frame: first its head, then a buffer for all of it. */
  #begun: Buffer = EMPTY
  #begunBytes = 0
  /** Received bytes that were not taken. */
  readonly #left: Buffer[] = []

  /** The length of the incomplete frame's received part. */
  get heldBytes(): number {
    return this.#begunBytes
  }

  /** Whether there are bytes that were not taken. */
  get hasLeft(): boolean {
    return this.#left.length > 0
  }

  /** Continues while `take` returns true. The rest waits for `resume`. */
  push(chunk: Buffer, take: TakeFrame): void {
    if (this.#left.length === 0) {
      this.#cutOff(chunk, take)
      return
    }
    this.keep(chunk)
    this.resume(take)
  }

  /** Keeps bytes for the next `push` or `resume`. */
  keep(chunk: Buffer): void {
    this.#left.push(chunk)
  }

  resume(take: TakeFrame): void {
    for (let goesOn = true; goesOn && this.#left.length > 0; ) goesOn = this.#cutOff(this.#left.shift()!, take)
  }

  /** Whether all bytes were taken. The rest comes first the next time. */
  #cutOff(chunk: Buffer, take: TakeFrame): boolean {
    const used = this.#cut(chunk, take)
    if (used < chunk.length) this.#left.unshift(chunk.subarray(used))
    return used === chunk.length
  }

  /** Returns the number of used bytes: fewer than all after `take` has returned false. */
  #cut(bytes: Buffer, take: TakeFrame): number {
    let at = this.#begunBytes === 0 ? 0 : this.#complete(bytes)
    if (this.#begunBytes > 0) {
      if (this.#begunBytes < this.#begun.length || this.#begunBytes < HEAD_BYTES) return at
      const frame = this.#begun
      this.#begun = EMPTY
      this.#begunBytes = 0
      if (!take(headOf(frame, 0), frame.subarray(HEAD_BYTES))) return at
    }
    while (bytes.length - at >= HEAD_BYTES) {
      const start = at + HEAD_BYTES
      const length = lengthOf(bytes, at)
      if (bytes.length - start < length) break
      const head = headOf(bytes, at)
      at = start + length
      if (!take(head, bytes.subarray(start, at))) return at
    }
    return at + (at < bytes.length ? this.#complete(bytes.subarray(at)) : 0)
  }

  /** Adds bytes to the incomplete frame. Returns their number. */
  #complete(bytes: Buffer): number {
    let used = 0
    if (this.#begunBytes < HEAD_BYTES) {
      if (this.#begunBytes === 0) this.#begun = Buffer.allocUnsafe(HEAD_BYTES)
      used = this.#copy(bytes)
      if (this.#begunBytes < HEAD_BYTES) return used
      const head = this.#begun
      // The memory is allocated once: the rest may come in very many pieces.
      this.#begun = Buffer.allocUnsafe(HEAD_BYTES + lengthOf(head, 0))
      head.copy(this.#begun)
    }
    return used + this.#copy(bytes.subarray(used))
  }

  #copy(bytes: Buffer): number {
    const copied = bytes.copy(this.#begun, this.#begunBytes)
    this.#begunBytes += copied
    return copied
  }
}

function lengthOf(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3)
  if (length > DEFAULT_FRAME_BYTES) throw new ConnectionError(FRAME_SIZE_ERROR, 'larger than SETTINGS_MAX_FRAME_SIZE')
  return length
}

function headOf(bytes: Buffer, at: number): FrameHead {
  return { type: bytes[at + 3]!, flags: bytes[at + 4]!, stream: bytes.readUInt32BE(at + 5) & 0x7fffffff }
}

const EMPTY = Buffer.alloc(0)
