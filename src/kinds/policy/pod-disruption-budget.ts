// Disruption budgets: the number of pods that may be down at the same time. A selector with only a reserved label matches no pod. If the
// selector has other terms, the reserved label is dropped.
import { FieldPath } from '../../api/field-path.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../api/gen/kinds.ts'
import { specOf, withMembers, withSpec } from '../../api/object-members.ts'
import { isMap, type ValueMap } from '../../api/value.ts'
import { AGE, column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { WORKLOAD } from '../shared/strategies.ts'

const SPEC = FieldPath.root<PodDisruptionBudgetSpec>('spec')
const STATUS = FieldPath.root<PodDisruptionBudget['status']>('status')

function checkBudget({ spec }: PodDisruptionBudget, check: Check): void {
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = shownAs(spec, formOf('policy_v1.PodDisruptionBudgetSpec'))
    check.invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set')
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    if (spec[field] === undefined) continue
    checkIntOrPercent(spec[field], SPEC.child(field), check)
    checkAtMostAll(spec[field], SPEC.child(field), check)
  }
  checkLabelSelector(spec.selector, SPEC.child('selector'), check)
  check.fields(spec, SPEC, 'policy_v1.PodDisruptionBudgetSpec')
}

function budget(field: 'minAvailable' | 'maxUnavailable'): (one: PodDisruptionBudget) => string {
  return ({ spec }) => String(spec[field] ?? '') || 'N/A'
}

const RESERVED = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
const NO_PODS = { matchExpressions: [{ key: RESERVED, operator: 'Exists' }] } as const

/** An empty selector matched no pod in v1beta1, and matches every pod in v1. */
function selectingNoPods(document: ValueMap): ValueMap {
  const spec = specOf(document)
  const { selector } = spec
  if (selector === undefined || (isMap(selector) && Object.keys(selector).length > 0)) return document
  return { ...document, spec: { ...spec, selector: NO_PODS } }
}

function withoutReservedLabel(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { selector = {} } = budget.spec
  const { matchExpressions: terms = [] } = selector
  const rest = terms.filter(({ key }) => key !== RESERVED)
  if (rest.length === terms.length || semanticallyEqual(selector, NO_PODS)) return budget
  const matchExpressions = rest.length === 0 ? undefined : rest
  return withSpec(budget, { selector: withMembers(selector, { matchExpressions }) })
}

export const POD_DISRUPTION_BUDGET: Kind = typedKind<PodDisruptionBudget>({
  validation: {
    create: checkBudget,
    update: (object, _stored, check) => checkBudget(object, check),
    subresources: {
      status: (object, _stored, check) => {
        const { status } = object
        checkConditions(status.conditions ?? [], STATUS.child('conditions'), check)
        check.fields(status, STATUS, 'policy_v1.PodDisruptionBudgetStatus')
      },
    },
  },
  strategy: {
    ...WORKLOAD,
    conditionalUpdate: true,
    prepareForCreate: withoutReservedLabel,
    prepareForUpdate: withoutReservedLabel,
  },
  columns: tableOf([
    NAME,
    column('Min Available', 'The number of pods that must stay.', budget('minAvailable')),
    column('Max Unavailable', 'The number of pods that may be unavailable.', budget('maxUnavailable')),
    integer(
      'Allowed Disruptions',
      'The number of pods that may be evicted now.',
      ({ status }) => status.disruptionsAllowed,
    ),
    AGE,
  ]),
  olderVersions: { 'policy/v1beta1': selectingNoPods },
})
