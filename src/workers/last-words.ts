// The standard error of a process. It is passed on in whole lines, so that lines of several processes do not mix. The last lines are kept
// for the report of the end of the process.

const KEPT_LINES = 12
const LONGEST_LINE = 1000

export class LastWords {
  readonly #passOn: (text: string) => void
  readonly #keepsBack: (line: string) => boolean
  #unfinished = ''
  #lines: string[] = []

  /** `keepsBack` tells whether a line must not be shown. */
  constructor(passOn: (text: string) => void, keepsBack: (line: string) => boolean = () => false) {
    this.#passOn = passOn
    this.#keepsBack = keepsBack
  }

  add(text: string): void {
    const end = text.lastIndexOf('\n') + 1
    if (end === 0) {
      this.#unfinished += text
      return
    }
    const lines = (this.#unfinished + text.slice(0, end - 1)).split('\n')
    this.#unfinished = text.slice(end)
    const told = lines.filter((line) => !this.#keepsBack(line))
    if (told.length === 0) return
    this.#passOn(`${told.join('\n')}\n`)
    this.#keep(told)
  }

  end(): void {
    if (this.#unfinished !== '') this.add('\n')
  }

  /** The last lines, without empty lines and lines of a JSON log. The log was passed on already. */
  get text(): string {
    return this.#lines.join('\n')
  }

  #keep(lines: readonly string[]): void {
    const words = lines.filter((line) => line.trim() !== '' && !line.startsWith('{'))
    this.#lines.push(...words.slice(-KEPT_LINES).map((line) => line.slice(0, LONGEST_LINE)))
    this.#lines = this.#lines.slice(-KEPT_LINES)
  }
}
