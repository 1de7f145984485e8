// What a process writes to its standard error: passed on in whole lines, so that those of several do not mix, and the last of it kept
// for when it ends.

const KEPT_LINES = 12
const LONGEST_LINE = 1000

export class LastWords {
  readonly #passOn: (text: string) => void
  #unfinished = ''
  #lines: string[] = []

  constructor(passOn: (text: string) => void) {
    this.#passOn = passOn
  }

  add(text: string): void {
    const end = text.lastIndexOf('\n') + 1
    if (end === 0) {
      this.#unfinished += text
      return
    }
    const whole = this.#unfinished + text.slice(0, end)
    this.#unfinished = text.slice(end)
    this.#passOn(whole)
    this.#keep(whole)
  }

  end(): void {
    if (this.#unfinished !== '') this.add('\n')
  }

  /** The last lines that are not of the log: those were told already. */
  get text(): string {
    return this.#lines.join('\n')
  }

  #keep(text: string): void {
    const words = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'))
    this.#lines.push(...words.slice(-KEPT_LINES).map((line) => line.slice(0, LONGEST_LINE)))
    this.#lines = this.#lines.slice(-KEPT_LINES)
  }
}
