// Paths to fields in the parameters of queries: `spec.nodeName`, `metadata.labels['app.kubernetes.io/name']`, `spec.containers[0].image`. A
// name after a list means that field of each item.
import { ApiError } from './status.ts'
import { isList, isMap, own, type Value } from './value.ts'

export interface PathText {
  /** The text of the path in the parameter. */
  readonly text: string
  /** A number is a place in a list. */
  readonly steps: readonly (string | number)[]
  /** The word after the path, such as `desc`. Empty: no word. */
  readonly word: string
  /** The position of the path in the parameter, from 1. */
  readonly column: number
}

const MOST_PATHS = 64
const MOST_STEPS = 32
const LONGEST = 16_384

/** Reads the paths of a parameter, which commas separate. Throws `ApiError` `BadRequest` with the position of a fault. */
export function parsePaths(parameter: string, text: string): readonly PathText[] {
  if (text.length > LONGEST) throw new ApiError('BadRequest', `${parameter}: it is longer than ${LONGEST} characters`)
  const paths: PathText[] = []
  for (let at = 0; ; at++) {
    const path = new PathReader(parameter, text, at).read()
    paths.push(path.found)
    if (paths.length > MOST_PATHS)
      throw new ApiError('BadRequest', `${parameter}: it has more than ${MOST_PATHS} fields`)
    at = path.end
    if (at >= text.length) return paths
  }
}

const NAME = /^[^\s.,[\]'"*\d][^\s.,[\]'"*]*$/

/** The text of a path. */
export function pathName(path: readonly string[]): string {
  const step = (name: string): string =>
    NAME.test(name)
      ? `.${name}`
      : /^\d{1,9}$/.test(name)
        ? `[${name}]`
        : name.includes("'")
          ? `["${name}"]`
          : `['${name}']`
  return path.map(step).join('').replace(/^\./, '')
}

export function queryFault(parameter: string, column: number, problem: string): ApiError {
  const message = `${parameter}: 1:${column}: ${problem}`
  return new ApiError('BadRequest', message, {
    details: { causes: [{ reason: 'FieldValueInvalid', message: `1:${column}: ${problem}`, field: parameter }] },
  })
}

/** Each pattern matches at the reader's position only. */
const PATTERNS = {
  name: /^[^\s.,[\]'"*]+/,
  place: /^\[(?:(\d{1,9})|\*|'([^']*)'|"([^"]*)")\]/,
  space: /^\s*/,
  word: /^[^\s,]*/,
} as const

class PathReader {
  readonly #parameter: string
  readonly #text: string
  #at: number

  constructor(parameter: string, text: string, at: number) {
    this.#parameter = parameter
    this.#text = text
    this.#at = at
  }

  read(): { readonly found: PathText; readonly end: number } {
    this.#match('space')
    const start = this.#at
    const steps: (string | number)[] = []
    for (let isFirst = true; ; isFirst = false) {
      const place = isFirst ? null : this.#match('place')
      if (place !== null) {
        const step = place[1] === undefined ? (place[2] ?? place[3]) : Number(place[1])
        if (step !== undefined) steps.push(step)
      } else if (isFirst || this.#text[this.#at] === '.') {
        if (!isFirst) this.#at++
        const name = this.#match('name')
        if (name === null) throw this.#fault('expected the name of a field')
        steps.push(name[0])
      } else break
      if (steps.length > MOST_STEPS) throw this.#fault(`a path has ${MOST_STEPS} parts at most`)
    }
    const text = this.#text.slice(start, this.#at)
    const spaces = this.#match('space')?.[0] ?? ''
    const word = spaces === '' ? '' : (this.#match('word')?.[0] ?? '')
    this.#match('space')
    const next = this.#text[this.#at]
    if (next !== undefined && next !== ',') throw this.#fault(`unexpected ${JSON.stringify(next)}`)
    return { found: { text, steps, word, column: start + 1 }, end: this.#at }
  }

  #match(pattern: keyof typeof PATTERNS): RegExpExecArray | null {
    const found = PATTERNS[pattern].exec(this.#text.slice(this.#at))
    if (found !== null) this.#at += found[0].length
    return found
  }

  #fault(problem: string): ApiError {
    return queryFault(this.#parameter, this.#at + 1, problem)
  }
}

/** The single value at a path. Undefined: the value is absent or null, or a name follows a list. */
export function valueAt(object: Value, steps: PathText['steps']): Value | undefined {
  let value: Value | undefined = object
  for (const step of steps) {
    if (isMap(value)) value = own(value, String(step))
    else value = isList(value) && typeof step === 'number' ? value[step] : undefined
    if (value === undefined) return undefined
  }
  return value ?? undefined
}

/** All values that a path leads to. For a list at its end, the items of the list. */
export function* valuesAt(value: Value | undefined, steps: PathText['steps'], from = 0): Generator<Value> {
  if (value === undefined || value === null) return
  const step = steps[from]
  if (step === undefined) {
    if (isList(value)) yield* value
    else yield value
  } else if (isMap(value)) yield* valuesAt(own(value, String(step)), steps, from + 1)
  else if (isList(value)) {
    if (typeof step === 'number') yield* valuesAt(value[step], steps, from + 1)
    else for (const item of value) yield* valuesAt(item, steps, from)
  }
}
