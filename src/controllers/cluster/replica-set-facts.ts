// A ReplicaSet as its Deployment sees it: its size, its revision and its template.
import type { Deployment, ReplicaSet } from '../../api/gen/kinds.ts'
import { parseInt64 } from '../../api/json-number.ts'
import { annotationsOf, labelsOf, withMembers } from '../../api/object-members.ts'
import { equalValues, own } from '../../api/value.ts'

export const HASH = 'pod-template-hash'
const PREFIX = 'deployment.kubernetes.io/'
export const REVISION = `${PREFIX}revision`
export const HISTORY = `${PREFIX}revision-history`
export const DESIRED = `${PREFIX}desired-replicas`
export const MOST = `${PREFIX}max-replicas`

export function isActive({ spec }: ReplicaSet): boolean {
  return (spec.replicas ?? 1) > 0
}

export function totalOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((all, { spec }) => all + (spec.replicas ?? 1), 0)
}

/** The number of available pods, at most the size of the set: a set that has just become smaller still reports all of its pods. */
export function availableIn({ spec, status }: ReplicaSet): number {
  return Math.min(status.availableReplicas ?? 0, spec.replicas ?? 1)
}

/** 0: the set has no valid revision. Users can set any revision of 64 bits. */
export function revisionIn(set: ReplicaSet): bigint {
  return parseInt64(own(annotationsOf(set), REVISION) ?? '') ?? 0n
}

export function numberIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = own(annotationsOf(set), annotation)
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}

export function hasTemplateOf(set: ReplicaSet, { spec }: Deployment): boolean {
  const { [HASH]: _, ...labels } = labelsOf(set.spec.template) as Readonly<Record<string, string>>
  const { template } = set.spec
  const rest = Object.keys(labels).length === 0 ? undefined : labels
  return equalValues({ ...template, metadata: withMembers(template.metadata, { labels: rest }) }, spec.template)
}
