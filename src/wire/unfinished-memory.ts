// Limits the memory of incomplete requests and unread responses, for each connection and for all together. A request that exceeds
// a limit ends the largest request on the connection that holds most. The other requests go on.
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

  /** The connection is closed. */
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

/** Many answers at once take much memory for a moment, even if the client reads as fast as it can. */
const GRACE_MS = 100
/** Beyond this multiple of a limit, requests are ended without a grace period. */
const FAR_OVER = 2
/** A share of the total limit. Somewhat more is freed than needed, so that the search pays off. */
const SHED_TO = 0.9

export class UnfinishedMemory {
  readonly #limits: UnfinishedLimits
  readonly #counts: { readonly bytes: Count; readonly resets: Count }
  readonly #holdings = new Set<Holding>()
  /** The holders above the limit of a connection. */
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

  /** For holdings. */
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
      // Not now: the connection is reading.
      setImmediate(this.#keepWithin)
    }
  }

  #isFarOver(holding: Holding): boolean {
    const { perConnectionBytes, totalBytes } = this.#limits
    return holding.bytes > FAR_OVER * perConnectionBytes || this.bytes > FAR_OVER * totalBytes
  }

  /** For holdings. */
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

  /** Repeats while a limit is exceeded and requests can be ended. */
  #shed(holding: Holding, isTooMuch: () => boolean): void {
    for (let before = Infinity; isTooMuch() && holding.bytes < before && holding.bytes > 0; ) {
      before = holding.bytes
      holding.shed()
      this.#counts.resets.value++
    }
  }
}
