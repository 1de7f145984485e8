// The workloads that need no more than their warnings said, and that scaling them is a change of what they ask for.
import type { ApiObject } from '../../api/object.ts'
import { own } from '../../api/value.ts'
import { metaOf, withMeta } from '../../registry/object-meta.ts'
import type { Strategy } from '../../registry/registry.ts'
import type { KindStrategy } from '../strategy.ts'
import type { GatedField } from '../shared/gated-field.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { mapIn, mapsIn } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { podNameWarnings } from '../shared/warnings.ts'
import { jobWarnings, templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { claimSpecWarnings } from '../shared/volume-warnings.ts'

const SCALE: ReadonlySet<string> = new Set(['scale'])

export const REPLICATED: KindStrategy = {
  bumpsGenerationOn: SCALE,
  warnings: withNameWarnings(templateWarnings('spec.template')),
}

export const REPLICATION_CONTROLLER: KindStrategy = {
  ...REPLICATED,
  prepareForUpdate: withTemplateLabels,
  prepareStatus: withTemplateLabels,
}

/** Where an update takes all labels away, the object bears those of its template again. */
export function withTemplateLabels(object: ApiObject): ApiObject {
  if (Object.keys(mapIn(metaOf(object), 'labels')).length > 0) return object
  const labels = mapIn(metaOf(mapIn(mapIn(object, 'spec'), 'template')), 'labels')
  return Object.keys(labels).length === 0 ? object : withMeta(object, { labels })
}

const MAX_UNAVAILABLE: GatedField = {
  gate: 'MaxUnavailableStatefulSet',
  path: ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'],
}

export const STATEFUL_SET: KindStrategy = withGatedFields([MAX_UNAVAILABLE], {
  bumpsGenerationOn: SCALE,
  warnings: (object, stored, context) => [
    ...templateWarnings('spec.template')(object, stored, context),
    ...mapsIn(mapIn(object, 'spec'), 'volumeClaimTemplates').flatMap((claim, i) =>
      // The reference names the member on updates only, and so.
      claimSpecWarnings(mapIn(claim, 'spec'), `spec.volumeClaimTemplates[${i}]${stored === undefined ? '' : '.Spec'}`),
    ),
    ...historyWarnings(object),
  ],
})

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

/** The warnings, and on create one about a name that is not made for names of pods. */
export function withNameWarnings(warnings: Strategy['warnings']): Strategy['warnings'] {
  return (object, stored, context) => [
    ...(stored === undefined ? podNameWarnings(object) : []),
    ...warnings(object, stored, context),
  ]
}

function historyWarnings(object: ApiObject): readonly string[] {
  const limit = own(mapIn(object, 'spec'), 'revisionHistoryLimit')
  if (typeof limit !== 'number' || limit >= 0) return []
  return ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
}
