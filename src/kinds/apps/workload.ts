// What the workloads of this group share: a template, a selector that matches its labels, replica counts, and how versions before
// v1 defaulted labels and selector.
import { FieldPath } from '../../api/field-path.ts'
import { integerOrAbsent, integerOrZero, mapOrAbsent, mapOrEmpty } from '../../api/members.ts'
import { labelsOf as labelsIn, metaOf, specOf, statusOf } from '../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { always, type Rule } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import {
  checkLabelSelector,
  isEmptySelector,
  isUsable,
  selects,
  shownSelector,
} from '../../schema/validation/labels.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { checkLastingTemplate, labelsOf, tellMismatch } from '../shared/pod-spec/workload-template.ts'

export const SPEC = FieldPath.root('spec')
export const STATUS = FieldPath.root('status')
export const SELECTOR = SPEC.child('selector')
export const TEMPLATE = SPEC.child('template')

/** The defaults of the template. */
export const template: Rule = always(podTemplate)

export function rollingUpdate(strategy: ValueMap): boolean {
  return strategy['type'] === 'RollingUpdate'
}

/** The selector is required and not empty; `kind` is its name in messages. */
export function checkSelector(spec: ValueMap, kind: string, check: Check): void {
  const selector = mapOrAbsent(spec, 'selector')
  if (selector === undefined) {
    check.required(SELECTOR)
    return
  }
  checkLabelSelector(selector, SELECTOR, check)
  if (isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), `empty selector is invalid for ${kind}`)
  }
}

/** The selector matches the labels of the template, unless it is empty. */
export function checkSelected(spec: ValueMap, check: Check): void {
  const selector = mapOrAbsent(spec, 'selector')
  if (selector !== undefined && isEmptySelector(selector)) return
  const template = mapOrEmpty(spec, 'template')
  if (!selects(selector, labelsOf(template) ?? {})) tellMismatch(template, TEMPLATE, check)
}

export function checkSelectedTemplate(spec: ValueMap, check: Check): void {
  const selector = mapOrAbsent(spec, 'selector')
  if (selector !== undefined && !isUsable(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'invalid label selector')
    return
  }
  checkSelected(spec, check)
  checkLastingTemplate(mapOrEmpty(spec, 'template'), { at: TEMPLATE, check, kind: 'ReplicaSet' })
}

export function checkSameSelector(object: ValueMap, stored: ValueMap, check: Check): void {
  const [selector, old] = [mapOrAbsent(specOf(object), 'selector'), mapOrAbsent(specOf(stored), 'selector')]
  if (!equalValues(selector, old)) check.invalid(SELECTOR, shownSelector(selector), IMMUTABLE)
}

export function checkCollisions(object: ValueMap, stored: ValueMap, check: Check): void {
  const [now, before] = [object, stored].map((each) => integerOrAbsent(statusOf(each), 'collisionCount'))
  if (before !== undefined && (now === undefined || now < before)) {
    check.invalid(STATUS.child('collisionCount'), now ?? 0, 'cannot be decremented')
  }
}

export function checkAvailable(status: ValueMap, words: string, check: Check): void {
  const available = integerOrZero(status, 'availableReplicas')
  if (available > integerOrZero(status, 'readyReplicas')) {
    check.invalid(STATUS.child('availableReplicas'), available, `cannot be greater than ${words}`)
  }
}

/** Before v1, labels and selector defaulted to the labels of the template. */
export function withLabelsOfTemplate(document: ValueMap): ValueMap {
  const [metadata, spec] = [metaOf(document), specOf(document)]
  const { labels } = metaOf(mapOrEmpty(spec, 'template'))
  if (labels === undefined) return document
  const hasLabels = Object.keys(labelsIn(document)).length > 0
  return {
    ...document,
    metadata: hasLabels ? metadata : { ...metadata, labels },
    spec: { ...spec, selector: spec['selector'] ?? { matchLabels: labels } },
  }
}
