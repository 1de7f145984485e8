// The time-weighted demand for seats over a period, by which limits are adjusted (P-210).

export interface DemandOfPeriod {
  readonly average: number
  readonly deviation: number
  readonly highest: number
}

export class Demand {
  #since: number
  #began: number
  #value = 0
  #integral = 0
  #squares = 0
  #highest = 0

  constructor(nowMs: number) {
    this.#since = nowMs
    this.#began = nowMs
  }

  set(value: number, nowMs: number): void {
    const passed = nowMs - this.#since
    this.#integral += this.#value * passed
    this.#squares += this.#value * this.#value * passed
    this.#since = nowMs
    this.#value = value
    if (value > this.#highest) this.#highest = value
  }

  /** Returns the demand since the last call, and begins the next period. */
  take(nowMs: number): DemandOfPeriod {
    this.set(this.#value, nowMs)
    const length = nowMs - this.#began
    const average = length > 0 ? this.#integral / length : this.#value
    const variance = length > 0 ? this.#squares / length - average * average : 0
    const result = { average, deviation: Math.sqrt(Math.max(0, variance)), highest: this.#highest }
    this.#began = nowMs
    this.#integral = 0
    this.#squares = 0
    this.#highest = this.#value
    return result
  }
}
