// Blocks of headers, put together from the frames they were spread over. Invariant: until a block is whole nothing but its rest
// is taken, and none is larger than the limit.
import { END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, PROTOCOL_ERROR } from './http2-frames.ts'
import { CONTINUATION, type FrameHead, strip, WireError } from './http2-frames.ts'

export interface HeaderBlock {
  readonly stream: number
  /** Nothing comes behind it on its stream. */
  readonly isLast: boolean
  readonly bytes: Buffer
}

/** No block that is meant well is cut into so many pieces. */
const MOST_PIECES = 1000

export class HeaderBlocks {
  readonly #mostBytes: number
  #begun: { readonly stream: number; readonly isLast: boolean } | undefined
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Whether this frame may come now. */
  check({ type, stream }: FrameHead): void {
    if (this.#begun === undefined ? type !== CONTINUATION : type === CONTINUATION && stream === this.#begun.stream)
      return
    throw new WireError(PROTOCOL_ERROR, 'headers that were cut off')
  }

  /** The block that this frame is the end of; its bytes are a view of the frame where it is all of it. */
  take(head: FrameHead, content: Buffer): HeaderBlock | undefined {
    const { type, flags, stream } = head
    const piece = type === HEADERS ? strip(head, content) : content
    const { isLast } = (this.#begun ??= { stream, isLast: (flags & END_STREAM) !== 0 })
    const isWhole = (flags & END_HEADERS) !== 0
    this.#bytes += piece.length
    if (this.#bytes > this.#mostBytes || this.#pieces.length === MOST_PIECES) {
      throw new WireError(ENHANCE_YOUR_CALM, 'headers without end')
    }
    if (!isWhole) {
      this.#pieces.push(Buffer.from(piece))
      return undefined
    }
    const bytes = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece])
    this.#begun = undefined
    this.#pieces = []
    this.#bytes = 0
    return { stream, isLast, bytes }
  }
}
