// Finds the line of a place in a text. The text is searched once.

export class LineIndex {
  /** The places of the line breaks. */
  readonly #breaks: number[] = []

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#breaks.push(at)
  }

  /** The line of a place, counted from 1. */
  at(place: number): number {
    let [low, high] = [0, this.#breaks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#breaks[middle]! < place) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
