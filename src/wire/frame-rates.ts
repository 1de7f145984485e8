// Limits the rate of frames that cost the server work and request nothing. Exceeding a rate is a connection error of type
// ENHANCE_YOUR_CALM. The limits are far above the rates of real clients.
import { ConnectionError, ENHANCE_YOUR_CALM } from './http2-frames.ts'
import { TokenBucket } from '../lib/token-bucket.ts'

/** PING, PRIORITY, GOAWAY, extensions, empty DATA, and other frames that are dropped or get a short answer. */
const CONTROL = { burst: 2000, perSecond: 200 } as const
/** DATA frames with so few bytes that the frame costs more than the bytes. Some gRPC messages are that small. */
const SMALL_DATA = { burst: 5000, perSecond: 1000 } as const
const SMALL_DATA_BYTES = 16
/** A client sends SETTINGS when it connects, and seldom again. A frame with many entries counts as several. */
const SETTINGS = { burst: 100, perSecond: 10 } as const
const ENTRIES_A_SETTINGS = 32
/**
 * Requests that the client reset at once, or that failed by a stream error. Each costs the server the work of a request, and the client
 * need not wait for an answer before it sends the next (CVE-2023-44487, CVE-2025-8671).
 */
const RESETS = { burst: 1000, perSecond: 33 } as const
/** WINDOW_UPDATE and RST_STREAM. A client sends several of them for each DATA frame and stream, some of them late. */
const FLOW_CONTROL = { burst: 10_000, perSecond: 1000 } as const
const FLOW_CONTROL_A_FRAME = 16

export class FrameRates {
  readonly #control: TokenBucket
  readonly #smallData: TokenBucket
  readonly #settings: TokenBucket
  readonly #resets: TokenBucket
  readonly #flowControl: TokenBucket

  constructor() {
    const now = performance.now()
    this.#control = new TokenBucket(CONTROL, now)
    this.#smallData = new TokenBucket(SMALL_DATA, now)
    this.#settings = new TokenBucket(SETTINGS, now)
    this.#resets = new TokenBucket(RESETS, now)
    this.#flowControl = new TokenBucket(FLOW_CONTROL, now)
  }

  noteControl(): void {
    take(this.#control, 1, 'too many control frames')
  }

  /** Notes a DATA frame of this many bytes that does not end its stream. */
  noteData(bytes: number): void {
    if (bytes === 0) this.noteControl()
    else if (bytes < SMALL_DATA_BYTES) take(this.#smallData, 1, 'too many small DATA frames')
  }

  noteSettings(entries: number): void {
    take(this.#settings, 1 + Math.floor(entries / ENTRIES_A_SETTINGS), 'too many SETTINGS')
  }

  noteReset(): void {
    take(this.#resets, 1, 'too many streams were reset')
  }

  noteFlowControl(): void {
    take(this.#flowControl, 1, 'too many WINDOW_UPDATE or RST_STREAM frames')
  }

  /** Call this when a stream was opened or a DATA frame was sent: the client may send WINDOW_UPDATE and RST_STREAM for it. */
  expectFlowControl(): void {
    this.#flowControl.give(FLOW_CONTROL_A_FRAME)
  }
}

function take(bucket: TokenBucket, tokens: number, message: string): void {
  if (!bucket.take(tokens, NOW)) throw new ConnectionError(ENHANCE_YOUR_CALM, message)
}

const NOW = (): number => performance.now()
