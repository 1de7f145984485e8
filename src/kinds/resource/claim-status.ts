// The status of resource claims: allocation, consumers, and the device status of drivers.
import { shownJson } from '../../api/field-error.ts'
import { jsonText } from '../../api/json-text.ts'
import { FieldPath } from '../../api/field-path.ts'
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
} from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { parseCidr } from '../../lib/ip-bits.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkConditions } from '../shared/conditions.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { checkConfiguration, checkReference, checkReferences, type ClaimScope } from './claim-spec.ts'
import {
  checkBindingConditions,
  checkDeviceName,
  checkList,
  checkOpaque,
  checkPoolName,
  checkShareId,
  checkToleration,
} from './device-names.ts'
import { checkSkipped } from './slice-options.ts'

const STATUS = FieldPath.root<ResourceClaim['status']>('status')
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

type Placed = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device' | 'shareID'>

/** The identity of an allocated device. */
function deviceId({ driver, pool, device, shareID = '' }: Placed): string {
  return `${driver}/${pool}/${device}${shareID === '' ? '' : `/${shareID}`}`
}

export function checkClaimStatus(object: ResourceClaim, stored: ResourceClaim, scope: ClaimScope): void {
  const { check } = scope
  const { allocation, reservedFor: users = [], devices = [] } = object.status
  const old = stored.status
  const place = STATUS.child('reservedFor')
  checkList(users, place, {
    check,
    max: MAX_USERS,
    item: (user, path) => check.fields(user, path, 'resource.k8s.io_v1.ResourceClaimConsumerReference'),
    key: ({ uid }) => uid,
  })
  const given = new Set(allocation?.devices.results?.map(deviceId))
  checkList(devices, STATUS.child('devices'), {
    check,
    item: (device, path) => checkDevice(device, given, path, check),
    key: deviceId,
  })
  if (users.length > 0 && allocation === undefined) {
    check.forbidden(place, 'may not be specified when `allocated` is not set')
  } else if (users.length > 0 && object.metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.reservedFor?.map((user) => jsonText(user)))
    if (users.some((user) => !before.has(jsonText(user)))) {
      const when = 'while `deallocationRequested` or `deletionTimestamp` are set'
      check.forbidden(place, `new entries may not be added ${when}`)
    }
  }
  if (allocation === undefined) return
  if (old.allocation === undefined) {
    check.part(object.status, 'allocation', STATUS, (part, at) => checkAllocation(part, at, scope))
  } else if (!equalValues(allocation, old.allocation)) {
    check.invalid(STATUS.child('allocation'), shownJson(allocation), IMMUTABLE)
  }
}

function checkAllocation(allocation: AllocationResult, at: FieldPath<AllocationResult>, scope: ClaimScope): void {
  const { check } = scope
  const { results = [], config = [] } = allocation.devices
  const place = at.child('devices')
  checkList(results, place.child('results'), {
    check,
    max: MAX_RESULTS,
    item: (result, path) => checkResult(result, path, scope),
  })
  checkList(config, place.child('config'), {
    check,
    max: MAX_CONFIGURATIONS,
    item: (config, path) => {
      check.fields(config, path, 'resource.k8s.io_v1.DeviceAllocationConfiguration', 'source')
      checkReferences(config, path, scope)
      checkConfiguration(config, path, check)
    },
  })
  check.part(allocation, 'nodeSelector', at, checkNodeSelector)
}

function checkResult(
  result: DeviceRequestAllocationResult,
  at: FieldPath<DeviceRequestAllocationResult>,
  scope: ClaimScope,
): void {
  const { check } = scope
  checkReference(result.request, at.child('request'), scope)
  checkPlace(result, at, check)
  checkBindingConditions(result, at, check)
  if (check.form.checksDevices) check.each(result, 'tolerations', at, checkToleration)
  checkShareId(result.shareID, at.child('shareID'), check)
  checkSkipped(result, 'resource.k8s.io_v1.DeviceRequestAllocationResult', at, check)
}

function checkPlace({ driver, pool, device }: Placed, at: FieldPath<Placed>, check: Check): void {
  checkDriverName(driver, at.child('driver'), check)
  checkPoolName(pool, at.child('pool'), check)
  checkDeviceName(device, at.child('device'), check)
}

function checkDevice(
  device: AllocatedDeviceStatus,
  given: ReadonlySet<string>,
  at: FieldPath<AllocatedDeviceStatus>,
  check: Check,
): void {
  checkPlace(device, at, check)
  checkShareId(device.shareID, at.child('shareID'), check)
  if (!given.has(deviceId(device))) {
    check.invalid(at, shownAs(device, DEVICE_ID), 'must be an allocated device in the claim')
  }
  const conditions = device.conditions ?? []
  if (conditions.length > MAX_CONDITIONS) check.tooMany(at.child('conditions'), conditions.length, MAX_CONDITIONS)
  checkConditions(conditions, at.child('conditions'), check)
  const { data = null } = device
  if (data !== null) checkOpaque(data, at.child('data'), check)
  check.part(device, 'networkData', at, checkNetwork)
}

function checkNetwork(network: NetworkDeviceData, at: FieldPath<NetworkDeviceData>, check: Check): void {
  check.fields(network, at, 'resource.k8s.io_v1.NetworkDeviceData')
  checkList(network.ips ?? [], at.child('ips'), {
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
