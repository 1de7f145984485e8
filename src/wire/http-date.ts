// The `Date` header, made once for all answers of a second.
import type { Clock } from '../lib/clock.ts'

export class HttpDate {
  readonly #clock: Pick<Clock, 'timeOfDay'>
  #second = 0
  #text = ''

  constructor(clock: Pick<Clock, 'timeOfDay'>) {
    this.#clock = clock
  }

  get text(): string {
    const second = Math.floor(this.#clock.timeOfDay() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * 1000).toUTCString()
    }
    return this.#text
  }
}
