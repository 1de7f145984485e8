// Somebody asks (by SIGHUP) that what is read from files be read again now, whatever the system tells of changes to them.

export class ReloadRequests {
  readonly #listeners = new Set<() => void>()

  /** Whoever listens does so in its own time; nothing is thrown. */
  ask(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Gives what ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
