// Measures the time without progress.

export class Standstill {
  #mark: number | undefined
  #sinceMs = 0

  /** The time since the mark last changed. 0 without a mark: then there is nothing to wait for. */
  millisecondsAt(mark: number | undefined, nowMs: number): number {
    if (mark !== this.#mark) {
      this.#mark = mark
      this.#sinceMs = nowMs
    }
    return mark === undefined ? 0 : nowMs - this.#sinceMs
  }
}
