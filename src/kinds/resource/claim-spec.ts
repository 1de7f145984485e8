// The spec of resource claims, and of their templates.
import type { FieldPath } from '../../api/field-path.ts'
import {
  integerOrZero,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { blank, each, where, within, zero } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label } from '../../schema/validation/formats.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { deviceExpressionFault } from './device-expressions.ts'
import { checkFullAttributeName, checkList, checkMaps, checkOpaque, checkToleration } from './device-names.ts'

export const tolerations = each(within({ operator: blank('Equal') }))

export const MAX_ITEMS = 32
const MAX_ALTERNATIVES = 8
const MAX_EXPRESSION = 10 * 1024

export function checkClaimSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  const devices = mapOrEmpty(spec, 'devices')
  const place = at.child('devices')
  const scope: ClaimScope = { check, names: requestNames(devices) }
  checkMaps(devices, 'requests', place, { check, max: MAX_ITEMS, item: checkRequest, key: 'name' })
  checkMaps(devices, 'constraints', place, {
    check,
    max: MAX_ITEMS,
    item: (constraint, path) => checkConstraint(constraint, path, scope),
  })
  checkMaps(devices, 'config', place, {
    check,
    max: MAX_ITEMS,
    item: (config, path) => {
      checkReferences(config, path, scope)
      checkConfiguration(config, path, check)
    },
  })
}

function checkRequest(request: ValueMap, at: FieldPath, check: Check): void {
  check.fields(request, at, 'resource.k8s.io_v1.DeviceRequest')
  const exactly = mapOrAbsent(request, 'exactly')
  const alternatives = mapsInPlace(request, 'firstAvailable')
  const detail = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly === undefined && alternatives.length === 0) check.required(at, detail)
  else if (exactly !== undefined && alternatives.length > 0) {
    check.invalid(at, undefined, `${detail}, but multiple fields are set`)
  } else if (exactly !== undefined) checkExact(exactly, at.child('exactly'), check)
  else checkMaps(request, 'firstAvailable', at, { check, max: MAX_ALTERNATIVES, item: checkAlternative, key: 'name' })
}

function checkAlternative(alternative: ValueMap, at: FieldPath, check: Check): void {
  check.fields(alternative, at, 'resource.k8s.io_v1.DeviceSubRequest')
  checkExact(alternative, at, check)
}

function checkExact(request: ValueMap, at: FieldPath, check: Check): void {
  check.fields(request, at, 'resource.k8s.io_v1.ExactDeviceRequest')
  checkSelectors(request, at, check)
  const mode = textOrEmpty(request, 'allocationMode')
  const count = integerOrZero(request, 'count')
  if (mode === 'All') {
    if (Number(count) !== 0) {
      check.invalid(at.child('count'), count, "must not be specified when allocationMode is 'All'")
    }
  } else if (mode === 'ExactCount') {
    if (count <= 0) check.invalid(at.child('count'), count, 'must be greater than zero')
  } else check.notSupported(at.child('allocationMode'), mode, ['All', 'ExactCount'])
  for (const [toleration, place] of placedMaps(request, 'tolerations', at)) checkToleration(toleration, place, check)
}

export function checkSelectors(part: ValueMap, at: FieldPath, check: Check): void {
  checkMaps(part, 'selectors', at, {
    check,
    max: MAX_ITEMS,
    item: (selector, path) => {
      check.fields(selector, path, 'resource.k8s.io_v1.DeviceSelector')
      const cel = mapOrAbsent(selector, 'cel')
      if (cel === undefined) return
      checkDeviceExpression(textOrEmpty(cel, 'expression'), path.child('cel').child('expression'), check)
    },
  })
}

function checkDeviceExpression(expression: string, at: FieldPath, check: Check): void {
  if (Buffer.byteLength(expression) > MAX_EXPRESSION) return check.tooLong(at, MAX_EXPRESSION)
  const fault = deviceExpressionFault(expression)
  if (fault?.kind === 'invalid') check.invalid(at, expression, fault.problem)
  if (fault?.kind === 'internal') check.internal(at, fault.problem)
  if (fault?.kind === 'forbidden') check.forbidden(at, fault.problem)
}

function checkConstraint(constraint: ValueMap, at: FieldPath, scope: ClaimScope): void {
  const { check } = scope
  checkReferences(constraint, at, scope)
  const match = textOrAbsent(constraint, 'matchAttribute')
  const distinct = textOrAbsent(constraint, 'distinctAttribute')
  if (match !== undefined) checkFullAttributeName(match, at.child('matchAttribute'), check)
  else if (distinct !== undefined) checkFullAttributeName(distinct, at.child('distinctAttribute'), check)
  else if (check.gate('DRAConsumableCapacity')) {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    check.required(at, detail)
  } else check.required(at.child('matchAttribute'))
}

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** The names of requests, and `request/alternative` of those that have alternatives. */
export function requestNames(devices: ValueMap): ReadonlySet<string> {
  const names = new Set<string>()
  for (const request of mapsInPlace(devices, 'requests')) {
    const name = textOrEmpty(request, 'name')
    names.add(name)
    for (const alternative of mapsInPlace(request, 'firstAvailable'))
      names.add(`${name}/${textOrEmpty(alternative, 'name')}`)
  }
  return names
}

export interface ClaimScope {
  readonly check: Check
  readonly names: ReadonlySet<string>
}

export function checkReferences(part: ValueMap, at: FieldPath, scope: ClaimScope): void {
  checkList(textsInPlace(part, 'requests'), at.child('requests'), {
    check: scope.check,
    max: MAX_ITEMS,
    item: (name, path) => checkReference(name, path, scope),
    key: (name) => name,
  })
}

export function checkReference(name: string, at: FieldPath, { check, names }: ClaimScope): void {
  const parts = name.split('/', 3)
  if (parts.length <= 2) for (const part of parts) check.format(at, part, dns1123Label(part))
  if (!names.has(name)) check.invalid(at, name, NO_REQUEST)
}

export function checkConfiguration(config: ValueMap, at: FieldPath, check: Check): void {
  check.fields(config, at, 'resource.k8s.io_v1.DeviceConfiguration')
  const opaque = mapOrAbsent(config, 'opaque')
  if (opaque === undefined) return
  const place = at.child('opaque')
  checkDriverName(textOrEmpty(opaque, 'driver'), place.child('driver'), check)
  checkOpaque(opaque['parameters'], place.child('parameters'), check)
}

const deviceRequest = within({
  allocationMode: blank('ExactCount'),
  count: where(({ allocationMode }) => allocationMode === 'ExactCount', zero(1)),
  tolerations,
})

export const CLAIM_DEFAULTS = within({
  devices: within({ requests: each(within({ exactly: deviceRequest, firstAvailable: each(deviceRequest) })) }),
})
