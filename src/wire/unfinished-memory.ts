// The memory of what is unfinished: received and not complete, or made and not taken. There is so much of it for each connection
// and so much for all. A request that exceeds a limit ends the largest request on the connection that holds most; the others go on.
import type { Count } from '../lib/measure.ts'

/** What a connection holds. */
export class Holding {
  bytes = 0
  readonly #memory: UnfinishedMemory
  readonly #shed: () => void
  #isClosed = false

  constructor(memory: UnfinishedMemory, shed: () => void) {
    this.#memory = memory
    this.#shed = shed
  }

  /** More of it, or less; of no consequence when it is closed. */
  change(bytes: number): void {
    if (this.#isClosed) return
    this.bytes += bytes
    this.#memory.change(this, bytes)
  }

  /** Gives up what is largest; it holds less when this is over. */
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

/** Many answers at once are much for a moment, even for a client that takes them as fast as it can. */
const GRACE_MS = 100
/** More than so many times the limits is not waited for. */
const FAR_OVER = 2
/** Of all that there may be: somewhat more is given up than has to be, so that looking for it is worth it. */
const SHED_TO = 0.9

export class UnfinishedMemory {
  readonly #limits: UnfinishedLimits
  readonly #counts: { readonly bytes: Count; readonly resets: Count }
  readonly #holdings = new Set<Holding>()
  /** Those that hold more than a connection may. */
  readonly #over = new Set<Holding>()
  #isPlanned = false
  #isUrgent = false

  /** `counts`: how much there is, and how often something was given up. */
  constructor(limits: UnfinishedLimits, counts: { readonly bytes: Count; readonly resets: Count }) {
    this.#limits = limits
    this.#counts = counts
  }

  get bytes(): number {
    return this.#counts.bytes.value
  }

  /** `shed` gives up what is largest. */
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
      // Not now: its holder is in the midst of reading it.
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

  /** As long as it is too much, and something comes of it. */
  #shed(holding: Holding, isTooMuch: () => boolean): void {
    for (let before = Infinity; isTooMuch() && holding.bytes < before && holding.bytes > 0; ) {
      before = holding.bytes
      holding.shed()
      this.#counts.resets.value++
    }
  }
}
