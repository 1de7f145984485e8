// Serializes the writers of one object. Otherwise only one of many concurrent writers would win, and each loser would repeat all of its
// work. A writer's turn ends after 100 ms if other writers wait, so that no two writers block each other.
import { type Clock, systemClock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'

const LONGEST_TURN_MS = 100

export class KeyTurns {
  readonly #last = new TurnoverMap<string, Turn>()
  readonly #clock: Clock

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Returns a turn after all earlier turns for the key. The caller must end it after it has begun. */
  take(key: string): Turn {
    const onEnd = (done: Turn): void => {
      if (this.#last.get(key) === done) this.#last.delete(key)
    }
    const turn = new Turn(this.#last.get(key), this.#clock, onEnd)
    this.#last.set(key, turn)
    return turn
  }

  get size(): number {
    return this.#last.size
  }
}

export class Turn {
  #before: Turn | undefined
  readonly #clock: Clock
  readonly #onEnd: (turn: Turn) => void
  readonly #next: (() => void)[] = []
  #isAwaited = false
  #begunAtMs: number | undefined
  #isOver = false
  #cancelLimit: (() => void) | undefined

  constructor(before: Turn | undefined, clock: Clock, onEnd: (turn: Turn) => void) {
    this.#before = before
    this.#clock = clock
    this.#onEnd = onEnd
    if (before === undefined) this.#begin()
  }

  /**
   * Resolves when the turn begins. Undefined: it has begun already. Rejects with `CancelledError` if the signal fires first. Then the turn
   * ends by itself.
   */
  begun(signal: AbortSignal): Promise<void> | undefined {
    const before = this.#before
    this.#before = undefined
    if (before === undefined) return undefined
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(new CancelledError(signal.reason))
      }
      before.#whenOver(() => {
        signal.removeEventListener('abort', giveUp)
        this.#begin()
        // A cancelled writer delays no other writer.
        if (signal.aborted) this.end()
        resolve()
      })
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelLimit?.()
    this.#onEnd(this)
    for (const tell of this.#next) tell()
  }

  #begin(): void {
    this.#begunAtMs = this.#clock.now()
    if (this.#isAwaited) this.#limit()
  }

  #whenOver(tell: () => void): void {
    if (this.#isOver) return tell()
    this.#next.push(tell)
    if (this.#isAwaited) return
    this.#isAwaited = true
    if (this.#begunAtMs !== undefined) this.#limit()
  }

  #limit(): void {
    const restMs = LONGEST_TURN_MS - (this.#clock.now() - (this.#begunAtMs ?? 0))
    this.#cancelLimit = this.#clock.callAfter(restMs, () => this.end())
  }
}
