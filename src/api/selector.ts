// Parsed selectors, and the matching of objects. An object must meet all requirements of a selector. An empty selector selects everything.
// `selector-text.ts` reads the text of label selectors, and `selector-fields.ts` the text of field selectors. Selectors are never changed
// in place.
import { asMap, textOrAbsent } from './members.ts'
import { parseInt64 } from './json-number.ts'
import { KeyRules, type LabelRequirement } from './selector-rules.ts'
import type { Value, ValueMap } from './value.ts'

export type { LabelRequirement } from './selector-rules.ts'

export class LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  /** The selector has many requirements or values, and is indexed by key. Use `matchesAll`. */
  readonly isLarge: boolean
  #rules: KeyRules | undefined

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements
    this.isLarge =
      requirements.length > FEW || requirements.some((each) => 'values' in each && each.values.length > FEW)
  }

  /** `label` returns the value of a label. Undefined: the label is absent. */
  matches(label: (key: string) => string | undefined): boolean {
    if (this.isLarge) return this.#keyRules().match(label)
    for (const requirement of this.requirements) {
      if (!meets(requirement, label(requirement.key))) return false
    }
    return true
  }

  /** Like `matches`, for all labels of an object. Reads each label once, however many requirements the selector has. */
  matchesAll(labels: ReadonlyMap<string, string>): boolean {
    return this.#keyRules().matchAll(labels)
  }

  #keyRules(): KeyRules {
    this.#rules ??= new KeyRules(this.requirements)
    return this.#rules
  }
}

const FEW = 8

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

/** `labels` is the `metadata.labels` of an object. Absent labels count as empty. */
export function matchesLabels(selector: LabelSelector, labels: Value | undefined): boolean {
  const map = asMap(labels)
  if (selector.isLarge) return selector.matchesAll(labelTexts(map))
  return selector.matches((key) => textOrAbsent(map, key))
}

function labelTexts(labels: ValueMap): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(labels)) if (typeof value === 'string') texts.set(key, value)
  return texts
}

/** An absent label is not equal to any value: `!=` and `notin` select objects without the key. */
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

/** `valueOf` returns the text of a field, `''` if it is unset. It is called only for fields that the kind supports. */
export function matchesFields(selector: FieldSelector, valueOf: (field: string) => string): boolean {
  // Kinds have few fields, and finding a field in an object is expensive. So a long selector finds each field once.
  const known = selector.terms.length > FEW ? new Map<string, string>() : undefined
  for (const { field, operator, value } of selector.terms) {
    let found = known?.get(field)
    if (found === undefined) {
      found = valueOf(field)
      known?.set(field, found)
    }
    if ((found === value) !== (operator === '=')) return false
  }
  return true
}

/** The value that the selector requires of a field, if there is one. Such a value narrows a list to a name or a namespace. */
export function exactField(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.operator === '=' && term.field === field)?.value
}

/** The query-string form. The requirements are in the order of their keys. */
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
