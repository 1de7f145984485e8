// The regular expressions of a definition. Each is compiled once. Compiling takes a thousand times as long as reading. So the length of
// each expression, and the size of all together, is limited. Real definitions stay far below these limits.
import { re2js } from '../../lib/late-packages.ts'
import { patternSize } from '../../lib/pattern-size.ts'

const MAX_PATTERN = 10_000
const MAX_ALL = 100_000
const TOO_LARGE = 'error parsing regexp: expression too large'

export class CheckedPatterns {
  readonly #faults = new Map<string, string | undefined>()
  #room = MAX_ALL

  /** The fault of a pattern. Undefined: the pattern is valid. */
  faultOf(pattern: string): string | undefined {
    if (pattern.length > MAX_PATTERN) return TOO_LARGE
    if (this.#faults.has(pattern)) return this.#faults.get(pattern)
    this.#room -= patternSize(pattern)
    const fault = this.#room < 0 ? TOO_LARGE : compileFault(pattern)
    this.#faults.set(pattern, fault)
    return fault
  }
}

function compileFault(pattern: string): string | undefined {
  try {
    re2js().RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'error parsing regexp'
  }
}
