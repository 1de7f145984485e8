// The selector of a disruption budget: one label is kept for saying that no pod is meant, and goes with no other term.
import type { ApiObject } from '../../api/object.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, mapsIn, withMembers, withSpec } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'

const RESERVED = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

export const NO_POD = { matchExpressions: [{ key: RESERVED, operator: 'Exists' }] } as const

export const DISRUPTION_BUDGET: KindStrategy = {
  prepareForCreate: withoutReserved,
  prepareForUpdate: withoutReserved,
}

function withoutReserved(budget: ApiObject): ApiObject {
  const selector = mapIn(mapIn(budget, 'spec'), 'selector')
  const terms = mapsIn(selector, 'matchExpressions')
  const rest = terms.filter((term) => textOf(term, 'key') !== RESERVED)
  if (rest.length === terms.length || semanticallyEqual(selector, NO_POD)) return budget
  const matchExpressions = rest.length === 0 ? undefined : rest
  return withSpec(budget, { selector: withMembers(selector, { matchExpressions }) })
}
