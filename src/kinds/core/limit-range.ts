// Limit ranges: each type once, and defaults between minimum and maximum.
import { systemRandom } from '../../lib/random.ts'
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import { metaText, specOf, withMeta } from '../../api/object-members.ts'
import { isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { compareQuantities, quantityOf, quantityToNumber } from '../../lib/quantity.ts'
import { both, each, type Rule, within, withMember } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { withMissing, rounded } from '../shared/resource-list.ts'
import {
  amountOf,
  amountText,
  checkContainerResourceName,
  checkResourceName,
  isOvercommittable,
} from '../shared/resource-names.ts'

const SPEC = FieldPath.root('spec')
const TYPES: readonly string[] = ['Pod', 'Container', 'PersistentVolumeClaim']
const ONE = quantityOf(1, 'decimalSI')

function checkLimitRange(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const seen = new Set<string>()
  check.each(specOf(object), 'limits', SPEC, (limit, at) => {
    const type = textOrEmpty(limit, 'type')
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

function checkLimit(limit: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(limit, 'type')
  const names = new Set<string>()
  const take = (field: string): void => {
    for (const name of Object.keys(mapOrEmpty(limit, field))) {
      const place = at.child(field).key(name)
      if (type === 'Pod' || type === 'Container') checkContainerResourceName(name, place, check)
      else checkResourceName(name, place, check)
      names.add(name)
    }
  }
  take('max')
  take('min')
  for (const field of ['default', 'defaultRequest']) {
    if (type !== 'Pod') take(field)
    else if (Object.keys(mapOrEmpty(limit, field)).length > 0) {
      check.forbidden(at.child(field), "may not be specified when `type` is 'Pod'")
    }
  }
  const sizes = [mapOrEmpty(limit, 'min'), mapOrEmpty(limit, 'max')]
  if (type === 'PersistentVolumeClaim' && !sizes.some((amounts) => Object.hasOwn(amounts, 'storage'))) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    check.required(at.child('limits'), detail)
  }
  take('maxLimitRequestRatio')
  for (const name of names) checkAmounts(name, limit, at, check)
}

/** Two amounts of which the first may not exceed the second, where and with which value to report that. */
const ORDERS: readonly (readonly [lower: string, upper: string, toldAt: string, shown: string, upperName: string])[] = [
  ['min', 'max', 'min', 'min', 'max'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'max'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default limit'],
  ['min', 'default', 'default', 'min', 'default'],
  ['default', 'max', 'default', 'max', 'max'],
]

function checkAmounts(name: string, limit: ValueMap, at: FieldPath, check: Check): void {
  const isPod = textOrEmpty(limit, 'type') === 'Pod'
  const textIn = (field: string): Value | undefined =>
    isPod && field.startsWith('default') ? undefined : own(mapOrEmpty(limit, field), name)
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

function checkRatio(textIn: (field: string) => Value | undefined, at: FieldPath, check: Check): void {
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

/** For containers `max` is the default limit, and the default limit is the default request. */
const containerLimits: Rule = (given) => {
  if (!isMap(given) || given['type'] !== 'Container') return given
  const limits = withMissing(mapOrAbsent(given, 'default'), mapOrAbsent(given, 'max') ?? {})
  const requests = withMissing(mapOrAbsent(given, 'defaultRequest'), limits ?? {})
  const all = withMissing(requests, mapOrAbsent(given, 'min') ?? {})
  return withAmounts(withAmounts(given, 'default', limits), 'defaultRequest', all)
}

function withAmounts(item: ValueMap, name: string, amounts: ValueMap | undefined): ValueMap {
  return amounts === undefined ? item : withMember(item, name, amounts)
}

const limitRangeItem = both(
  containerLimits,
  within({ max: rounded, min: rounded, default: rounded, defaultRequest: rounded, maxLimitRequestRatio: rounded }),
)

export const LIMIT_RANGE: Kind = {
  validation: {
    create: checkLimitRange,
    update: (object, _stored, check) => checkLimitRange(object, check),
  },
  defaults: within({ spec: within({ limits: each(limitRangeItem) }) }),
  strategy: {
    createOnUpdate: true,
    // The name may be left out (W-043).
    prepareForCreate: (object, { random = systemRandom }) =>
      metaText(object, 'name') === '' ? withMeta(object, { name: random.uuid() }) : object,
  },
}
