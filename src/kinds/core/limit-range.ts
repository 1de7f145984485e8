// Limit ranges: each type once, and defaults between minimum and maximum.
import { systemRandom } from '../../lib/random.ts'
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { LimitRange, LimitRangeItem, LimitRangeSpec } from '../../api/gen/kinds.ts'
import { withMeta } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { compareQuantities, quantityOf, quantityToNumber } from '../../lib/quantity.ts'
import { both, each, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { withMissing, rounded } from '../shared/resource-list.ts'
import {
  amountOf,
  amountText,
  checkContainerResourceName,
  checkResourceName,
  isOvercommittable,
} from '../shared/resource-names.ts'

const SPEC = FieldPath.root<LimitRangeSpec>('spec')
const TYPES: readonly string[] = ['Pod', 'Container', 'PersistentVolumeClaim']
const ONE = quantityOf(1, 'decimalSI')

function checkLimitRange(object: LimitRange, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const seen = new Set<string>()
  check.each(object.spec, 'limits', SPEC, (limit, at) => {
    const { type } = limit
    checkType(type, at.child('type'), check)
    if (seen.has(type)) check.duplicate(at.child('type'), shownJson(type))
    seen.add(type)
    checkLimit(limit, at, check)
  })
}

function checkType(type: string, at: FieldPath, check: Check): void {
  const faults = qualifiedName(type)
  for (const fault of faults) check.invalid(at, shownJson(type), fault)
  if (faults.length === 0 && !type.includes('/') && !TYPES.includes(type)) {
    check.invalid(at, shownJson(type), 'must be a standard limit type or fully qualified')
  }
}

/** The fields that hold amounts by resource. */
type Amounts = Exclude<keyof LimitRangeItem, 'type'>

function checkLimit(limit: LimitRangeItem, at: FieldPath, check: Check): void {
  const { type, min = {}, max = {} } = limit
  const names = new Set<string>()
  const take = (field: Amounts): void => {
    for (const name of Object.keys(limit[field] ?? {})) {
      const place = at.child(field).key(name)
      if (type === 'Pod' || type === 'Container') checkContainerResourceName(name, place, check)
      else checkResourceName(name, place, check)
      names.add(name)
    }
  }
  take('max')
  take('min')
  for (const field of ['default', 'defaultRequest'] as const) {
    if (type !== 'Pod') take(field)
    else if (limit[field] !== undefined) {
      check.forbidden(at.child(field), "may not be specified when `type` is 'Pod'")
    }
  }
  if (type === 'PersistentVolumeClaim' && ![min, max].some((amounts) => Object.hasOwn(amounts, 'storage'))) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    check.required(at.child('limits'), detail)
  }
  take('maxLimitRequestRatio')
  for (const name of names) checkAmounts(name, limit, at, check)
}

/**
 * Pairs of amounts. The first may not exceed the second. The other members are the field and the value with which a fault is reported, and
 * a name for messages.
 */
const ORDERS: readonly (readonly [
  lower: Amounts,
  upper: Amounts,
  toldAt: Amounts,
  shown: Amounts,
  upperName: string,
])[] = [
  ['min', 'max', 'min', 'min', 'max'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'max'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default limit'],
  ['min', 'default', 'default', 'min', 'default'],
  ['default', 'max', 'default', 'max', 'max'],
]

function checkAmounts(name: string, limit: LimitRangeItem, at: FieldPath, check: Check): void {
  const textIn = (field: Amounts): string | undefined =>
    limit.type === 'Pod' && field.startsWith('default') ? undefined : own(limit[field] ?? {}, name)
  for (const [lower, upper, toldAt, shown, upperName] of ORDERS) {
    const [low, high] = [amountOf(textIn(lower)), amountOf(textIn(upper))]
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) continue
    const lowerName = lower === 'defaultRequest' ? 'default request' : lower
    const detail = `${lowerName} value ${amountText(textIn(lower))} is greater than ${upperName} value ${amountText(textIn(upper))}`
    check.invalid(at.child(toldAt).key(name), textIn(shown), detail)
  }
  checkRatio(textIn, at.child('maxLimitRequestRatio').key(name), check)
  const [usual, request] = [amountOf(textIn('default')), amountOf(textIn('defaultRequest'))]
  if (usual === undefined || request === undefined || isOvercommittable(name)) return
  if (compareQuantities(usual, request) !== 0) {
    const pair = `${amountText(textIn('default'))} must equal to defaultRequest value ${amountText(textIn('defaultRequest'))}`
    check.invalid(at.child('defaultRequest').key(name), textIn('defaultRequest'), `default value ${pair} in ${name}`)
  }
}

function checkRatio(textIn: (field: Amounts) => string | undefined, at: FieldPath, check: Check): void {
  const text = textIn('maxLimitRequestRatio')
  const ratio = amountOf(text)
  if (ratio === undefined) return
  if (compareQuantities(ratio, ONE) < 0) check.invalid(at, text, `ratio ${amountText(text)} is less than 1`)
  const [min, max] = [amountOf(textIn('min')), amountOf(textIn('max'))]
  if (min === undefined || max === undefined) return
  const most = quantityToNumber(max) / quantityToNumber(min)
  if (quantityToNumber(ratio) > most) {
    check.invalid(at, text, `ratio ${amountText(text)} is greater than max/min = ${most.toFixed(6)}`)
  }
}

/** For containers, `max` is the default limit, and the default limit is the default request. */
const containerLimits: OwnRule<LimitRangeItem> = (given) => {
  if (given?.type !== 'Container') return given
  const limits = withMissing(given.default, given.max ?? {})
  const requests = withMissing(given.defaultRequest, limits ?? {})
  const all = withMissing(requests, given.min ?? {})
  if (limits === given.default && all === given.defaultRequest) return given
  return { ...given, ...(limits && { default: limits }), ...(all && { defaultRequest: all }) }
}

const limitRangeItem = both<LimitRangeItem, unknown>(
  containerLimits,
  within({ max: rounded, min: rounded, default: rounded, defaultRequest: rounded, maxLimitRequestRatio: rounded }),
)

export const LIMIT_RANGE: Kind = typedKind<LimitRange>({
  validation: {
    create: checkLimitRange,
    update: (object, _stored, check) => checkLimitRange(object, check),
  },
  defaults: within({ spec: within({ limits: each(limitRangeItem) }) }),
  strategy: {
    createOnUpdate: true,
    // The name may be left out (W-043).
    prepareForCreate: (object, { random = systemRandom }) =>
      object.metadata.name === undefined ? withMeta(object, { name: random.uuid() }) : object,
  },
})
