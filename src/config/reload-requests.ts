// Requests to reload files now, by SIGHUP, whether changes were noticed or not.

export class ReloadRequests {
  readonly #listeners = new Set<() => void>()

  /** Never throws. */
  ask(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Returns a function that ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
