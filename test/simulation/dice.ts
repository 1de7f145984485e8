// Chance that follows from a seed and a purpose: what one draws does not disturb another.

export class Dice {
  #a: number
  #b: number
  #c: number
  #d = 1

  constructor(seed: string | number, purpose = '') {
    let hash = 0x811c9dc5
    for (const character of `${seed}/${purpose}`) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
    ;[this.#a, this.#b, this.#c] = [hash, Math.imul(hash, 0x9e3779b1), hash ^ 0x5bd1e995]
    for (let i = 0; i < 12; i++) this.next()
  }

  /** 32 bits (sfc32). */
  next(): number {
    const t = (this.#a + this.#b + this.#d++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t
    return t >>> 0
  }

  /** From 0 to 1, 1 excluded. */
  share(): number {
    return this.next() / 2 ** 32
  }

  /** A whole number from 0 to `limit - 1`. */
  readonly below = (limit: number): number => Math.floor(this.share() * limit)

  between(least: number, most: number): number {
    return least + this.share() * (most - least)
  }

  chance(share: number): boolean {
    return this.share() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }

  /** Fills all of it. */
  draw(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.next() & 0xff
  }
}
