// Checks the spec of resource claims, and of their templates.
import type { FieldPath } from '../../api/field-path.ts'
import type {
  DeviceClaim,
  DeviceClassConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../api/gen/kinds.ts'
import { blank, each, type Fields, type OwnRule, where, within, zero } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label } from '../../schema/validation/formats.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import {
  attributeExpression,
  type DeviceExpressionFault,
  deviceExpressionFault,
  MAX_DEVICE_COST,
} from './device-expressions.ts'
import { checkFullAttributeName, checkList, checkOpaque, checkToleration } from './device-names.ts'

export const tolerations: OwnRule<readonly DeviceToleration[]> = each(within({ operator: blank('Equal') }))

export const MAX_ITEMS = 32
const MAX_ALTERNATIVES = 8
const MAX_EXPRESSION = 10 * 1024

export function checkClaimSpec(spec: ResourceClaimSpec, at: FieldPath<ResourceClaimSpec>, check: Check): void {
  const { requests, constraints = [], config = [] } = spec.devices
  const place = at.child('devices')
  const scope: ClaimScope = { check, names: requestNames(spec.devices) }
  const rule = { check, max: MAX_ITEMS, item: checkRequest, key: ({ name }: DeviceRequest): string => name }
  checkDerived(spec.devices, place, check)
  checkList(requests ?? [], place.child('requests'), rule)
  checkList(constraints, place.child('constraints'), {
    check,
    max: MAX_ITEMS,
    item: (constraint, path) => checkConstraint(constraint, path, scope),
  })
  checkList(config, place.child('config'), {
    check,
    max: MAX_ITEMS,
    item: (config, path) => {
      checkReferences(config, path, scope)
      checkConfiguration(config, path, check)
    },
  })
}

function checkRequest(request: DeviceRequest, at: FieldPath<DeviceRequest>, check: Check): void {
  check.fields(request, at, 'resource.k8s.io_v1.DeviceRequest')
  const { exactly, firstAvailable: alternatives = [] } = request
  const detail = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly === undefined && alternatives.length === 0) check.required(at, detail)
  else if (exactly !== undefined && alternatives.length > 0) {
    check.invalid(at, undefined, `${detail}, but multiple fields are set`)
  } else if (exactly !== undefined) check.part(request, 'exactly', at, checkExact)
  else {
    const rule = {
      check,
      max: MAX_ALTERNATIVES,
      item: checkAlternative,
      key: ({ name }: DeviceSubRequest): string => name,
    }
    checkList(alternatives, at.child('firstAvailable'), rule)
  }
}

function checkAlternative(alternative: DeviceSubRequest, at: FieldPath<DeviceSubRequest>, check: Check): void {
  check.fields(alternative, at, 'resource.k8s.io_v1.DeviceSubRequest')
  checkExact(alternative, at, check)
}

type Asked = Omit<ExactDeviceRequest, 'adminAccess'>

function checkExact(request: Asked, at: FieldPath<Asked>, check: Check): void {
  check.fields(request, at, 'resource.k8s.io_v1.ExactDeviceRequest')
  checkSelectors(request, at, check)
  const { allocationMode: mode = '', count = 0 } = request
  if (mode === 'All') {
    if (Number(count) !== 0) {
      check.invalid(at.child('count'), count, "must not be specified when allocationMode is 'All'")
    }
  } else if (mode === 'ExactCount') {
    if (count <= 0) check.invalid(at.child('count'), count, 'must be greater than zero')
  } else check.notSupported(at.child('allocationMode'), mode, ['All', 'ExactCount'])
  check.each(request, 'tolerations', at, checkToleration)
}

type Selected = Pick<Asked, 'selectors'>

export function checkSelectors({ selectors = [] }: Selected, at: FieldPath<Selected>, check: Check): void {
  checkList(selectors, at.child('selectors'), {
    check,
    max: MAX_ITEMS,
    item: (selector, path) => {
      check.fields(selector, path, 'resource.k8s.io_v1.DeviceSelector')
      const { cel } = selector
      if (cel !== undefined) checkDeviceExpression(cel.expression, path.child('cel').child('expression'), check)
    },
  })
}

interface Deriving {
  /** The request, or `request/alternative`. */
  readonly name: string
  readonly request: Pick<Asked, 'derivedAttributes'>
  readonly at: FieldPath<Pick<Asked, 'derivedAttributes'>>
}

function derivingOf({ requests }: DeviceClaim, at: FieldPath<DeviceClaim>): readonly Deriving[] {
  return (requests ?? []).flatMap(({ name, exactly, firstAvailable = [] }, i) => {
    const place = at.child('requests').index(i)
    if (exactly !== undefined) return [{ name, request: exactly, at: place.child('exactly') }]
    return firstAvailable.map((request, j) => {
      return { name: `${name}/${request.name}`, request, at: place.child('firstAvailable').index(j) }
    })
  })
}

/** Attributes that expressions derive must serve a constraint of their request. */
function checkDerived(claim: DeviceClaim, at: FieldPath<DeviceClaim>, check: Check): void {
  let cost = 0
  for (const { name, request, at: place } of derivingOf(claim, at)) {
    const { derivedAttributes: derived = [] } = request
    const [parent = ''] = name.split('/', 1)
    const constraints = (claim.constraints ?? []).filter(
      ({ requests = [] }) => requests.length === 0 || requests.includes(name) || requests.includes(parent),
    )
    checkList(derived, place.child('derivedAttributes'), {
      check,
      max: MAX_ITEMS,
      item: (attribute, path) => {
        check.fields(attribute, path, 'resource.k8s.io_v1.DeviceDerivedAttribute')
        const { name: wanted, expression } = attribute
        if (wanted !== '') checkFullAttributeName(wanted, path.child('name'), check)
        const serves = constraints.some((one) => (one.matchAttribute ?? one.distinctAttribute) === wanted)
        if (wanted !== '' && !serves) check.invalid(path.child('name'), wanted, SERVES_NONE)
        if (expression === '') return
        cost += checkDerivation(expression, path.child('expression'), check)
      },
      key: (attribute) => attribute.name,
    })
  }
  if (cost <= MAX_DEVICE_COST) return
  check.forbidden(at, 'too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit')
}

const SERVES_NONE =
  'must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request'

/** Returns the cost of the expression. */
function checkDerivation(expression: string, at: FieldPath, check: Check): number {
  if (Buffer.byteLength(expression) > MAX_EXPRESSION) {
    check.tooLong(at, MAX_EXPRESSION)
    return 0
  }
  const { fault, cost } = attributeExpression(expression, check.gate('DRAListTypeAttributes'))
  tellFault(fault, expression, at, check)
  return cost
}

function checkDeviceExpression(expression: string, at: FieldPath, check: Check): void {
  if (Buffer.byteLength(expression) > MAX_EXPRESSION) return check.tooLong(at, MAX_EXPRESSION)
  tellFault(deviceExpressionFault(expression, check.gate('DRAListTypeAttributes')), expression, at, check)
}

function tellFault(fault: DeviceExpressionFault | undefined, expression: string, at: FieldPath, check: Check): void {
  if (fault?.kind === 'invalid') check.invalid(at, expression, fault.problem)
  if (fault?.kind === 'internal') check.internal(at, fault.problem)
  if (fault?.kind === 'forbidden') check.forbidden(at, fault.problem)
}

function checkConstraint(constraint: DeviceConstraint, at: FieldPath<DeviceConstraint>, scope: ClaimScope): void {
  const { check } = scope
  checkReferences(constraint, at, scope)
  const { matchAttribute: match, distinctAttribute: distinct } = constraint
  if (match !== undefined) checkFullAttributeName(match, at.child('matchAttribute'), check)
  else if (distinct !== undefined) checkFullAttributeName(distinct, at.child('distinctAttribute'), check)
  else if (check.gate('DRAConsumableCapacity')) {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    check.required(at, detail)
  } else check.required(at.child('matchAttribute'))
}

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** The names of requests, and `request/alternative` for each alternative of a request. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { name, firstAvailable = [] } of requests ?? []) {
    names.add(name)
    for (const alternative of firstAvailable) names.add(`${name}/${alternative.name}`)
  }
  return names
}

export interface ClaimScope {
  readonly check: Check
  readonly names: ReadonlySet<string>
}

type Referring = Pick<DeviceConstraint, 'requests'>

export function checkReferences({ requests = [] }: Referring, at: FieldPath<Referring>, scope: ClaimScope): void {
  checkList(requests, at.child('requests'), {
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

export function checkConfiguration(
  config: DeviceClassConfiguration,
  at: FieldPath<DeviceClassConfiguration>,
  check: Check,
): void {
  check.fields(config, at, 'resource.k8s.io_v1.DeviceConfiguration')
  check.part(config, 'opaque', at, ({ driver, parameters }, place) => {
    checkDriverName(driver, place.child('driver'), check)
    checkOpaque(parameters, place.child('parameters'), check)
  })
}

/** The gated fields of a claim spec, by their paths from the spec. */
export const GATED_FIELDS = ['exactly', 'firstAvailable/*'].map(
  (kind) => `devices/requests/*/${kind}/derivedAttributes`,
)

const ASKED: Fields<Asked> = {
  allocationMode: blank('ExactCount'),
  count: where(({ allocationMode }) => allocationMode === 'ExactCount', zero(1)),
  tolerations,
}

export const CLAIM_DEFAULTS: OwnRule<ResourceClaimSpec> = within({
  devices: within({ requests: each(within({ exactly: within(ASKED), firstAvailable: each(within(ASKED)) })) }),
})
