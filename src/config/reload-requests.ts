// Requests by SIGHUP to reload files now, also without a noticed change.

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
