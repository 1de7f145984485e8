// What most of several tries show. A measurement may be wrong by chance: one good try proves as little as one bad one.

export class Majority {
  readonly #needed: number
  readonly #faults: string[] = []
  #good = 0

  /** `tries`: how many there are at most, an odd number. */
  constructor(tries: number) {
    this.#needed = Math.ceil(tries / 2)
  }

  get isDecided(): boolean {
    return Math.max(this.#good, this.#faults.length) >= this.#needed
  }

  /** `fault`: what was wrong with a try; undefined: nothing. */
  add(fault: string | undefined): void {
    if (fault === undefined) this.#good++
    else this.#faults.push(fault)
  }

  /** Of the bad tries; none where most were good. */
  get faults(): readonly string[] {
    return this.#good >= this.#needed ? [] : this.#faults
  }
}
