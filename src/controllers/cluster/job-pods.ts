// The pods that a Job is missing. The pods of an indexed Job know their index.
import type { Container, EnvVar, Job, JobStatus, Pod } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { indexesIn } from './index-set.ts'
import { COMPLETION_INDEX, INDEX_FAILURES, indexOf, isIndexed } from './job-rules.ts'
import type { NewPod } from './pod-control.ts'
import { inOrderOfDeletion } from './replica-sets.ts'

/** The finalizer of pods that are not counted yet. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX'

export interface MissingPods {
  readonly status: JobStatus
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly count: number
}

export function missingPods(job: Job, { status, pods, active, count }: MissingPods): readonly NewPod[] {
  const { template } = job.spec
  const finalizers = [...(template.metadata.finalizers ?? []), TRACKING]
  if (!isIndexed(job)) return Array.from({ length: count }, () => ({ template, metadata: { finalizers } }))
  const taken = new Set([...indexesIn(status.completedIndexes), ...indexesIn(status.failedIndexes)])
  for (const pod of active) taken.add(indexOf(pod) ?? -1)
  const made: NewPod[] = []
  for (let index = 0; index < (job.spec.completions ?? 0) && made.length < count; index++) {
    if (!taken.has(index)) made.push(indexedPod(job, index, { finalizers, pods }))
  }
  return made
}

/**
 * The pods to delete, so that `wanted` pods are left: pods of an index that the Job does not have, or that a better pod has, and then pods
 * that matter least.
 */
export function surplusPods(job: Job, active: readonly Pod[], wanted: number, nowMs: number): readonly Pod[] {
  const ordered = inOrderOfDeletion(active, nowMs)
  const best = new Map(ordered.map((pod) => [indexOf(pod), pod]))
  const isUseless = (pod: Pod): boolean => {
    const index = indexOf(pod)
    return index === undefined || !(index < (job.spec.completions ?? 0)) || best.get(index) !== pod
  }
  const [useless, useful] = isIndexed(job)
    ? [ordered.filter(isUseless), ordered.filter((pod) => !isUseless(pod))]
    : [[], ordered]
  return [...useless, ...useful.slice(0, Math.max(0, useful.length - wanted))]
}

function indexedPod(
  { metadata, spec }: Job,
  index: number,
  { finalizers, pods }: { readonly finalizers: readonly string[]; readonly pods: readonly Pod[] },
): NewPod {
  const { template, backoffLimitPerIndex } = spec
  const text = String(index)
  const annotations: Record<string, string> = { ...annotationsOf(template), [COMPLETION_INDEX]: text }
  const labels: Record<string, string> = { ...labelsOf(template), [COMPLETION_INDEX]: text }
  if (backoffLimitPerIndex !== undefined) {
    const before = pods.filter((pod) => indexOf(pod) === index && pod.status.phase === 'Failed')
    const counts = before.map((pod) => Number(own(annotationsOf(pod), INDEX_FAILURES) ?? 0) + 1)
    annotations[INDEX_FAILURES] = String(Math.max(0, ...counts))
  }
  const { containers, initContainers } = template.spec
  return {
    template,
    metadata: { generateName: `${metadata.name}-${text}-`, annotations, labels, finalizers },
    spec: {
      hostname: `${metadata.name}-${text}`,
      containers: (containers ?? []).map(withIndex),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndex) }),
    },
  }
}

function withIndex(container: Container): Container {
  const { env = [] } = container
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${COMPLETION_INDEX}']` }
  const variable: EnvVar = { name: INDEX_VARIABLE, valueFrom: { fieldRef } }
  return { ...container, env: [...env, variable] }
}
