// Requests, limits and claims of containers and pods: known resources, valid amounts, requests within limits, and claims that the
// pod has.
import type { CoreV1ResourceClaim, ResourceRequirements } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { entriesOf, type MapOf, own } from '../../../api/value.ts'
import { compareQuantities } from '../../../lib/quantity.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { dns1123Label } from '../../../schema/validation/formats.ts'
import {
  amountOf,
  amountText,
  checkAmount,
  checkHugePages,
  isHugePages,
  isOvercommittable,
  type NameRule,
} from '../resource-names.ts'

interface RequirementsScope {
  readonly check: Check
  /** The allowed names of resources. */
  readonly name: NameRule
  /** The claims of the pod, which containers refer to. */
  readonly claims: ReadonlySet<string>
}

export function checkRequirements(
  requirements: ResourceRequirements,
  at: FieldPath<object>,
  scope: RequirementsScope,
): void {
  const { check } = scope
  const { limits = {}, requests = {}, claims = [] } = requirements
  const checkAmounts = (kind: 'limits' | 'requests', amounts: MapOf<string>): void => {
    for (const [name, amount] of entriesOf(amounts)) {
      const place = at.place(kind).key(name)
      scope.name(name, place, check)
      checkAmount(name, amount, place, check)
      if (kind === 'requests') checkWithinLimit(name, amount, limits, { at, check })
      checkHugePages(name, amount, place, check)
    }
  }
  checkAmounts('limits', limits)
  checkAmounts('requests', requests)
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    check.forbidden(at, 'HugePages require cpu or memory')
  }
  checkClaims(claims, at.place('claims'), scope)
}

function checkWithinLimit(
  name: string,
  request: string,
  limits: MapOf<string>,
  { at, check }: { readonly at: FieldPath; readonly check: Check },
): void {
  const limit = own(limits, name)
  if (limit === undefined) {
    if (isOvercommittable(name)) return
    check.required(at.child('limits'), 'Limit must be set for non overcommitable resources')
    return
  }
  const asked = amountOf(request)
  const most = amountOf(limit)
  if (asked === undefined || most === undefined) return
  const order = compareQuantities(asked, most)
  if (order === 0) return
  const of = `${name} limit of ${amountText(limit)}`
  if (!isOvercommittable(name)) check.invalid(at.child('requests'), request, `must be equal to ${of}`)
  else if (order > 0) check.invalid(at.child('requests'), request, `must be less than or equal to ${of}`)
}

/** Each claim must be a claim of the pod. No request of a claim may be used twice. */
function checkClaims(claims: readonly CoreV1ResourceClaim[], list: FieldPath, scope: RequirementsScope): void {
  const { check } = scope
  const used = new Set<string>()
  const partly = new Map<string, number>()
  for (const [i, { name, request = '' }] of claims.entries()) {
    const at = list.index(i)
    if (name === '') {
      check.required(at)
      continue
    }
    if (used.has(name)) check.duplicate(at, name)
    else {
      const key = request === '' ? name : `${name}/${request}`
      if (request !== '') check.format(at.child('request'), request, dns1123Label(request))
      if (used.has(key)) check.duplicate(at, key)
      else if (request === '') for (let n = partly.get(name) ?? 0; n > 0; n--) check.duplicate(at, name)
      else partly.set(name, (partly.get(name) ?? 0) + 1)
      used.add(key)
    }
    if (!scope.claims.has(name)) check.notFound(at, name, whichClaims(scope.claims))
  }
}

/** The largest number of names in a message. The message about every unknown claim has the names. */
const MAX_LISTED = 64

function whichClaims(claims: ReadonlySet<string>): string {
  const listed = [...claims].sort().slice(0, MAX_LISTED)
  const names = claims.size === 0 ? ' which is empty' : `: ${listed.join(', ')}`
  return `must be one of the names in pod.spec.resourceClaims${names}`
}
