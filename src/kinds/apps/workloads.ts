// The workloads that need no more than their warnings said, and that scaling them is a change of what they ask for.
import { textOf } from '../../schema/validation/members.ts'
import { mapIn } from '../shared/members.ts'
import { withTemplateLabels } from '../shared/pod-spec/template-labels.ts'
import { jobWarnings, templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { withNameWarnings } from '../shared/warnings.ts'
import type { KindStrategy } from '../strategy.ts'

const SCALE: ReadonlySet<string> = new Set(['scale'])

const REPLICATED: KindStrategy = {
  bumpsGenerationOn: SCALE,
  warnings: withNameWarnings(templateWarnings('spec.template')),
}

export const REPLICATION_CONTROLLER: KindStrategy = {
  ...REPLICATED,
  prepareForUpdate: withTemplateLabels,
  prepareStatus: withTemplateLabels,
}

export const POD_TEMPLATE: KindStrategy = { warnings: templateWarnings('template') }

export const CRON_JOB: KindStrategy = {
  warnings: (object, stored, context) => [
    ...withNameWarnings(jobWarnings('spec.jobTemplate.spec'))(object, stored, context),
    ...(textOf(mapIn(object, 'spec'), 'schedule').includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
  ],
}
