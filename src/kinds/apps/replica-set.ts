// Replica sets: as many pods of one template as are asked for.
import { specOf, statusOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import { tableOf } from '../../codec/tables/column.ts'
import { absent, always, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { REPLICA_COLUMNS, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkReplicas } from '../shared/pod-spec/workload-template.ts'
import { BY_LABEL_SELECTOR } from '../shared/scale.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { withNameWarnings } from '../shared/warnings.ts'
import {
  checkSameSelector,
  checkSelectedTemplate,
  checkSelector,
  SPEC,
  STATUS,
  template,
  withLabelsOfTemplate,
} from './workload.ts'

function checkReplicaSet(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  check.fields(spec, SPEC, 'apps_v1.ReplicaSetSpec')
  checkSelector(spec, 'deployment', check)
  checkSelectedTemplate(spec, check)
}

export const REPLICA_SET: Kind = {
  validation: builtInRules({
    object: checkReplicaSet,
    change: checkSameSelector,
    status: (object, _stored, check) => {
      checkReplicas(statusOf(object), check)
      check.fields(statusOf(object), STATUS, 'apps_v1.ReplicaSetStatus', 'terminatingReplicas')
    },
  }),
  defaults: within({ spec: always({ template, replicas: absent(1) }) }),
  strategy: withGatedFields(gatedPodFields('spec/template/spec'), {
    ...WORKLOAD,
    bumpsGenerationOn: new Set(['scale']),
    warnings: withNameWarnings(templateWarnings('spec.template')),
  }),
  columns: tableOf([...REPLICA_COLUMNS, selectorColumn('spec', 'selector')]),
  scale: BY_LABEL_SELECTOR,
  olderVersions: { 'apps/v1beta2': 'same', 'extensions/v1beta1': withLabelsOfTemplate },
}
