// The devices of a slice: their attributes, capacities, taints and consumption.
import { FieldPath } from '../../api/field-path.ts'
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  ResourceSliceSpec,
} from '../../api/gen/kinds.ts'
import { entriesOf, equalValues, type MapOf, type Value } from '../../api/value.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliQuantityOf,
  type Quantity,
  quantityOf,
  scaledValue,
  signOfQuantity,
} from '../../lib/quantity.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, longerThan, NOT_NEGATIVE } from '../../schema/validation/formats.ts'
import { refuseChoice } from '../shared/choice.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { amountOf } from '../shared/resource-names.ts'
import { checkAttributeName, checkBindingConditions, checkDeviceName, checkList } from './device-names.ts'
import { checkNodeResources } from './slice-options.ts'

const SPEC = FieldPath.root<ResourceSliceSpec>('spec')
const MAX_DEVICES = 128
const MAX_SPECIAL_DEVICES = 64
const MAX_ATTRIBUTES_AND_CAPACITIES = 32
const MAX_TAINTS = 16
const MAX_COUNTERS = 32
const MAX_CONSUMPTIONS = 2
const MAX_VALUE = 64
const MAX_OPTIONS = 10
const MAX_ATTRIBUTE_NAME = 63 + 1 + 32
const MAX_COUNTER_NAME = 63

const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

const DEVICE_ATTRIBUTE: Form = [
  ['int', 'IntValue', null],
  ['bool', 'BoolValue', null],
  ['string', 'StringValue', null],
  ['version', 'VersionValue', null],
  ['ints', 'IntValues', null],
  ['bools', 'BoolValues', null],
  ['strings', 'StringValues', null],
  ['versions', 'VersionValues', null],
]

type Flag = 'allNodes' | 'perDeviceNodeSelection'
type Choice = Pick<ResourceSliceSpec, 'nodeName' | 'nodeSelector' | Flag>

/** The node selections that are set, as the reference writes them. `emptyName`: the error for an empty name. */
export function chosenBy(part: Choice, emptyName: string, at: FieldPath<Choice>, check: Check): string[] {
  const chosen: string[] = []
  const { nodeName: name, nodeSelector } = part
  if (name === '') check.invalid(at.child('nodeName'), name, emptyName)
  else if (name !== undefined) {
    chosen.push('`nodeName`')
    check.format(at.child('nodeName'), name, dns1123Subdomain(name))
  }
  if (nodeSelector !== undefined) {
    chosen.push('`nodeSelector`')
    checkNodeSelector(nodeSelector, at.child('nodeSelector'), check)
  }
  return chosen
}

export function checkTrue(part: Choice, field: Flag, at: FieldPath<Choice>, check: Check): readonly string[] {
  if (part[field] === true) return [`\`${field}\``]
  if (part[field] === false) check.invalid(at.child(field), false, 'must be either unset or set to true')
  return []
}

const LISTS = ['bools', 'ints', 'strings', 'versions'] as const

function checkDevice(device: Device, old: Device | undefined, at: FieldPath<Device>, check: Check): void {
  checkDeviceName(device.name, at.child('name'), check)
  const attributes = entriesOf(device.attributes ?? {}).map(([, attribute]) => attribute)
  const itemsOf = (attribute: DeviceAttribute): number =>
    LISTS.reduce((sum, field) => sum + (attribute[field]?.length ?? 0), 0)
  const hasLists = attributes.some((attribute) => LISTS.some((field) => attribute[field] !== undefined))
  const capacities = Object.keys(device.capacity ?? {}).length
  const count = attributes.reduce((sum, attribute) => sum + Math.max(itemsOf(attribute), 1), capacities)
  if (count > MAX_ATTRIBUTES_AND_CAPACITIES) {
    const what = hasLists ? 'attribute entries(scalars and list items)' : 'attributes'
    check.invalid(
      at,
      count,
      `the total number of ${what} and capacities must not exceed ${MAX_ATTRIBUTES_AND_CAPACITIES}`,
    )
  }
  for (const [attribute, path] of checkedNames(device.attributes, at.child('attributes'), check)) {
    checkAttribute(attribute, path, check)
  }
  if (check.form.checksDevices && old !== undefined && equalValues(old.capacity, device.capacity)) return
  for (const [{ value, requestPolicy }, path] of checkedNames(device.capacity, at.child('capacity'), check)) {
    if (requestPolicy === undefined) continue
    const place = path.child('requestPolicy')
    if (device.allowMultipleAllocations === true) checkPolicy(requestPolicy, amountOf(value), place, check)
    else check.forbidden(place, 'allowMultipleAllocations must be true')
  }
}

/** Checks each name and yields its value. */
function* checkedNames<T extends Value>(
  values: MapOf<T> = {},
  at: FieldPath,
  check: Check,
): Generator<readonly [T, FieldPath]> {
  for (const [name, value] of entriesOf(values)) {
    checkAttributeName(name, at, check)
    yield [value, at.key(shortened(name, MAX_ATTRIBUTE_NAME))]
  }
}

function checkAttribute(attribute: DeviceAttribute, at: FieldPath, check: Check): void {
  const { string: text, version, strings = [], versions = [] } = attribute
  if (text !== undefined && longerThan(text, MAX_VALUE)) check.tooLong(at.child('string'), MAX_VALUE)
  if (version !== undefined) checkVersion(version, at.child('version'), check)
  const lists = at.child('list')
  strings.forEach((item, i) => {
    if (longerThan(item, MAX_VALUE)) check.tooLong(lists.child('strings').index(i), MAX_VALUE)
  })
  versions.forEach((item, i) => checkVersion(item, lists.child('versions').index(i), check))
  const given = ATTRIBUTE_VALUES.filter((field) => attribute[field] !== undefined)
  if (given.length === 1) return
  if (check.form.namesChoices) return refuseChoice(given, ATTRIBUTE_VALUES, at, check)
  const shown = given.length === 0 ? '' : shownAs(attribute, DEVICE_ATTRIBUTE)
  check.invalid(at, shown, 'exactly one value must be specified')
}

const ATTRIBUTE_VALUES = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'] as const

function checkVersion(version: string, at: FieldPath, check: Check): void {
  if (!SEMVER.test(version)) check.invalid(at, version, 'must be a string compatible with semver.org spec 2.0.0')
  if (longerThan(version, MAX_VALUE)) check.tooLong(at, MAX_VALUE)
}

function checkPolicy(policy: CapacityRequestPolicy, capacity: Quantity | undefined, at: FieldPath, check: Check): void {
  const { validValues: values = [], validRange: range } = policy
  if (values.length > 0 && range !== undefined) {
    const both = 'cannot specify "validValues" and "validRange" at the same time'
    check.forbidden(at, `exactly one policy can be specified, ${both}`)
    return
  }
  const field = values.length > 0 ? 'validValues' : 'validRange'
  if (values.length === 0 && range === undefined) return
  const usual = amountOf(policy.default)
  if (usual === undefined) check.required(at.child('default'), `required when ${field} is defined`)
  else if (capacity === undefined) return
  else if (range === undefined) checkOptions(values, { usual, capacity }, at.child(field), check)
  else checkRange(range, { usual, capacity }, at.child(field), check)
}

interface Amounts {
  /** The amount of a request that names no amount. */
  readonly usual: Quantity
  readonly capacity: Quantity
}

function checkOptions(values: readonly string[], { usual, capacity }: Amounts, at: FieldPath, check: Check): void {
  const options = values.flatMap((value) => amountOf(value) ?? [])
  for (const [i, option] of options.entries()) {
    const before = options[i - 1]
    if (before === undefined || compareQuantities(before, option) <= 0) continue
    check.invalid(at.index(i), formatQuantity(option), 'values must be sorted in ascending order')
  }
  if (options.length > MAX_OPTIONS) check.tooMany(at, options.length, MAX_OPTIONS)
  else {
    options.forEach((option, i) => {
      if (compareQuantities(option, capacity) <= 0) return
      const detail = `option is larger than capacity value: ${formatQuantity(capacity)}`
      check.invalid(at.index(i), formatQuantity(option), detail)
    })
    const seen = new Set<string>()
    const key = check.gate(FRACTIONS) ? decimalText : (option: Quantity): string => scaledValue(option, 0).toString()
    options.forEach((option, i) => check.unique(seen, key(option), at.index(i)))
  }
  if (!options.some((option) => compareQuantities(option, usual) === 0)) {
    check.invalid(at, formatQuantity(usual), 'default value is not valid according to the requestPolicy')
  }
}

/** Amounts of capacities may have fractions. */
const FRACTIONS = 'DRAFractionalCapacityRange'

/** The amount with its decimal places: amounts that differ in zeros at the end are different options in the reference. */
function decimalText(option: Quantity): string {
  return option.scale < 0 ? `${option.unscaled}e${option.scale}` : scaledValue(option, 0).toString()
}

function checkRange(
  range: CapacityRequestPolicyRange,
  { usual, capacity }: Amounts,
  at: FieldPath,
  check: Check,
): void {
  const [min, max, step] = [amountOf(range.min), amountOf(range.max), amountOf(range.step)]
  if (min === undefined) {
    check.required(at.child('min'), 'required when validRange is defined')
    return
  }
  const { checksDevices: isExact } = check.form
  const report = (field: string, shown: Quantity, why: string, bound: Quantity): void =>
    check.invalid(at.child(field), formatQuantity(shown), `${why}: ${formatQuantity(bound)}`)
  if (compareQuantities(min, capacity) > 0) report('min', min, 'min is larger than capacity value', capacity)
  if (compareQuantities(usual, min) < 0) report(isExact ? 'default' : 'min', usual, 'default is less than min', min)
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) report('max', min, 'min is larger than max', max)
    if (compareQuantities(max, capacity) > 0) report('max', max, 'max is larger than capacity value', capacity)
    if (compareQuantities(usual, max) > 0) report(isExact ? 'default' : 'max', usual, 'default is more than max', max)
  }
  const bounds = { default: usual, min, max, step }
  const hasFractions = check.gate(FRACTIONS) && Object.values(bounds).some(isFraction)
  if (hasFractions && !checkBounds(bounds, milliFault, at, check)) return
  if (step === undefined) return
  if (isExact && signOfQuantity(step) <= 0) {
    check.invalid(at.child('step'), formatQuantity(step), 'must be greater than zero')
    return
  }
  const first = addQuantities(min, step)
  if (compareQuantities(first, capacity) > 0) {
    report('step', step, `one step ${formatQuantity(first)} is larger than capacity value`, capacity)
  }
  if (isExact && !hasFractions && !checkBounds(bounds, int64Fault, at, check)) return
  const scale = hasFractions ? MILLI : 0
  const [width, start] = [scaledValue(step, scale), scaledValue(min, scale)]
  for (const value of [usual, max]) {
    if (value === undefined || width === 0n || (scaledValue(value, scale) - start) % width === 0n) continue
    const detail = `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`
    check.invalid(at.child('step'), formatQuantity(value), detail)
  }
}

const MILLI = -3
const MAX_INT64 = 2n ** 63n - 1n

type BoundFault = (bound: Quantity) => string | undefined

/** Reports the fault of each bound, and returns whether there is none. */
function checkBounds(
  bounds: Readonly<Record<string, Quantity | undefined>>,
  faultOf: BoundFault,
  at: FieldPath,
  check: Check,
): boolean {
  const faulty = Object.entries(bounds).flatMap(([field, bound]) => {
    const fault = bound === undefined ? undefined : faultOf(bound)
    return bound === undefined || fault === undefined ? [] : [{ field, bound, fault }]
  })
  for (const { field, bound, fault } of faulty) check.invalid(at.child(field), formatQuantity(bound), fault)
  return faulty.length === 0
}

const int64Fault: BoundFault = (bound) => {
  if (signOfQuantity(bound) < 0) return NOT_NEGATIVE
  return compareQuantities(bound, quantityOf(MAX_INT64, 'decimalSI')) > 0
    ? `must not be larger than ${MAX_INT64}`
    : undefined
}

const milliFault: BoundFault = (bound) => {
  const thousandths = scaledValue(bound, MILLI)
  const fits = thousandths <= MAX_INT64 && thousandths >= -MAX_INT64 - 1n
  const isSame = fits && compareQuantities(bound, milliQuantityOf(thousandths, 'decimalSI')) === 0
  return isSame ? undefined : 'value cannot be represented as a milli value'
}

function isFraction(bound: Quantity | undefined): boolean {
  return bound !== undefined && compareQuantities(bound, quantityOf(scaledValue(bound, 0), 'decimalSI')) !== 0
}

function checkUse(device: Device, isPerDevice: boolean, at: FieldPath<Device>, check: Check): void {
  checkList(device.consumesCounters ?? [], at.child('consumesCounters'), {
    check,
    max: MAX_CONSUMPTIONS,
    item: checkCounters,
    key: ({ counterSet }) => counterSet,
  })
  if (isPerDevice) {
    const chosen = chosenBy(device, 'must not be empty', at, check)
    chosen.push(...checkTrue(device, 'allNodes', at, check))
    const when = 'when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    const detail = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required ${when}`
    if (chosen.length === 0) check.required(at, detail)
    else if (chosen.length > 1) check.invalid(at, `{${chosen.join(', ')}}`, detail)
  } else if ((['nodeName', 'nodeSelector', 'allNodes'] as const).some((field) => device[field] !== undefined)) {
    const when = 'if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    check.invalid(at, undefined, `\`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set ${when}`)
  }
  checkBindingConditions(device, at, check)
  checkNodeResources(device, at, check)
}

export function checkCounters(part: CounterSet | DeviceCounterConsumption, at: FieldPath, check: Check): void {
  const [nameField, name] = 'name' in part ? ['name', part.name] : ['counterSet', part.counterSet]
  if (name === '') check.required(at.child(nameField))
  else check.format(at.child(nameField), name, dns1123Label(name))
  const names = Object.keys(part.counters ?? {})
  const place = at.child('counters')
  if (names.length === 0) check.required(place)
  else if (names.length > MAX_COUNTERS) check.tooMany(place, names.length, MAX_COUNTERS)
  else for (const counter of names) check.format(place, shortened(counter, MAX_COUNTER_NAME), dns1123Label(counter))
  if ('counterSet' in part) check.fields(part, at, 'resource.k8s.io_v1.DeviceCounterConsumption')
}

/** Long names are shown without their middle. */
function shortened(name: string, max: number): string {
  if (!longerThan(name, max)) return name
  const rest = max - 3
  return `${name.slice(0, Math.trunc((rest + 1) / 2))}...${name.slice(name.length - Math.trunc(rest / 2))}`
}

export function checkDevices(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined, check: Check): void {
  const { devices = [] } = spec
  const isSpecial = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  )
  const before = new Map(old?.devices?.map((device) => [device.name, device]))
  checkList(devices, SPEC.child('devices'), {
    check,
    max: isSpecial ? MAX_SPECIAL_DEVICES : MAX_DEVICES,
    item: (device, path) => {
      const { name, taints = [] } = device
      const same = before.get(name)
      checkDevice(device, same, path, check)
      if (same === undefined || !equalValues(same.taints, device.taints)) {
        checkList(taints, path.child('taints'), {
          check,
          max: MAX_TAINTS,
          item: (taint, place) => check.fields(taint, place, 'resource.k8s.io_v1.DeviceTaint'),
        })
      }
      checkUse(device, spec.perDeviceNodeSelection === true, path, check)
    },
    key: ({ name }) => name,
  })
}
