// The defaults of jobs and of those made on a schedule.
import { isMap, type ValueMap } from '../../api/value.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  isAbsent,
  type Rule,
  where,
  withMember,
  within,
} from '../../schema/defaults/rule.ts'

const podFailurePolicy = within({
  rules: each(within({ onPodConditions: each(within({ status: blank('True') })) })),
})

const unbounded = 2 ** 31 - 1

const lacks =
  (field: string) =>
  (spec: ValueMap): boolean =>
    isAbsent(spec[field])

const Job = both(
  within({
    spec: always({
      completions: where(lacks('parallelism'), absent(1)),
      parallelism: absent(1),
      backoffLimit: (given, _, spec) => given ?? (lacks('backoffLimitPerIndex')(spec) ? 6 : unbounded),
      completionMode: absent('NonIndexed'),
      suspend: absent(false),
      podReplacementPolicy: (given, _, spec) =>
        given ?? (lacks('podFailurePolicy')(spec) ? 'TerminatingOrFailed' : 'Failed'),
      manualSelector: absent(false),
      podFailurePolicy,
      template: always(podTemplate),
    }),
  }),
  labelsFromTemplate,
)

const CronJob = within({
  spec: always({
    concurrencyPolicy: blank('Allow'),
    suspend: absent(false),
    successfulJobsHistoryLimit: absent(3),
    failedJobsHistoryLimit: absent(1),
    jobTemplate: always({ spec: always({ podFailurePolicy, template: always(podTemplate) }) }),
  }),
})

/** An object without labels of its own bears those of the pods that it makes. */
export function labelsFromTemplate(object: Parameters<Rule>[0]): ReturnType<Rule> {
  if (!isMap(object)) return object
  const labels = templateLabels(object)
  const metadata = isMap(object['metadata']) ? object['metadata'] : {}
  const own = metadata['labels']
  if (labels === undefined || (isMap(own) && Object.keys(own).length > 0)) return object
  return withMember(object, 'metadata', withMember(metadata, 'labels', labels))
}

/** The labels of the template of pods, where there are any. */
export function templateLabels(object: ValueMap): ValueMap | undefined {
  const { spec } = object
  const template = isMap(spec) ? spec['template'] : undefined
  const metadata = isMap(template) ? template['metadata'] : undefined
  const labels = isMap(metadata) ? metadata['labels'] : undefined
  return isMap(labels) && Object.keys(labels).length > 0 ? labels : undefined
}

export const BATCH: Readonly<Record<string, Rule>> = { CronJob, Job }
