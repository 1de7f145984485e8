// How often a client may send what costs us something and asks for nothing. What is too often is a connection error of type
// ENHANCE_YOUR_CALM; the numbers are far from those of clients that mean well.
import { ConnectionError, ENHANCE_YOUR_CALM } from './http2-frames.ts'
import { TokenBucket } from '../lib/token-bucket.ts'

/** PING, PRIORITY, GOAWAY, extensions, empty DATA, and other frames that are dropped or answered in a few bytes. */
const CONTROL = { burst: 2000, perSecond: 200 } as const
/** DATA frames that bring so little that the frame costs more than its bytes. Some messages of gRPC are as small. */
const SMALL_DATA = { burst: 5000, perSecond: 1000 } as const
const SMALL_DATA_BYTES = 16
/** A client says what it takes when it connects, and seldom again. One with so many entries counts as several. */
const SETTINGS = { burst: 100, perSecond: 10 } as const
const ENTRIES_A_SETTINGS = 32
/**
 * Requests that were taken back at once, or reset because of a stream error: they cost us a request, and the client does not have
 * to wait for the answer before it sends the next (CVE-2023-44487, CVE-2025-8671).
 */
const RESETS = { burst: 1000, perSecond: 33 } as const
/** WINDOW_UPDATE, and RST_STREAM of what is over: a client sends several for each DATA frame and stream, some of them late. */
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

  /** A DATA frame with so many bytes, behind which more will follow. */
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

  /** A stream was opened, or a DATA frame sent: WINDOW_UPDATE and RST_STREAM are to be expected. */
  expectFlowControl(): void {
    this.#flowControl.give(FLOW_CONTROL_A_FRAME)
  }
}

function take(bucket: TokenBucket, tokens: number, message: string): void {
  if (!bucket.take(tokens, NOW)) throw new ConnectionError(ENHANCE_YOUR_CALM, message)
}

const NOW = (): number => performance.now()
