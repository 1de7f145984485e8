// Jobs get generated labels and a selector for their pods, unless `manualSelector` is set (W-587).
import { isTrue, mapOrEmpty } from '../../../api/members.ts'
import { labelsOf, metaOf, metaText, withMeta, withSpec } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { own, type Value, type ValueMap } from '../../../api/value.ts'
import { withGatedFields } from '../../shared/gated-field.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
import { withTemplateLabels } from '../../shared/pod-spec/template-labels.ts'
import { jobWarnings } from '../../shared/pod-spec/template-warnings.ts'
import { WORKLOAD } from '../../shared/strategies.ts'
import { withNameWarnings } from '../../shared/warnings.ts'
import type { KindStrategy } from '../../strategy.ts'

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid'

export const STRATEGY: KindStrategy = withGatedFields(gatedPodFields('spec/template/spec'), {
  ...WORKLOAD,
  propagation: 'Orphan',
  prepareForCreate: (object) =>
    isTrue(mapOrEmpty(object, 'spec'), 'manualSelector') ? object : withGeneratedSelector(object),
  prepareForUpdate: withTemplateLabels,
  prepareStatus: withTemplateLabels,
  warnings: withNameWarnings(jobWarnings('spec')),
  deleteWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
})

/** Labels that the user set are kept; validation rejects those that differ from the generated ones. */
function withGeneratedSelector(object: ApiObject): ApiObject {
  const [name, uid] = [metaText(object, 'name'), metaText(object, 'uid')]
  const spec = mapOrEmpty(object, 'spec')
  const template = mapOrEmpty(spec, 'template')
  const labels = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    [CONTROLLER_UID]: uid,
    ...labelsOf(template),
  }
  const selector = mapOrEmpty(spec, 'selector')
  return withSpec(withLabelsOfTemplate(object, own(metaOf(template), 'labels'), labels), {
    selector: { ...selector, matchLabels: { [CONTROLLER_UID]: uid, ...mapOrEmpty(selector, 'matchLabels') } },
    template: { ...template, metadata: { ...metaOf(template), labels } },
  })
}

/** A job without labels gets those of its template. */
function withLabelsOfTemplate(object: ApiObject, before: Value | undefined, labels: ValueMap): ApiObject {
  const given = own(metaOf(object), 'labels')
  const isDefault = given === before || Object.keys(labelsOf(object)).length === 0
  return isDefault ? withMeta(object, { labels }) : object
}
