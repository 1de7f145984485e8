// Jobs get generated labels and a selector for their pods, unless `manualSelector` is set (W-587).
import type { Job } from '../../../api/gen/kinds.ts'
import { withMeta, withSpec } from '../../../api/object-members.ts'
import type { MapOf } from '../../../api/value.ts'
import { type GatedField, gatedFields, withGatedFields } from '../../shared/gated-field.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
import { withTemplateLabels } from '../../shared/pod-spec/template-labels.ts'
import { jobWarnings } from '../../shared/pod-spec/template-warnings.ts'
import { WORKLOAD } from '../../shared/strategies.ts'
import { withNameWarnings } from '../../shared/warnings.ts'
import type { KindStrategy } from '../../strategy.ts'

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid'

const GATED: readonly GatedField[] = [
  ...gatedPodFields('spec/template/spec'),
  ...gatedFields('batch_v1.Job', 'spec/scheduling'),
]

export const STRATEGY: KindStrategy<Job> = withGatedFields(GATED, {
  ...WORKLOAD,
  propagation: 'Orphan',
  prepareForCreate: (job) => (job.spec.manualSelector === true ? job : withGeneratedSelector(job)),
  prepareForUpdate: withTemplateLabels,
  prepareStatus: withTemplateLabels,
  warnings: withNameWarnings(jobWarnings('spec', ({ spec }) => spec)),
  deleteWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
})

/** Labels that the user set are kept. Validation rejects labels that differ from the generated labels. */
function withGeneratedSelector(job: Job): Job {
  const { name = '', uid = '' } = job.metadata
  const { template, selector } = job.spec
  const labels = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    [CONTROLLER_UID]: uid,
    ...template.metadata.labels,
  }
  const matchLabels = { [CONTROLLER_UID]: uid, ...selector?.matchLabels }
  return withSpec(withLabelsOfTemplate(job, labels), {
    selector: { ...selector, matchLabels },
    template: { ...template, metadata: { ...template.metadata, labels } },
  })
}

/** A job without labels gets the labels of its template. */
function withLabelsOfTemplate(job: Job, labels: MapOf<string>): Job {
  const given = job.metadata.labels
  const isDefault = given === job.spec.template.metadata.labels || Object.keys(given ?? {}).length === 0
  return isDefault ? withMeta(job, { labels }) : job
}
