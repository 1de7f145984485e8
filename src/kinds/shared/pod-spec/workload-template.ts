// The pod template of workloads whose pods are always restarted, and the replica counts in their status.
import type { PodTemplateSpec, ReplicaSetStatus } from '../../../api/gen/kinds.ts'
import { shownMap } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkPodTemplate } from './pod-template.ts'

const MISMATCH = '`selector` does not match template `labels`'

interface TemplateScope {
  readonly at: FieldPath<PodTemplateSpec>
  readonly check: Check
  /** The kind in messages. */
  readonly kind: string
}

export function checkLastingTemplate(template: PodTemplateSpec, { at, check, kind }: TemplateScope): void {
  checkPodTemplate(template, at, check)
  const { restartPolicy: policy = '', activeDeadlineSeconds } = template.spec
  if (policy !== 'Always') check.notSupported(at.child('spec').child('restartPolicy'), policy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`
    check.forbidden(at.child('spec').child('activeDeadlineSeconds'), detail)
  }
}

export function tellMismatch(template: PodTemplateSpec, at: FieldPath<PodTemplateSpec>, check: Check): void {
  check.invalid(at.child('metadata').child('labels'), shownMap(template.metadata.labels), MISMATCH)
}

/** Checks that the counts do not exceed `replicas`. */
export function checkWithin<N extends string>(
  status: { readonly [K in N | 'replicas']?: number },
  fields: readonly N[],
  { at, check }: { readonly at: FieldPath; readonly check: Check },
): void {
  const { replicas = 0 } = status
  for (const field of fields) {
    const count = status[field] ?? 0
    if (count > replicas) check.invalid(at.place(field), count, 'cannot be greater than status.replicas')
  }
}

const STATUS = FieldPath.root<ReplicaSetStatus>('status')

const TYPE = 'apps_v1.ReplicaSetStatus'

/** Checks the replica counts of replica sets and replication controllers. */
export function checkReplicas(status: ReplicaSetStatus, check: Check): void {
  check.fields(status, STATUS, TYPE, 'replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas')
  check.fields(status, STATUS, TYPE, 'observedGeneration')
  checkWithin(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], { at: STATUS, check })
  const { availableReplicas: available = 0, readyReplicas = 0 } = status
  if (available > readyReplicas) {
    check.invalid(STATUS.child('availableReplicas'), available, 'cannot be greater than readyReplicas')
  }
}
