// Selectors in parsed form, and how they match. Requirements of one selector are ANDed; an empty one selects everything.
// Text is read in `selector-text.ts` (labels) and `selector-fields.ts` (fields); neither form is ever changed in place.
import { isMap, own } from './value.ts'
import type { Value } from './value.ts'

export type LabelRequirement =
  | { readonly kind: 'equals' | 'notEquals'; readonly key: string; readonly value: string }
  | { readonly kind: 'in' | 'notIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: 'exists' | 'absent'; readonly key: string }
  | { readonly kind: 'greater' | 'less'; readonly key: string; readonly bound: bigint }

export class LabelSelector {
  readonly requirements: readonly LabelRequirement[]

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements
  }

  /** `label` gives the value under a key, undefined where there is none. */
  matches(label: (key: string) => string | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!meets(requirement, label(requirement.key))) return false
    }
    return true
  }
}

export interface FieldTerm {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

export interface FieldSelector {
  readonly terms: readonly FieldTerm[]
}

export const EVERY_LABEL: LabelSelector = new LabelSelector([])
export const EVERY_FIELD: FieldSelector = Object.freeze({ terms: [] })

/** `metadata.labels` as it stands in an object; absent is the same as empty. */
export function matchesLabels(selector: LabelSelector, labels: Value | undefined): boolean {
  return selector.matches((key) => {
    const value = isMap(labels) ? own(labels, key) : undefined
    return typeof value === 'string' ? value : undefined
  })
}

/** Unset is not equal to anything: `!=` and `notin` select what lacks the key. */
function meets(requirement: LabelRequirement, value: string | undefined): boolean {
  switch (requirement.kind) {
    case 'equals':
      return value === requirement.value
    case 'notEquals':
      return value !== requirement.value
    case 'in':
      return value !== undefined && requirement.values.includes(value)
    case 'notIn':
      return value === undefined || !requirement.values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'greater':
    case 'less': {
      const number = value === undefined ? undefined : parseInt64(value)
      if (number === undefined) return false
      return requirement.kind === 'greater' ? number > requirement.bound : number < requirement.bound
    }
  }
}

/** `valueOf` gives a field's text, `''` where it is unset; it is asked only for fields that the kind supports. */
export function matchesFields(selector: FieldSelector, valueOf: (field: string) => string): boolean {
  for (const term of selector.terms) {
    if ((valueOf(term.field) === term.value) !== (term.operator === '=')) return false
  }
  return true
}

/** The value that the selector pins a field to, if it does: what lets a list be narrowed to a name or a namespace. */
export function exactField(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.operator === '=' && term.field === field)?.value
}

/** A base-10 integer of 64 bits with an optional sign; undefined for anything else. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 64) return undefined
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}

/** The query-string form, requirements in order of their keys. */
export function formatLabelSelector(selector: LabelSelector): string {
  const sorted = selector.requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return sorted.map(formatRequirement).join(',')
}

function formatRequirement(requirement: LabelRequirement): string {
  const { key } = requirement
  switch (requirement.kind) {
    case 'equals':
      return `${key}=${requirement.value}`
    case 'notEquals':
      return `${key}!=${requirement.value}`
    case 'in':
      return `${key} in (${requirement.values.join(',')})`
    case 'notIn':
      return `${key} notin (${requirement.values.join(',')})`
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'greater':
      return `${key}>${requirement.bound}`
    case 'less':
      return `${key}<${requirement.bound}`
  }
}
