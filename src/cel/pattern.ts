// Regular expressions of users: RE2, so that no text takes more than linear time.
import type { RE2JS } from 're2js'
import { re2js } from '../lib/late-packages.ts'
import { Fault } from './value.ts'

/** The longest pattern. RE2's program for a pattern is many times as large. */
const MAX_PATTERN = 10_000
const MAX_KEPT = 20

export type Pattern = RE2JS

export function compilePattern(text: string): Pattern | Fault {
  if (text.length > MAX_PATTERN) return new Fault('error parsing regexp: expression nests too deeply')
  try {
    return re2js().RE2JS.compile(text)
  } catch (error) {
    if (error instanceof re2js().RE2JSException) return new Fault(error.message)
    throw error
  }
}

/** The patterns that one program has met; usually its constants. */
export class Patterns {
  readonly #known = new Map<string, Pattern | Fault>()

  find(text: string): Pattern | Fault {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const compiled = compilePattern(text)
    if (this.#known.size >= MAX_KEPT) this.#known.clear()
    this.#known.set(text, compiled)
    return compiled
  }
}
