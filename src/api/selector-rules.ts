// Label selectors with many requirements, indexed by key: matching reads the labels of the object, not every requirement.
import { parseInt64 } from './json-number.ts'

export type LabelRequirement =
  | { readonly kind: 'equals' | 'notEquals'; readonly key: string; readonly value: string }
  | { readonly kind: 'in' | 'notIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: 'exists' | 'absent'; readonly key: string }
  | { readonly kind: 'greater' | 'less'; readonly key: string; readonly bound: bigint }

/** All requirements for the value of one key. */
class KeyRule {
  /** An object without the label does not meet the rule. */
  isNeeded = false
  #isRefused = false
  #only: ReadonlySet<string> | undefined
  /** Made for the first forbidden value, because most rules have none. */
  #not: Set<string> | undefined
  #greater: bigint | undefined
  #less: bigint | undefined

  add(requirement: LabelRequirement): void {
    switch (requirement.kind) {
      case 'equals':
        return this.#allow([requirement.value])
      case 'in':
        return this.#allow(requirement.values)
      case 'notEquals':
        return this.#forbid([requirement.value])
      case 'notIn':
        return this.#forbid(requirement.values)
      case 'absent':
        this.#isRefused = true
        return
      case 'exists':
        this.isNeeded = true
        return
      case 'greater':
        this.isNeeded = true
        if (this.#greater === undefined || requirement.bound > this.#greater) this.#greater = requirement.bound
        return
      case 'less':
        this.isNeeded = true
        if (this.#less === undefined || requirement.bound < this.#less) this.#less = requirement.bound
    }
  }

  #forbid(values: readonly string[]): void {
    this.#not ??= new Set()
    for (const value of values) this.#not.add(value)
  }

  #allow(values: readonly string[]): void {
    this.isNeeded = true
    const allowed = new Set(values)
    this.#only = this.#only === undefined ? allowed : this.#only.intersection(allowed)
  }

  meets(value: string | undefined): boolean {
    if (value === undefined) return !this.isNeeded
    if (this.#isRefused || this.#not?.has(value) === true || this.#only?.has(value) === false) return false
    if (this.#greater === undefined && this.#less === undefined) return true
    const number = parseInt64(value)
    if (number === undefined) return false
    return (this.#greater === undefined || number > this.#greater) && (this.#less === undefined || number < this.#less)
  }
}

export class KeyRules {
  readonly #rules = new Map<string, KeyRule>()
  #needed = 0

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) {
      let rule = this.#rules.get(requirement.key)
      if (rule === undefined) this.#rules.set(requirement.key, (rule = new KeyRule()))
      rule.add(requirement)
    }
    for (const rule of this.#rules.values()) if (rule.isNeeded) this.#needed += 1
  }

  match(label: (key: string) => string | undefined): boolean {
    for (const [key, rule] of this.#rules) if (!rule.meets(label(key))) return false
    return true
  }

  matchAll(labels: ReadonlyMap<string, string>): boolean {
    let met = 0
    for (const [key, value] of labels) {
      const rule = this.#rules.get(key)
      if (rule === undefined) continue
      if (!rule.meets(value)) return false
      if (rule.isNeeded) met += 1
    }
    return met === this.#needed
  }
}
