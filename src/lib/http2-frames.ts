// Frames of HTTP/2 (RFC 9113, section 4 and 6): how they are written, and how what comes from a socket is cut into them.
// Invariant: a frame is handed on when it is whole, and none is longer than we said we would take.

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
/** Of settings and pings. */
export const ACK = 0x1
export const END_HEADERS = 0x4
const PADDED = 0x8
const HAS_PRIORITY = 0x20

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

/** Where nothing else was agreed on: how much of a frame's content, of a stream and of all streams may be under way. */
export const DEFAULT_FRAME_BYTES = 16_384
export const DEFAULT_WINDOW_BYTES = 65_535
export const LARGEST_WINDOW_BYTES = 2 ** 31 - 1

export const HEAD_BYTES = 9

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly stream: number
}

export interface SizedHead extends FrameHead {
  /** Of its content. */
  readonly length: number
}

export interface Frame extends FrameHead {
  readonly content: Buffer
}

/** What the peer sent is not HTTP/2, or not what we agreed on: the connection is of no more use. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Gives where the content goes. */
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

/** The content of a reset, or of more room. */
export function numberContent(value: number): Buffer {
  const content = Buffer.allocUnsafe(4)
  content.writeUInt32BE(value)
  return content
}

/** Without padding, and without the priorities that nobody uses any more. */
export function strip({ type, flags }: FrameHead, content: Buffer): Buffer {
  let start = 0
  let end = content.length
  if ((flags & PADDED) !== 0) {
    start = 1
    end -= content[0] ?? 0
  }
  if (type === HEADERS && (flags & HAS_PRIORITY) !== 0) start += 5
  if (end < start) throw new WireError(PROTOCOL_ERROR, 'more padding than frame')
  return content.subarray(start, end)
}

/** Cuts what comes into frames. Their contents are views of it, and it is not kept. */
export class FrameSplitter {
  #rest: Buffer | undefined

  /** Goes on as long as `take` says true. */
  push(chunk: Buffer, take: (head: FrameHead, content: Buffer) => boolean): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = undefined
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3)
      if (length > DEFAULT_FRAME_BYTES) throw new WireError(FRAME_SIZE_ERROR, 'a frame that is too long')
      const start = at + HEAD_BYTES
      if (bytes.length - start < length) break
      const head = {
        type: bytes[at + 3]!,
        flags: bytes[at + 4]!,
        stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      }
      at = start + length
      if (!take(head, bytes.subarray(start, at))) return
    }
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at))
  }
}
