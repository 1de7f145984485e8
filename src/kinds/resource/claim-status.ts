// The status of resource claims: allocation, consumers, and the device status of drivers.
import { shownJson } from '../../api/field-error.ts'
import { jsonText } from '../../api/json-text.ts'
import { FieldPath } from '../../api/field-path.ts'
import {
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkConditions } from '../shared/conditions.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { parseCidr } from '../shared/ip-address.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { checkConfiguration, checkReference, checkReferences, type ClaimScope } from './claim-spec.ts'
import {
  checkBindingConditions,
  checkDeviceName,
  checkList,
  checkMaps,
  checkOpaque,
  checkPoolName,
  checkShareId,
} from './device-names.ts'

const STATUS = FieldPath.root('status')
const MAX_USERS = 256
const MAX_RESULTS = 32
const MAX_CONFIGURATIONS = 64
const MAX_CONDITIONS = 8
const MAX_ADDRESSES = 16

const DEVICE_ID: Form = [
  ['driver', 'Driver', ''],
  ['pool', 'Pool', ''],
  ['device', 'Device', ''],
  ['shareID', 'ShareID', ''],
]

/** The identity of an allocated device. */
function deviceId(device: ValueMap): string {
  const parts = ['driver', 'pool', 'device', 'shareID'].map((field) => textOrEmpty(device, field))
  return (parts[3] === '' ? parts.slice(0, 3) : parts).join('/')
}

export function checkClaimStatus(object: ValueMap, stored: ValueMap, scope: ClaimScope): void {
  const { check } = scope
  const status = mapOrEmpty(object, 'status')
  const old = mapOrEmpty(stored, 'status')
  const allocation = mapOrAbsent(status, 'allocation')
  const users = mapsInPlace(status, 'reservedFor')
  checkMaps(status, 'reservedFor', STATUS, {
    check,
    max: MAX_USERS,
    item: (user, path) => check.fields(user, path, 'resource.k8s.io_v1.ResourceClaimConsumerReference'),
    key: 'uid',
  })
  const results = mapsInPlace(mapOrEmpty(allocation ?? {}, 'devices'), 'results')
  const given = new Set(results.map(deviceId))
  checkList(mapsInPlace(status, 'devices'), STATUS.child('devices'), {
    check,
    item: (device, path) => checkDevice(device, given, path, check),
    key: deviceId,
  })
  const place = STATUS.child('reservedFor')
  if (users.length > 0 && allocation === undefined) {
    check.forbidden(place, 'may not be specified when `allocated` is not set')
  } else if (users.length > 0 && isGiven(mapOrEmpty(object, 'metadata'), 'deletionTimestamp')) {
    const before = new Set(mapsInPlace(old, 'reservedFor').map((user) => jsonText(user)))
    if (users.some((user) => !before.has(jsonText(user)))) {
      const when = 'while `deallocationRequested` or `deletionTimestamp` are set'
      check.forbidden(place, `new entries may not be added ${when}`)
    }
  }
  if (allocation === undefined) return
  const at = STATUS.child('allocation')
  if (!isGiven(old, 'allocation')) checkAllocation(allocation, at, scope)
  else if (!equalValues(allocation, old['allocation'])) check.invalid(at, shownJson(allocation), IMMUTABLE)
}

function checkAllocation(allocation: ValueMap, at: FieldPath, scope: ClaimScope): void {
  const { check } = scope
  const devices = mapOrEmpty(allocation, 'devices')
  const place = at.child('devices')
  checkMaps(devices, 'results', place, {
    check,
    max: MAX_RESULTS,
    item: (result, path) => checkResult(result, path, scope),
  })
  checkMaps(devices, 'config', place, {
    check,
    max: MAX_CONFIGURATIONS,
    item: (config, path) => {
      check.fields(config, path, 'resource.k8s.io_v1.DeviceAllocationConfiguration', 'source')
      checkReferences(config, path, scope)
      checkConfiguration(config, path, check)
    },
  })
  const selector = mapOrAbsent(allocation, 'nodeSelector')
  if (selector !== undefined) checkNodeSelector(selector, at.child('nodeSelector'), check)
}

function checkResult(result: ValueMap, at: FieldPath, scope: ClaimScope): void {
  const { check } = scope
  checkReference(textOrEmpty(result, 'request'), at.child('request'), scope)
  checkPlace(result, at, check)
  checkBindingConditions(result, at, check)
  checkShareId(textOrAbsent(result, 'shareID'), at.child('shareID'), check)
}

function checkPlace(device: ValueMap, at: FieldPath, check: Check): void {
  checkDriverName(textOrEmpty(device, 'driver'), at.child('driver'), check)
  checkPoolName(textOrEmpty(device, 'pool'), at.child('pool'), check)
  checkDeviceName(textOrEmpty(device, 'device'), at.child('device'), check)
}

function checkDevice(device: ValueMap, given: ReadonlySet<string>, at: FieldPath, check: Check): void {
  checkPlace(device, at, check)
  checkShareId(textOrAbsent(device, 'shareID'), at.child('shareID'), check)
  if (!given.has(deviceId(device))) {
    check.invalid(at, shownAs(device, DEVICE_ID), 'must be an allocated device in the claim')
  }
  const conditions = mapsInPlace(device, 'conditions')
  if (conditions.length > MAX_CONDITIONS) check.tooMany(at.child('conditions'), conditions.length, MAX_CONDITIONS)
  checkConditions(conditions, at.child('conditions'), check)
  if (isGiven(device, 'data')) checkOpaque(device['data'], at.child('data'), check)
  const network = mapOrAbsent(device, 'networkData')
  if (network !== undefined) checkNetwork(network, at.child('networkData'), check)
}

function checkNetwork(network: ValueMap, at: FieldPath, check: Check): void {
  check.fields(network, at, 'resource.k8s.io_v1.NetworkDeviceData')
  checkList(textsInPlace(network, 'ips'), at.child('ips'), {
    check,
    max: MAX_ADDRESSES,
    item: (address, path) => {
      const parsed = parseCidr(address)
      if (parsed !== undefined && !parsed.padded) return
      const detail = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'
      check.invalid(path, address, detail)
    },
    key: (address) => address,
  })
}
