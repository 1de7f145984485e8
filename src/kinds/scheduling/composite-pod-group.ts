// Composite pod groups: groups of pods that are scheduled together. By default, the kind is not served.
import { FieldPath } from '../../api/field-path.ts'
import type { CompositePodGroup } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { within, absent } from '../../schema/defaults/rule.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkConditions } from '../shared/conditions.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkGroup } from './group-rules.ts'
import { defaultPreemption, policyOf, workloadOf } from './pod-group.ts'

const SPEC = FieldPath.root('spec')
const TYPES = {
  group: 'scheduling.k8s.io_v1alpha3.CompositePodGroupSpec',
  gang: 'scheduling.k8s.io_v1beta1.CompositeGangSchedulingPolicy',
} as const

export const COMPOSITE_POD_GROUP: Kind = typedKind<CompositePodGroup>({
  validation: builtInRules({
    object: ({ spec }, check, stored) => {
      if (spec.workloadRef === null) check.required(SPEC.child('workloadRef'))
      checkGroup(TYPES, spec as never, SPEC, check, stored?.spec as never)
    },
    status: ({ status: { conditions = [] } }, _stored, check) =>
      checkConditions(conditions, FieldPath.root('status').child('conditions'), check),
  }),
  defaults: within({ spec: within({ disruptionMode: absent({ single: {} }), preemptionPolicy: defaultPreemption }) }),
  strategy: withGatedFields(gatedFields('scheduling.k8s.io_v1alpha3.CompositePodGroup', 'spec/preemptionPolicy'), {
    status: WITH_STATUS_ALONE,
    conditionalUpdate: true,
  }),
  columns: tableOf([
    NAME,
    column('Policy', 'The scheduling policy of the groups.', policyOf),
    column('Workload', 'The workload that has the group.', workloadOf),
    AGE,
  ]),
})
