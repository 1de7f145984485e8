// Joins a HEADERS frame and the CONTINUATION frames after it to a field block. Invariants: until a block is complete, only its next frame
// is accepted. No block is larger than the limit or has more frames than a client needs.
import { END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, PROTOCOL_ERROR } from './http2-frames.ts'
import { ConnectionError, CONTINUATION, type FrameHead, strip } from './http2-frames.ts'

export interface HeaderBlock {
  readonly stream: number
  /** Whether the block ends its stream. */
  readonly isLast: boolean
  readonly bytes: Buffer
}

/** A frame has room for 16 KiB, so a real block has only a few frames. */
const MOST_FRAMES = 128

export class HeaderBlocks {
  /** The number of received bytes of an incomplete block. */
  heldBytes = 0
  /** The number of complete blocks. */
  count = 0
  readonly #mostBytes: number
  #begun: { readonly stream: number; readonly isLast: boolean } | undefined
  #pieces: Buffer[] = []
  #frames = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Whether a block is incomplete. */
  get isOpen(): boolean {
    return this.#begun !== undefined
  }

  /** Throws `ConnectionError` if this frame is not allowed now. */
  check({ type, stream }: FrameHead): void {
    if (this.#begun === undefined ? type !== CONTINUATION : type === CONTINUATION && stream === this.#begun.stream)
      return
    throw new ConnectionError(
      PROTOCOL_ERROR,
      this.#begun === undefined ? 'CONTINUATION without a field block' : 'a field block was not continued',
    )
  }

  /**
   * Returns the block that this frame completes. Undefined: the block is incomplete. The bytes of a block of one frame are a view of the
   * frame.
   */
  take(head: FrameHead, content: Buffer): HeaderBlock | undefined {
    const { type, flags, stream } = head
    const piece = type === HEADERS ? strip(head, content) : content
    const { isLast } = (this.#begun ??= { stream, isLast: (flags & END_STREAM) !== 0 })
    const isWhole = (flags & END_HEADERS) !== 0
    if (this.heldBytes + piece.length > this.#mostBytes) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, 'a field block that is too large')
    }
    if (++this.#frames > MOST_FRAMES) throw new ConnectionError(ENHANCE_YOUR_CALM, 'too many CONTINUATION frames')
    if (!isWhole) {
      this.heldBytes += piece.length
      if (piece.length > 0) this.#pieces.push(Buffer.from(piece))
      return undefined
    }
    const bytes = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece])
    this.#begun = undefined
    this.#pieces = []
    this.#frames = 0
    this.heldBytes = 0
    this.count++
    return { stream, isLast, bytes }
  }
}
