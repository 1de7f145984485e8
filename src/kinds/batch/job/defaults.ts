// The defaults of jobs.
import type { Job, PodFailurePolicy } from '../../../api/gen/kinds.ts'
import { absent, always, blank, both, each, where, within } from '../../../schema/defaults/rule.ts'
import { podTemplate } from '../../shared/pod-spec/defaults.ts'
import { labelsFromTemplate } from '../../shared/pod-spec/template-labels.ts'

export const podFailurePolicy = within<PodFailurePolicy>({
  rules: each(within({ onPodConditions: each(within({ status: blank('True') })) })),
})

const unbounded = 2 ** 31 - 1

export const DEFAULTS = both<Job, unknown>(
  within({
    spec: always({
      completions: where(({ parallelism }) => parallelism === undefined, absent(1)),
      parallelism: absent(1),
      backoffLimit: (given, _, spec) => given ?? (spec.backoffLimitPerIndex === undefined ? 6 : unbounded),
      completionMode: absent('NonIndexed'),
      suspend: absent(false),
      podReplacementPolicy: (given, _, spec) =>
        given ?? (spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'),
      manualSelector: absent(false),
      podFailurePolicy,
      template: always(podTemplate),
    }),
  }),
  labelsFromTemplate,
)
