// The defaults of jobs.
import type { ValueMap } from '../../../api/value.ts'
import { absent, always, blank, both, each, isAbsent, where, within } from '../../../schema/defaults/rule.ts'
import { podTemplate } from '../../shared/pod-spec/defaults.ts'
import { labelsFromTemplate } from '../../shared/pod-spec/template-labels.ts'

export const podFailurePolicy = within({
  rules: each(within({ onPodConditions: each(within({ status: blank('True') })) })),
})

const unbounded = 2 ** 31 - 1

const lacks =
  (field: string) =>
  (spec: ValueMap): boolean =>
    isAbsent(spec[field])

export const DEFAULTS = both(
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
