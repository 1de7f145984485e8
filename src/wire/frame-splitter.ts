// Cuts the bytes of a socket into frames. Invariant: only complete frames are passed on.

/** The head of frames. It has a fixed size and names the length of the content after it. */
export interface FrameFormat<Head> {
  readonly headBytes: number
  readonly lengthOf: (bytes: Buffer, at: number) => number
  readonly headOf: (bytes: Buffer, at: number) => Head
}

/** False: take no more frames for now. */
type TakeFrame<Head> = (head: Head, content: Buffer) => boolean

/** Cuts received bytes into frames. The content of a frame that came in one chunk is a view of the chunk, not a copy. */
export class FrameSplitter<Head> {
  readonly #format: FrameFormat<Head>
  /** The received part of an incomplete frame: first its head, then a buffer for all of it. */
  #begun: Buffer = EMPTY
  #begunBytes = 0
  /** Received bytes that were not taken. */
  readonly #left: Buffer[] = []

  constructor(format: FrameFormat<Head>) {
    this.#format = format
  }

  /** The length of the incomplete frame's received part. */
  get heldBytes(): number {
    return this.#begunBytes
  }

  /** Whether there are bytes that were not taken. */
  get hasLeft(): boolean {
    return this.#left.length > 0
  }

  /** Cuts off frames while `take` returns true. The remaining bytes wait for `resume`. */
  push(chunk: Buffer, take: TakeFrame<Head>): void {
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

  resume(take: TakeFrame<Head>): void {
    for (let goesOn = true; goesOn && this.#left.length > 0; ) goesOn = this.#cutOff(this.#left.shift()!, take)
  }

  /** Returns whether all bytes were taken. The remaining bytes come first the next time. */
  #cutOff(chunk: Buffer, take: TakeFrame<Head>): boolean {
    const used = this.#cut(chunk, take)
    if (used < chunk.length) this.#left.unshift(chunk.subarray(used))
    return used === chunk.length
  }

  /** Returns the number of used bytes. After `take` has returned false, some bytes may be unused. */
  #cut(bytes: Buffer, take: TakeFrame<Head>): number {
    const { headBytes, lengthOf, headOf } = this.#format
    let at = this.#begunBytes === 0 ? 0 : this.#complete(bytes)
    if (this.#begunBytes > 0) {
      if (this.#begunBytes < this.#begun.length || this.#begunBytes < headBytes) return at
      const frame = this.#begun
      this.#begun = EMPTY
      this.#begunBytes = 0
      if (!take(headOf(frame, 0), frame.subarray(headBytes))) return at
    }
    while (bytes.length - at >= headBytes) {
      const start = at + headBytes
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
    const { headBytes, lengthOf } = this.#format
    let used = 0
    if (this.#begunBytes < headBytes) {
      if (this.#begunBytes === 0) this.#begun = Buffer.allocUnsafe(headBytes)
      used = this.#copy(bytes)
      if (this.#begunBytes < headBytes) return used
      const head = this.#begun
      // The memory is allocated once: the rest may come in very many pieces.
      this.#begun = Buffer.allocUnsafe(headBytes + lengthOf(head, 0))
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

const EMPTY = Buffer.alloc(0)
