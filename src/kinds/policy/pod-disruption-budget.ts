// Disruption budgets: how many pods may be down at a time. A reserved label in the selector matches no pod, and is dropped beside
// other terms.
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapOrEmpty, mapsInPlace, mapsOnly, textOrEmpty } from '../../api/members.ts'
import { withMembers, withSpec } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { AGE, column, count, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import type { Kind } from '../kind.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { WORKLOAD } from '../shared/strategies.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')

function checkBudget(object: ValueMap, check: Check): void {
  const spec = mapOrEmpty(object, 'spec')
  if (isGiven(spec, 'minAvailable') && isGiven(spec, 'maxUnavailable')) {
    const shown = shownAs(spec, formOf('policy_v1.PodDisruptionBudgetSpec'))
    check.invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set')
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (!isGiven(spec, field)) continue
    checkIntOrPercent(spec[field], SPEC.child(field), check)
    checkAtMostAll(spec[field], SPEC.child(field), check)
  }
  checkLabelSelector(mapOrAbsent(spec, 'selector'), SPEC.child('selector'), check)
  check.fields(spec, SPEC, 'policy_v1.PodDisruptionBudgetSpec')
}

function budget(field: string): (one: ValueMap) => string {
  return (one) => textAt(one, 'spec', field) || 'N/A'
}

const RESERVED = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
const NO_PODS = { matchExpressions: [{ key: RESERVED, operator: 'Exists' }] } as const

/** An empty selector matched no pod in v1beta1, and matches every pod in v1. */
function selectingNoPods(document: ValueMap): ValueMap {
  const spec = mapOrEmpty(document, 'spec')
  const selector = own(spec, 'selector')
  if (selector === undefined || Object.keys(mapOrEmpty(spec, 'selector')).length > 0) return document
  return { ...document, spec: { ...spec, selector: NO_PODS } }
}

function withoutReservedLabel(budget: ApiObject): ApiObject {
  const selector = mapOrEmpty(mapOrEmpty(budget, 'spec'), 'selector')
  const terms = mapsOnly(selector, 'matchExpressions')
  const rest = terms.filter((term) => textOrEmpty(term, 'key') !== RESERVED)
  if (rest.length === terms.length || semanticallyEqual(selector, NO_PODS)) return budget
  const matchExpressions = rest.length === 0 ? undefined : rest
  return withSpec(budget, { selector: withMembers(selector, { matchExpressions }) })
}

export const POD_DISRUPTION_BUDGET: Kind = {
  validation: {
    create: checkBudget,
    update: (object, _stored, check) => checkBudget(object, check),
    subresources: {
      status: (object, _stored, check) => {
        const status = mapOrEmpty(object, 'status')
        checkConditions(mapsInPlace(status, 'conditions'), STATUS.child('conditions'), check)
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
    column('Min Available', 'How many pods must stay.', budget('minAvailable')),
    column('Max Unavailable', 'How many pods may be gone.', budget('maxUnavailable')),
    integer('Allowed Disruptions', 'How many pods may go now.', count('status', 'disruptionsAllowed')),
    AGE,
  ]),
  olderVersions: { 'policy/v1beta1': selectingNoPods },
}
