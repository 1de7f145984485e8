// The state of the server between its start and its end.
import { cancellable } from '../lib/cancellable.ts'
import { anySignal } from '../lib/light-signal.ts'

/** `replaced`: another process continues to serve at the same address. */
export type Stage = 'starting' | 'serving' | 'replaced' | 'stopping' | 'closing'

/** The longest time for which requests wait for the start to be complete. Most starts take less than a second. */
const PATIENCE_MS = 15_000

export class Lifecycle {
  #stage: Stage = 'starting'
  readonly #started = Promise.withResolvers<void>()
  readonly #graceUntil: number

  /** `graceMs`: the time from now for which `/livez` ignores that the start is not complete. */
  constructor(graceMs: number) {
    this.#graceUntil = performance.now() + graceMs
  }

  get stage(): Stage {
    return this.#stage
  }

  set stage(stage: Stage) {
    this.#stage = stage
    this.#started.resolve()
  }

  /** Resolves when the start is complete, or takes too long, or the signal fires. */
  readonly whenStarted = async (signal: AbortSignal): Promise<void> => {
    const patience = anySignal([signal, AbortSignal.timeout(PATIENCE_MS)])
    await cancellable(this.#started.promise, patience).catch(() => {})
  }

  readonly isStarting = (): boolean => this.stage === 'starting'
  readonly isReplaced = (): boolean => this.stage === 'replaced'
  readonly isStopping = (): boolean => this.stage === 'stopping' || this.stage === 'closing'
  readonly isClosing = (): boolean => this.stage === 'closing'
  readonly inGracePeriod = (): boolean => performance.now() < this.#graceUntil
}
