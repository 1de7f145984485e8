// Hints for a schema whose CEL rules exceed the cost budget. Each unbounded list, map or string above or below a rule multiplies the
// estimated cost of the rule.
import { mapOrAbsent, mapOrEmpty, mapsInPlace } from '../../../api/members.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'

const MOST_HINTS = 8

/** `field` is the path of the rule in the definition. */
export function boundHints(definition: ValueMap, field: string): readonly string[] {
  const [, index, path] = /^spec\.versions\[(\d+)\]\.schema\.openAPIV3Schema\.?(.*)$/.exec(field) ?? []
  const version = mapsInPlace(mapOrEmpty(definition, 'spec'), 'versions')[Number(index ?? 0)] ?? {}
  const schema = mapOrAbsent(mapOrEmpty(version, 'schema'), 'openAPIV3Schema')
  if (schema === undefined) return []
  const hints: string[] = []
  let node: ValueMap = schema
  let name = ''
  for (const step of stepsOf(path ?? '')) {
    hints.push(...missingBound(node, name, false))
    const inner =
      step.kind === 'property' ? mapOrAbsent(mapOrEmpty(node, 'properties'), step.name) : mapOrAbsent(node, step.kind)
    if (inner === undefined) break
    name = step.kind === 'property' ? (name === '' ? step.name : `${name}.${step.name}`) : `${name}[]`
    node = inner
  }
  collect(node, name, hints)
  return [...new Set(hints)].slice(0, MOST_HINTS)
}

type Step =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'items' | 'additionalProperties'; readonly name: string }

function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = []
  for (const found of path.matchAll(
    /properties\[([^\]]*)\]|\b(items|additionalProperties)\b|x-kubernetes-validations/g,
  )) {
    const [whole, property, word] = found
    if (whole === 'x-kubernetes-validations') break
    if (word === 'items' || word === 'additionalProperties') steps.push({ kind: word, name: '' })
    else steps.push({ kind: 'property', name: property ?? '' })
  }
  return steps
}

function collect(node: ValueMap, name: string, hints: string[]): void {
  hints.push(...missingBound(node, name, true))
  for (const word of ['items', 'additionalProperties']) {
    const inner = mapOrAbsent(node, word)
    if (inner !== undefined) collect(inner, `${name}[]`, hints)
  }
  for (const [key, property] of Object.entries(mapOrEmpty(node, 'properties'))) {
    if (isMap(property)) collect(property, name === '' ? key : `${name}.${key}`, hints)
  }
}

function missingBound(node: ValueMap, name: string, withTexts: boolean): readonly string[] {
  const type = own(node, 'type')
  const place = name === '' ? 'the root' : name
  if (type === 'array' && own(node, 'maxItems') === undefined) return [`add maxItems to ${place}`]
  const isMapped = type === 'object' && mapOrAbsent(node, 'additionalProperties') !== undefined
  if (isMapped && own(node, 'maxProperties') === undefined) return [`add maxProperties to ${place}`]
  const isOpen = ['maxLength', 'enum', 'format'].every((word) => own(node, word) === undefined)
  return withTexts && type === 'string' && isOpen ? [`add maxLength to ${place}`] : []
}
