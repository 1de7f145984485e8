// The time of day as answers give it, in seconds: made once for all the answers of a second.

export class HttpDate {
  #second = 0
  #text = ''

  get text(): string {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * 1000).toUTCString()
    }
    return this.#text
  }
}
