// Frames of HTTP/2 (RFC 9113, sections 4 and 6). Invariant: no received frame exceeds our SETTINGS_MAX_FRAME_SIZE.
import type { FrameFormat } from './frame-splitter.ts'

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
/** The flag with which SETTINGS and PING are acknowledged. */
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

/** The defaults of the protocol: the largest content of a frame, and the window of a stream and of a connection. */
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
  /** The length of the content. */
  readonly length: number
}

export interface Frame extends FrameHead {
  readonly content: Buffer
}

/** A connection error (section 5.4.1). The connection cannot be used after it. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Writes the head of a frame. Returns the offset of the content. */
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

/** Returns the content without its padding and its priority. Priorities are no longer used. */
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

/** The size of a stream dependency and a weight, which are the content of PRIORITY and an option of HEADERS. */
export const PRIORITY_BYTES = 5

/** Throws if a stream depends on itself (RFC 7540, section 5.3.1). RFC 9113 lets receivers ignore this error. */
export function checkDependency(stream: number, content: Buffer, at: number): void {
  if ((content.readUInt32BE(at) & 0x7fffffff) !== stream) return
  throw new ConnectionError(PROTOCOL_ERROR, 'a stream cannot depend on itself')
}

function lengthOf(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3)
  if (length > DEFAULT_FRAME_BYTES) throw new ConnectionError(FRAME_SIZE_ERROR, 'larger than SETTINGS_MAX_FRAME_SIZE')
  return length
}

function headOf(bytes: Buffer, at: number): FrameHead {
  return { type: bytes[at + 3]!, flags: bytes[at + 4]!, stream: bytes.readUInt32BE(at + 5) & 0x7fffffff }
}

/** The format of HTTP/2 frames, for cutting received bytes. */
export const HTTP2_FRAMES: FrameFormat<FrameHead> = { headBytes: HEAD_BYTES, lengthOf, headOf }
