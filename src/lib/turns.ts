// Cuts long work into pieces. All long work together runs one piece in a turn of the event loop, so that it delays other work by one piece
// at most.

const PIECE_MS = 8

export class Turns {
  readonly #waiting: (() => void)[] = []
  #until = 0

  /** Whether the piece that began with the last turn has lasted long enough. */
  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  /** Resolves in a later turn of the event loop, when this work is next. Then its piece begins. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(this.#give)
    })
  }

  readonly #give = (): void => {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#until = performance.now() + PIECE_MS
    first()
    // The piece runs before this function is called again, so two pieces never run in one turn.
    this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(this.#give)
  }
}

/** Runs a generator to its end. After each `yield`, the generator may have to wait for its next turn. */
export async function runInTurns<T>(steps: Generator<void, T>, turns: Turns): Promise<T> {
  for (;;) {
    if (turns.isOver) await turns.next()
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Shares turns of the event loop among short pieces of work: a number of them begins in one turn, in the order of their calls. The clock does
 * not matter, so a run can be repeated.
 */
export class CountedTurns {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #begun = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when the piece may begin. */
  async next(): Promise<void> {
    if (this.#begun < this.#most && this.#waiting.length === 0) return this.#begin()
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #begin(): void {
    if (this.#begun++ === 0) setImmediate(this.#end)
  }

  readonly #end = (): void => {
    this.#begun = 0
    for (const resume of this.#waiting.splice(0, this.#most)) {
      this.#begin()
      resume()
    }
  }
}
