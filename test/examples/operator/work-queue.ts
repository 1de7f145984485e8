// What is to be worked on, by name. One at a time, and each once however often it was added; what fails is tried again, later and later.

export class WorkQueue {
  readonly #due = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #retryMs: number
  readonly #onError: (error: unknown) => void
  #wake: () => void = () => {}

  constructor(retryMs: number, onError: (error: unknown) => void) {
    this.#retryMs = retryMs
    this.#onError = onError
  }

  add(key: string): void {
    this.#due.add(key)
    this.#wake()
  }

  /** Until the signal fires; what is under way then is finished. */
  async run(work: (key: string) => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake())
    while (!signal.aborted) {
      const [key] = this.#due
      if (key === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      this.#due.delete(key)
      try {
        await work(key)
        this.#failures.delete(key)
      } catch (error) {
        this.#onError(error)
        const failures = this.#failures.get(key) ?? 0
        this.#failures.set(key, failures + 1)
        setTimeout(() => this.add(key), this.#retryMs * 2 ** Math.min(failures, 8)).unref()
      }
    }
  }
}
