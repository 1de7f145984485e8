// The regular expressions of users. RE2 matches every text in a time that grows with the text and with the size of the expression.
import type { RE2JS } from 're2js'
import { re2js } from '../lib/late-packages.ts'
import { patternSize } from '../lib/pattern-size.ts'
import { Fault } from './value.ts'

/** The longest pattern. RE2's program for a pattern is many times as large. */
const MAX_PATTERN = 10_000
/** The largest size of a pattern, and of all constant patterns of an expression. */
const MAX_SIZE = 20_000
const MAX_KEPT = 20
/** Compiling one instruction takes as long as this many steps. */
const STEPS_TO_COMPILE = 32
/** The number of instructions that one step tries on a character. */
const TRIED_IN_A_STEP = 16

export interface Pattern {
  readonly re2: RE2JS
  /** The steps of a search in a text of this length. */
  steps(length: number): number
}

function compilePattern(text: string, size: number): Pattern | Fault {
  if (text.length > MAX_PATTERN) return new Fault('error parsing regexp: expression nests too deeply')
  if (size > MAX_SIZE) return new Fault('error parsing regexp: expression too large')
  try {
    const re2 = re2js().RE2JS.compile(text)
    const instructions = Number(re2.re2().numberOfInstructions())
    return { re2, steps: (length) => (length * instructions) / TRIED_IN_A_STEP }
  } catch (error) {
    if (error instanceof re2js().RE2JSException) return new Fault(error.message)
    throw error
  }
}

const sizeOf = (text: string): number => (text.length > MAX_PATTERN ? 0 : patternSize(text))

/** The compiled patterns of one program. Most of them are constants of the expression. */
export class Patterns {
  readonly #constants = new Map<string, Pattern | Fault>()
  readonly #known = new Map<string, Pattern | Fault>()
  readonly #room: number
  /** The size of all constant patterns. */
  size = 0

  /** `room`: the size that all constant patterns may have together. With less than the usual room, no other patterns are kept. */
  constructor(room = MAX_SIZE) {
    this.#room = room
  }

  /** Compiles a pattern that is a constant of the expression. */
  constant(text: string): Pattern | Fault {
    const known = this.#constants.get(text)
    if (known !== undefined) return known
    const size = sizeOf(text)
    this.size += size
    const compiled = compilePattern(text, this.size > this.#room ? Number.POSITIVE_INFINITY : size)
    this.#constants.set(text, compiled)
    return compiled
  }

  /** Compiles a pattern that the evaluation made. */
  find(text: string, work: (steps: number) => void): Pattern | Fault {
    const known = this.#constants.get(text) ?? this.#known.get(text)
    if (known !== undefined) return known
    work(Math.min(text.length, MAX_PATTERN))
    const size = sizeOf(text)
    work(Math.min(size, MAX_SIZE) * STEPS_TO_COMPILE)
    const compiled = compilePattern(text, size)
    if (this.#room < MAX_SIZE) return compiled
    if (this.#known.size >= MAX_KEPT) this.#known.clear()
    this.#known.set(text, compiled)
    return compiled
  }
}
