// A token bucket, to limit rates.

export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #tokens: number
  #atMs: number

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }, nowMs: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#tokens = burst
    this.#atMs = nowMs
  }

  /** Takes the tokens. False: there are too few, and none is taken. */
  take(tokens: number, now: () => number): boolean {
    if (this.#tokens < tokens) this.#fill(now())
    if (this.#tokens < tokens) return false
    this.#tokens -= tokens
    return true
  }

  give(tokens: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + tokens)
  }

  #fill(nowMs: number): void {
    this.give(((nowMs - this.#atMs) / 1000) * this.#perSecond)
    this.#atMs = nowMs
  }
}
