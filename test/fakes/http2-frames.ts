// HTTP/2 frame by frame, for tests that say to the other end what they like, right or wrong.
import type { Socket } from 'node:net'
import * as h2 from '../../src/lib/http2-frames.ts'
import {
  type Frame,
  type FrameHead,
  FrameSplitter,
  numberContent,
  settingsContent,
  writeHead,
} from '../../src/lib/http2-frames.ts'

export function frame(head: FrameHead, ...pieces: readonly Buffer[]): Buffer {
  const content = Buffer.concat(pieces)
  const { length } = content
  const bytes = Buffer.alloc(h2.HEAD_BYTES + length)
  content.copy(bytes, writeHead(bytes, 0, { ...head, length }))
  return bytes
}

export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  return frame({ type: h2.SETTINGS, flags: 0, stream: 0 }, settingsContent(settings))
}

/** A reset, or more room. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  return frame({ type, flags: 0, stream }, numberContent(value))
}

export function headersFrame(stream: number, block: Buffer, isLast: boolean): Buffer {
  return frame({ type: h2.HEADERS, flags: h2.END_HEADERS | (isLast ? h2.END_STREAM : 0), stream }, block)
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
    const splitter = new FrameSplitter()
    let preface = skips
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length)
      preface -= skipped
      splitter.push(chunk.subarray(skipped), (head, content) => {
        const seen = { ...head, content }
        this.seen.push(seen)
        onFrame?.(seen, this)
        for (const look of this.#waiting) look()
        return true
      })
    })
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames))
  }

  reset(stream: number, code: number): void {
    this.send(numberFrame(h2.RST_STREAM, stream, code))
  }

  goAway(lastStream: number): void {
    const content = Buffer.alloc(8)
    content.writeUInt32BE(lastStream)
    this.send(frame({ type: h2.GOAWAY, flags: 0, stream: 0 }, content))
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
