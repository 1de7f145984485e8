// Limits the memory of incomplete requests and unread responses, for each connection and for all together. If a connection exceeds its
// limit, its largest requests are ended. If all connections together exceed the common limit, the largest requests of the connections that
// hold most are ended. The other requests continue.
import type { Count } from '../lib/measure.ts'

/** The unfinished bytes of a connection. */
export class Holding {
  bytes = 0
  readonly #memory: UnfinishedMemory
  readonly #shed: () => void
  #isClosed = false

  constructor(memory: UnfinishedMemory, shed: () => void) {
    this.#memory = memory
    this.#shed = shed
  }

  /** Changes the number of bytes. Without effect after `close`. */
  change(bytes: number): void {
    if (this.#isClosed) return
    this.bytes += bytes
    this.#memory.change(this, bytes)
  }

  /** Ends the largest request. The connection holds less afterwards. */
  shed(): void {
    this.#shed()
  }

  /** Call this when the connection is closed. */
  close(): void {
    this.change(-this.bytes)
    this.#isClosed = true
    this.#memory.forget(this)
  }
}

export interface UnfinishedLimits {
  readonly perConnectionBytes: number
  readonly totalBytes: number
}

/**
 * A limit may be exceeded for this time: many answers at once take much memory for a moment, even if the client reads as fast as it can.
 */
const GRACE_MS = 100
/** If requests take more than this multiple of a limit, they are ended without a grace period. */
const FAR_OVER = 2
/**
 * Requests are ended until this share of the total limit is reached. A little more is freed than needed, so that the search is needed less
 * often.
 */
const SHED_TO = 0.9

export class UnfinishedMemory {
  readonly #limits: UnfinishedLimits
  readonly #counts: { readonly bytes: Count; readonly resets: Count }
  readonly #holdings = new Set<Holding>()
  /** The holdings above the limit of a connection. */
  readonly #over = new Set<Holding>()
  #isPlanned = false
  #isUrgent = false

  /** `counts`: the unfinished bytes, and the number of ended requests. */
  constructor(limits: UnfinishedLimits, counts: { readonly bytes: Count; readonly resets: Count }) {
    this.#limits = limits
    this.#counts = counts
  }

  get bytes(): number {
    return this.#counts.bytes.value
  }

  /** `shed` ends the largest request. */
  open(shed: () => void): Holding {
    const holding = new Holding(this, shed)
    this.#holdings.add(holding)
    return holding
  }

  /** For `Holding`: adds to the bytes that a connection holds. */
  change(holding: Holding, bytes: number): void {
    this.#counts.bytes.value += bytes
    if (bytes <= 0) return
    const isOver = holding.bytes > this.#limits.perConnectionBytes
    if (isOver) this.#over.add(holding)
    if (!isOver && this.bytes <= this.#limits.totalBytes) return
    if (!this.#isPlanned) setTimeout(this.#keepWithin, GRACE_MS)
    this.#isPlanned = true
    if (!this.#isUrgent && this.#isFarOver(holding)) {
      this.#isUrgent = true
      // Requests are not ended at once, because the connection is reading.
      setImmediate(this.#keepWithin)
    }
  }

  #isFarOver(holding: Holding): boolean {
    const { perConnectionBytes, totalBytes } = this.#limits
    return holding.bytes > FAR_OVER * perConnectionBytes || this.bytes > FAR_OVER * totalBytes
  }

  /** For `Holding`: forgets a closed connection. */
  forget(holding: Holding): void {
    this.#holdings.delete(holding)
    this.#over.delete(holding)
  }

  readonly #keepWithin = (): void => {
    this.#isPlanned = this.#isUrgent = false
    const { perConnectionBytes, totalBytes } = this.#limits
    for (const holding of this.#over) this.#shed(holding, () => holding.bytes > perConnectionBytes)
    this.#over.clear()
    if (this.bytes <= totalBytes) return
    const byBytes = [...this.#holdings].sort((a, b) => b.bytes - a.bytes)
    for (const holding of byBytes) this.#shed(holding, () => this.bytes > totalBytes * SHED_TO)
  }

  /** Ends requests while the limit is exceeded and there are requests to end. */
  #shed(holding: Holding, isTooMuch: () => boolean): void {
    for (let before = Infinity; isTooMuch() && holding.bytes < before && holding.bytes > 0; ) {
      before = holding.bytes
      holding.shed()
      this.#counts.resets.value++
    }
  }
}
