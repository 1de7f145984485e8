// Rules that the workloads of this group share: a template, a selector that matches its labels, and replica counts.
import { FieldPath } from '../../api/field-path.ts'
import type { DeploymentSpec, DeploymentStatus } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { always, type OwnRule } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import {
  checkLabelSelector,
  isEmptySelector,
  isUsable,
  selects,
  shownSelector,
} from '../../schema/validation/labels.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { checkLastingTemplate, tellMismatch } from '../shared/pod-spec/workload-template.ts'

type Spec = Pick<DeploymentSpec, 'selector' | 'template'>
type Status = Pick<DeploymentStatus, 'collisionCount' | 'availableReplicas' | 'readyReplicas'>

const SPEC = FieldPath.root<Spec>('spec')
const STATUS = FieldPath.root<Status>('status')
export const SELECTOR = SPEC.child('selector')
export const TEMPLATE = SPEC.child('template')

/** The defaults of the template. */
export const template: OwnRule<DeploymentSpec['template']> = always(podTemplate)

export function rollingUpdate(strategy: { readonly type?: string }): boolean {
  return strategy.type === 'RollingUpdate'
}

/** The selector is required and must not be empty. `kind`: the name of the kind in messages. */
export function checkSelector({ selector }: Spec, kind: string, check: Check): void {
  if (selector === null) {
    check.required(SELECTOR)
    return
  }
  checkLabelSelector(selector, SELECTOR, check)
  if (isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), `empty selector is invalid for ${kind}`)
  }
}

/** The selector must match the labels of the template, unless the selector is empty. */
export function checkSelected({ selector, template }: Spec, check: Check): void {
  if (selector !== null && isEmptySelector(selector)) return
  if (!selects(selector ?? undefined, template.metadata.labels ?? {})) tellMismatch(template, TEMPLATE, check)
}

export function checkSelectedTemplate(spec: Spec, check: Check): void {
  const { selector, template } = spec
  if (selector !== null && !isUsable(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'invalid label selector')
    return
  }
  checkSelected(spec, check)
  checkLastingTemplate(template, { at: TEMPLATE, check, kind: 'ReplicaSet' })
}

interface WithSpec {
  readonly spec: Spec
}

export function checkSameSelector({ spec: { selector } }: WithSpec, stored: WithSpec, check: Check): void {
  if (!equalValues(selector, stored.spec.selector)) {
    check.invalid(SELECTOR, shownSelector(selector ?? undefined), IMMUTABLE)
  }
}

interface WithStatus {
  readonly status: Status
}

export function checkCollisions(object: WithStatus, stored: WithStatus, check: Check): void {
  const [now, before] = [object.status.collisionCount, stored.status.collisionCount]
  if (before !== undefined && (now === undefined || now < before)) {
    check.invalid(STATUS.child('collisionCount'), now ?? 0, 'cannot be decremented')
  }
}

export function checkAvailable(
  { availableReplicas = 0, readyReplicas = 0 }: Status,
  words: string,
  check: Check,
): void {
  if (availableReplicas > readyReplicas) {
    check.invalid(STATUS.child('availableReplicas'), availableReplicas, `cannot be greater than ${words}`)
  }
}
