// How long something has not moved on.

export class Standstill {
  #mark: number | undefined
  #sinceMs = 0

  /** How long the mark has been the same; 0 where there is none, since then nothing is waited for. */
  millisecondsAt(mark: number | undefined, nowMs: number): number {
    if (mark !== this.#mark) {
      this.#mark = mark
      this.#sinceMs = nowMs
    }
    return mark === undefined ? 0 : nowMs - this.#sinceMs
  }
}
