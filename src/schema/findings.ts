// Findings in document order, also where parts of the document are visited later: a place is kept for them.

export class Findings<T> {
  readonly #found: (T | Findings<T>)[] = []

  /** How many there are here, without those in places that are kept. */
  get length(): number {
    return this.#found.length
  }

  add(one: T): void {
    this.#found.push(one)
  }

  /** Keeps a place for what is found later. */
  keepPlace(): Findings<T> {
    const place = new Findings<T>()
    this.#found.push(place)
    return place
  }

  *all(): Generator<T> {
    for (const one of this.#found) {
      if (one instanceof Findings) yield* one.all()
      else yield one
    }
  }
}
