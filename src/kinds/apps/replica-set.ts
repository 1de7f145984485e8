// Replica sets: the requested number of pods of one template.
import { FieldPath } from '../../api/field-path.ts'
import type { ReplicaSet } from '../../api/gen/kinds.ts'
import { tableOf } from '../../codec/tables/column.ts'
import { absent, always, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { REPLICA_COLUMNS, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkReplicas } from '../shared/pod-spec/workload-template.ts'
import { BY_LABEL_SELECTOR } from '../shared/scale.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { withNameWarnings } from '../shared/warnings.ts'
import { withLabelsOfTemplate } from './older-labels.ts'
import { checkSameSelector, checkSelectedTemplate, checkSelector, template } from './workload.ts'

const SPEC = FieldPath.root<ReplicaSet['spec']>('spec')
const STATUS = FieldPath.root<ReplicaSet['status']>('status')

function checkReplicaSet({ spec }: ReplicaSet, check: Check): void {
  check.fields(spec, SPEC, 'apps_v1.ReplicaSetSpec')
  checkSelector(spec, 'deployment', check)
  checkSelectedTemplate(spec, check)
}

export const REPLICA_SET: Kind = typedKind<ReplicaSet>({
  validation: builtInRules({
    object: checkReplicaSet,
    change: checkSameSelector,
    status: ({ status }, _stored, check) => {
      checkReplicas(status, check)
      check.fields(status, STATUS, 'apps_v1.ReplicaSetStatus', 'terminatingReplicas')
    },
  }),
  defaults: within({ spec: always({ template, replicas: absent(1) }) }),
  strategy: withGatedFields(gatedPodFields('spec/template/spec'), {
    ...WORKLOAD,
    bumpsGenerationOn: new Set(['scale']),
    warnings: withNameWarnings(templateWarnings('spec.template', ({ spec }) => spec.template)),
  }),
  columns: tableOf([...REPLICA_COLUMNS, selectorColumn(({ spec }) => spec.selector)]),
  scale: BY_LABEL_SELECTOR,
  olderVersions: { 'apps/v1beta2': 'same', 'extensions/v1beta1': withLabelsOfTemplate },
})
