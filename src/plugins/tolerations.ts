// Merges two lists of tolerations, and leaves out tolerations that another toleration covers. It takes linear time, because tolerations are
// looked up by their fields.
import type { Toleration } from '../api/gen/kinds.ts'

/** If tolerations are equal, the first is kept. If they cover each other, the last is kept. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second].map((toleration) => new Candidate(toleration))
  const later = new Covers()
  const isCoveredLater = all
    .toReversed()
    .map((each) => {
      const isCovered = later.coverOther(each)
      later.add(each)
      return isCovered
    })
    .toReversed()
  const merged = new Covers()
  const kept = new Set<string>()
  return all.flatMap((each, i) => {
    if (kept.has(each.text) || merged.cover(each) || isCoveredLater[i] === true) return []
    kept.add(each.text)
    merged.add(each)
    return [each.toleration]
  })
}

class Candidate {
  readonly toleration: Toleration
  /** Equal tolerations have the same text. */
  readonly text: string
  /** Infinity: the toleration has no duration. */
  readonly seconds: number

  constructor(toleration: Toleration) {
    this.toleration = toleration
    this.seconds = Number(toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY)
    this.text = JSON.stringify([...PARTS.map((part) => toleration[part] ?? ''), String(this.seconds)])
  }

  part(name: (typeof PARTS)[number]): string {
    return this.toleration[name] ?? ''
  }
}

const PARTS = ['key', 'operator', 'value', 'effect'] as const

/**
 * The longest durations of tolerations with the same fields. `seconds`: the longest, whose toleration is `text`. `other`: the longest of
 * the tolerations with another text.
 */
interface Longest {
  readonly text: string
  readonly seconds: number
  readonly other: number
}

const NONE = Number.NEGATIVE_INFINITY

class Covers {
  readonly #longest = new Map<string, Longest>()

  add(each: Candidate): void {
    const [key, operator, effect] = [each.part('key'), each.part('operator'), each.part('effect')]
    if (operator !== 'Exists' && operator !== 'Equal' && operator !== '') return
    const place = placeOf(key, effect, operator === 'Exists' ? undefined : each.part('value'))
    // Only NoExecute has a duration.
    const seconds = effect === 'NoExecute' ? each.seconds : Number.POSITIVE_INFINITY
    const { text } = each
    const before = this.#longest.get(place) ?? { text, seconds: NONE, other: NONE }
    const isLonger = seconds > before.seconds
    if (text === before.text) this.#longest.set(place, { ...before, seconds: Math.max(seconds, before.seconds) })
    else if (isLonger) this.#longest.set(place, { text, seconds, other: before.seconds })
    else this.#longest.set(place, { ...before, other: Math.max(seconds, before.other) })
  }

  cover(each: Candidate): boolean {
    return this.#places(each).some(({ seconds }) => each.seconds <= seconds)
  }

  /** Whether a toleration with another text covers the candidate. */
  coverOther(each: Candidate): boolean {
    return this.#places(each).some(({ text, seconds, other }) => each.seconds <= (text === each.text ? other : seconds))
  }

  #places(each: Candidate): readonly Longest[] {
    const [key, value] = [each.part('key'), each.part('value')]
    const places: string[] = []
    for (const effect of new Set([each.part('effect'), ''])) {
      for (const wide of new Set([key, ''])) places.push(placeOf(wide, effect, undefined))
      if (each.part('operator') === 'Equal') places.push(placeOf(key, effect, value))
    }
    return places.flatMap((place) => this.#longest.get(place) ?? [])
  }
}

/** `value` is undefined if every value matches. */
function placeOf(key: string, effect: string, value: string | undefined): string {
  return JSON.stringify([key, effect, value])
}
