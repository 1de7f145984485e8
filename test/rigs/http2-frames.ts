// HTTP/2 frame by frame, for tests that say to the other end what they like, right or wrong. Written from RFC 9113 alone and not
// from the code that it tests: a number that is wrong there must not be wrong here too.
import type { Socket } from 'node:net'

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** Section 6: the types of frames. */
export const DATA = 0x0
export const HEADERS = 0x1
export const PRIORITY = 0x2
export const RST_STREAM = 0x3
export const SETTINGS = 0x4
export const PUSH_PROMISE = 0x5
export const PING = 0x6
export const GOAWAY = 0x7
export const WINDOW_UPDATE = 0x8
export const CONTINUATION = 0x9

/** Their flags. */
export const ACK = 0x1
export const END_STREAM = 0x1
export const END_HEADERS = 0x4
export const PADDED = 0x8
export const WITH_PRIORITY = 0x20

/** Section 6.5.2. */
export const HEADER_TABLE_SIZE = 0x1
export const ENABLE_PUSH = 0x2
export const MAX_CONCURRENT_STREAMS = 0x3
export const INITIAL_WINDOW_SIZE = 0x4
export const MAX_FRAME_SIZE = 0x5
export const MAX_HEADER_LIST_SIZE = 0x6

/** Section 7. */
export const NO_ERROR = 0x0
export const PROTOCOL_ERROR = 0x1
export const INTERNAL_ERROR = 0x2
export const FLOW_CONTROL_ERROR = 0x3
export const STREAM_CLOSED = 0x5
export const FRAME_SIZE_ERROR = 0x6
export const REFUSED_STREAM = 0x7
export const CANCEL = 0x8
export const COMPRESSION_ERROR = 0x9
export const ENHANCE_YOUR_CALM = 0xb
export const INADEQUATE_SECURITY = 0xc

export const DEFAULT_FRAME_BYTES = 16_384
export const DEFAULT_WINDOW_BYTES = 65_535
export const LARGEST_WINDOW_BYTES = 2 ** 31 - 1

const HEAD_BYTES = 9

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly stream: number
}

export interface Frame extends FrameHead {
  readonly content: Buffer
}

export function frame({ type, flags, stream }: FrameHead, ...pieces: readonly Buffer[]): Buffer {
  const content = Buffer.concat(pieces)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(content.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, content])
}

export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  const entries = settings.map(([setting, value]) => {
    const entry = Buffer.alloc(6)
    entry.writeUInt16BE(setting)
    entry.writeUInt32BE(value, 2)
    return entry
  })
  return frame({ type: SETTINGS, flags: 0, stream: 0 }, ...entries)
}

/** RST_STREAM or WINDOW_UPDATE. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const content = Buffer.alloc(4)
  content.writeUInt32BE(value)
  return frame({ type, flags: 0, stream }, content)
}

export function headersFrame(stream: number, block: Buffer, isLast: boolean): Buffer {
  return frame({ type: HEADERS, flags: END_HEADERS | (isLast ? END_STREAM : 0), stream }, block)
}

/** A request without a body whose field block takes as many frames as it needs. */
export function spreadFrames(stream: number, block: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < block.length; at += DEFAULT_FRAME_BYTES) {
    pieces.push(block.subarray(at, at + DEFAULT_FRAME_BYTES))
  }
  return Buffer.concat(
    pieces.map((piece, i) => {
      const flags = (i === 0 ? END_STREAM : 0) | (i === pieces.length - 1 ? END_HEADERS : 0)
      return frame({ type: i === 0 ? HEADERS : CONTINUATION, flags, stream }, piece)
    }),
  )
}

export function dataFrame(stream: number, content: Buffer | string, flags = 0): Buffer {
  return frame({ type: DATA, flags, stream }, Buffer.from(content))
}

/** Cuts what comes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): readonly Frame[] {
    const frames: Frame[] = []
    let rest = Buffer.concat([this.#rest, chunk])
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3)
      const head = { type: rest.readUInt8(3), flags: rest.readUInt8(4), stream: rest.readUInt32BE(5) }
      frames.push({ ...head, content: rest.subarray(HEAD_BYTES, end) })
      rest = rest.subarray(end)
    }
    this.#rest = rest
    return frames
  }
}

/** One end of a connection. */
export class FrameConnection {
  readonly socket: Socket
  readonly seen: Frame[] = []
  readonly #waiting = new Set<() => void>()

  /** `skips`: so many bytes come before the first frame. */
  constructor(
    socket: Socket,
    { skips = 0, onFrame }: { skips?: number; onFrame?: (seen: Frame, connection: FrameConnection) => void } = {},
  ) {
    this.socket = socket
    const reader = new FrameReader()
    let preface = skips
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length)
      preface -= skipped
      for (const seen of reader.push(chunk.subarray(skipped))) {
        this.seen.push(seen)
        onFrame?.(seen, this)
        for (const look of this.#waiting) look()
      }
    })
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames))
  }

  reset(stream: number, code: number): void {
    this.send(numberFrame(RST_STREAM, stream, code))
  }

  goAway(lastStream: number): void {
    const content = Buffer.alloc(8)
    content.writeUInt32BE(lastStream)
    this.send(frame({ type: GOAWAY, flags: 0, stream: 0 }, content))
  }

  /** The frame that a test waits for, when it has come. */
  frame(wanted: (seen: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.seen.find(wanted)
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }
}
