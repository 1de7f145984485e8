// Requests by SIGHUP to reload files now, even if no change was noticed.

export class ReloadRequests {
  readonly #listeners = new Set<() => void>()

  /** Never throws. */
  ask(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
