// The Retry-After of rejected requests: longer when many are rejected, shorter when few are (P-216).

const MOST_SECONDS = 32

export class DroppedRequests {
  #retryAfter = 1
  #second = 0
  /** The counts of the last seconds, the newest last. */
  #counts: number[] = []
  #adjusted = 0

  /** Counts a rejected request, and returns its Retry-After in seconds. */
  add(nowMs: number): number {
    const second = Math.floor(nowMs / 1000)
    this.#turnTo(second)
    this.#counts[this.#counts.length - 1]!++
    return this.#retryAfter
  }

  #turnTo(second: number): void {
    if (this.#counts.length === 0) {
      this.#second = second
      this.#adjusted = second
      this.#counts = [0]
      return
    }
    const passed = Math.min(second - this.#second, MOST_SECONDS + 1)
    for (let i = 0; i < passed; i++) this.#counts.push(0)
    this.#counts = this.#counts.slice(-(MOST_SECONDS + 1))
    this.#second = second
    if (second - this.#adjusted < this.#retryAfter) return
    this.#adjusted = second
    const n = this.#retryAfter
    const dropped = this.#counts.slice(-n - 1, -1).reduce((sum, count) => sum + count, 0)
    if (dropped >= 3 * n) this.#retryAfter = Math.min(2 * n, MOST_SECONDS)
    else if (dropped < n && n > 1) this.#retryAfter = n - 1
  }
}
