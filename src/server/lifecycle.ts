// Where the server is between its start and its end.

/** `replaced`: another process goes on serving at the same address. */
export type Stage = 'starting' | 'serving' | 'replaced' | 'stopping' | 'closing'

export class Lifecycle {
  stage: Stage = 'starting'
  readonly #graceUntil: number

  /** For so long after the start `/livez` does not mind that starting is not complete. */
  constructor(graceMs: number) {
    this.#graceUntil = performance.now() + graceMs
  }

  readonly isStarting = (): boolean => this.stage === 'starting'
  readonly isReplaced = (): boolean => this.stage === 'replaced'
  readonly isStopping = (): boolean => this.stage === 'stopping' || this.stage === 'closing'
  readonly isClosing = (): boolean => this.stage === 'closing'
  readonly inGracePeriod = (): boolean => performance.now() < this.#graceUntil
}
