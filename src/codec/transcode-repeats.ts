// A small cache of the last objects in a field, as JSON and as messages. Pods of one set have the same containers, volumes and tolerations,
// and comparing bytes costs a fraction of transcoding them. The cache is off for fields that do not repeat.

export interface Repeat {
  readonly json: Buffer
  readonly message: Buffer
}

/** The number of kept objects. A pod has several containers, so an object repeats only after the others. */
const KEPT = 4
/** Shorter objects are transcoded as fast as they are compared. */
const MIN_BYTES = 48
const MAX_BYTES = 8192
/** After this number of objects without a repeat, the next `PAUSE` objects are not kept. */
const PATIENCE = 12
const PAUSE = 500

export class Repeats {
  readonly #kept: Repeat[] = []
  /** The index of the kept object that is expected next. A new object replaces it. */
  #turn = 0
  #patience = PATIENCE
  #pause = 0

  /** The kept object that begins at a position of the JSON. Kept objects are complete, so equal bytes are an equal object. */
  at(json: Buffer, start: number): Repeat | undefined {
    for (let i = 0; i < this.#kept.length; i++) {
      const turn = (this.#turn + i) % this.#kept.length
      const kept = this.#kept[turn] as Repeat
      const { length } = kept.json
      if (start + length > json.length || json.compare(kept.json, 0, length, start, start + length) !== 0) continue
      this.#turn = (turn + 1) % this.#kept.length
      this.#patience = PATIENCE
      return kept
    }
    return undefined
  }

  /** Whether to keep a new object of this length. */
  wants(length: number): boolean {
    if (length < MIN_BYTES || length > MAX_BYTES) return false
    if (this.#pause > 0) {
      if (--this.#pause === 0) this.#patience = PATIENCE
      return false
    }
    if (--this.#patience > 0) return true
    this.#pause = PAUSE
    this.#kept.length = 0
    return false
  }

  /** Keeps copies of the object and its message. */
  keep(json: Buffer, message: Buffer): void {
    const made = { json: Buffer.from(json), message: Buffer.from(message) }
    if (this.#kept.length < KEPT) this.#kept.push(made)
    else {
      this.#kept[this.#turn] = made
      this.#turn = (this.#turn + 1) % KEPT
    }
  }
}
