// The pod template of workloads whose pods are always restarted, and the replica counts in their status.
import { shownMap } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { integerOrZero, isGiven, mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkPodTemplate } from './pod-template.ts'

const MISMATCH = '`selector` does not match template `labels`'

interface TemplateScope {
  readonly at: FieldPath
  readonly check: Check
  /** The kind in messages. */
  readonly kind: string
}

export function checkLastingTemplate(template: ValueMap, { at, check, kind }: TemplateScope): void {
  checkPodTemplate(template, at, check)
  const spec = mapOrEmpty(template, 'spec')
  const policy = textOrEmpty(spec, 'restartPolicy')
  if (policy !== 'Always') check.notSupported(at.child('spec').child('restartPolicy'), policy, ['Always'])
  if (isGiven(spec, 'activeDeadlineSeconds')) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`
    check.forbidden(at.child('spec').child('activeDeadlineSeconds'), detail)
  }
}

export function labelsOf(template: ValueMap): ValueMap | undefined {
  return mapOrAbsent(mapOrEmpty(template, 'metadata'), 'labels')
}

export function tellMismatch(template: ValueMap, at: FieldPath, check: Check): void {
  check.invalid(at.child('metadata').child('labels'), shownMap(labelsOf(template)), MISMATCH)
}

/** Counts that may not exceed `replicas`. */
export function checkWithin(status: ValueMap, fields: readonly string[], place: { at: FieldPath; check: Check }): void {
  const replicas = integerOrZero(status, 'replicas')
  for (const field of fields) {
    const count = integerOrZero(status, field)
    if (count > replicas) place.check.invalid(place.at.child(field), count, 'cannot be greater than status.replicas')
  }
}

const STATUS = FieldPath.root('status')

const TYPE = 'apps_v1.ReplicaSetStatus'

/** The replica counts of replica sets and replication controllers. */
export function checkReplicas(status: ValueMap, check: Check): void {
  check.fields(status, STATUS, TYPE, 'replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas')
  check.fields(status, STATUS, TYPE, 'observedGeneration')
  checkWithin(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], { at: STATUS, check })
  const available = integerOrZero(status, 'availableReplicas')
  if (available > integerOrZero(status, 'readyReplicas')) {
    check.invalid(STATUS.child('availableReplicas'), available, 'cannot be greater than readyReplicas')
  }
}
