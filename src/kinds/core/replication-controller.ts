// Replication controllers, whose selector is a plain map.
import { FieldPath } from '../../api/field-path.ts'
import type { ReplicationController, ReplicationControllerSpec } from '../../api/gen/kinds.ts'
import { withSpec } from '../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../api/value.ts'
import { tableOf, wide } from '../../codec/tables/column.ts'
import { labelText } from '../../codec/tables/reading.ts'
import { absent, always, both, isEmpty, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { REPLICA_COLUMNS } from '../shared/pod-spec/template-columns.ts'
import { labelsFromTemplate, templateLabels, withTemplateLabels } from '../shared/pod-spec/template-labels.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkLastingTemplate, checkReplicas, tellMismatch } from '../shared/pod-spec/workload-template.ts'
import { BY_LABELS } from '../shared/scale.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { withNameWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root<ReplicationControllerSpec>('spec')

const UNCONVERTIBLE = 'non-convertible.kubernetes.io/'

/** A selector that an annotation marks as non-convertible may not change. */
function checkUnconvertible(object: ReplicationController, stored: ReplicationController, check: Check): void {
  for (const [key, value] of entriesOf(stored.metadata.annotations ?? {})) {
    if (!key.startsWith(UNCONVERTIBLE)) continue
    const field = key.slice(UNCONVERTIBLE.length)
    const { selector = {} } = object.spec
    if (!field.includes('selector')) check.notFound(FieldPath.root(field), value, 'unknown non-convertible field')
    else if (!equalValues(selector, stored.spec.selector ?? {})) {
      check.invalid(SPEC.child('selector'), selector, 'cannot update non-convertible selector')
    }
  }
}

function checkSpec({ spec }: ReplicationController, check: Check): void {
  check.fields(spec, SPEC, 'core_v1.ReplicationControllerSpec', 'minReadySeconds', 'selector', 'replicas', 'template')
  const { template, selector = {} } = spec
  if (template === undefined) return
  const at = SPEC.child('template')
  const { labels = {} } = template.metadata
  const matches = entriesOf(selector).every(([key, value]) => own(labels, key) === value)
  if (!matches) tellMismatch(template, at, check)
  checkLastingTemplate(template, { at, check, kind: 'ReplicationController' })
}

export const REPLICATION_CONTROLLER: Kind = typedKind<ReplicationController>({
  validation: builtInRules({
    object: checkSpec,
    change: checkUnconvertible,
    status: ({ status }, _, check) => checkReplicas(status, check),
  }),
  defaults: both(
    within({ spec: always({ replicas: absent(1), template: within(podTemplate) }) }),
    labelsFromTemplate,
    (given) => {
      const labels = given && templateLabels(given)
      return labels === undefined || !isEmpty(given?.spec.selector) ? given : withSpec(given!, { selector: labels })
    },
  ),
  strategy: withGatedFields(gatedPodFields('spec/template/spec'), {
    ...WORKLOAD,
    propagation: 'Orphan',
    bumpsGenerationOn: new Set(['scale']),
    warnings: withNameWarnings(templateWarnings('spec.template', ({ spec }) => spec.template)),
    prepareForUpdate: withTemplateLabels,
    prepareStatus: withTemplateLabels,
  }),
  columns: tableOf([
    ...REPLICA_COLUMNS,
    wide('Selector', 'The labels of the selected pods.', (object) => labelText(object.spec.selector ?? {})),
  ]),
  scale: BY_LABELS,
  storagePrefix: 'controllers',
})
