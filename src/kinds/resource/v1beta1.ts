// Version v1beta1 of resources: a request has the fields of `exactly` among its own fields, and a device has all fields except its name in
// `basic`.
import { mapOrAbsent, mapsOnly } from '../../api/members.ts'
import { membersOf, specOf, withMembers } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import type { Conversion } from '../../registry/registry.ts'
import type { StoredAs } from '../kind.ts'

/** The members of a request that are in `exactly` in version v1. */
const EXACT = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
  'derivedAttributes',
] as const

function isGiven(value: Value | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0
}

function withExactly(request: ValueMap): ValueMap {
  const exact = withMembers<ValueMap>({}, membersOf(request, ...EXACT))
  const bare = withMembers(request, Object.fromEntries(EXACT.map((name) => [name, undefined])))
  const isExact = own(request, 'firstAvailable') === undefined || Object.values(exact).some(isGiven)
  return isExact ? { ...bare, exactly: exact } : bare
}

function withoutExactly(request: ValueMap): ValueMap {
  const { exactly, ...rest } = request
  return { deviceClassName: '', ...rest, ...(isMap(exactly) ? exactly : {}) }
}

function withoutBasic({ name = '', basic }: ValueMap): ValueMap {
  return { ...(isMap(basic) ? basic : {}), name }
}

function withBasic({ name = '', ...basic }: ValueMap): ValueMap {
  return { name, basic }
}

/** The holder with every object of a list changed. */
function withEach(holder: ValueMap, list: string, change: (item: ValueMap) => ValueMap): ValueMap {
  return isList(own(holder, list)) ? { ...holder, [list]: mapsOnly(holder, list).map(change) } : holder
}

type SpecChange = (spec: ValueMap) => ValueMap

function inClaim(change: (request: ValueMap) => ValueMap): SpecChange {
  return (spec) => {
    const devices = mapOrAbsent(spec, 'devices')
    return devices === undefined ? spec : { ...spec, devices: withEach(devices, 'requests', change) }
  }
}

function inTemplate(change: SpecChange): SpecChange {
  return (spec) => {
    const inner = mapOrAbsent(spec, 'spec')
    return inner === undefined ? spec : { ...spec, spec: change(inner) }
  }
}

function storedAs(kind: string, toStored: SpecChange, fromStored: SpecChange): Readonly<Record<string, StoredAs>> {
  const named = (version: string, change: SpecChange) => (object: ApiObject) => ({
    ...object,
    apiVersion: `resource.k8s.io/${version}`,
    spec: change(specOf(object)),
  })
  const conversion: Conversion = {
    isIdentity: false,
    toStored: named('v1', toStored),
    fromStored: named('v1beta1', fromStored),
  }
  return { v1beta1: { kind: { group: 'resource.k8s.io', version: 'v1', kind }, conversion, hasStoredDefaults: true } }
}

export const CLAIM_V1BETA1 = storedAs('ResourceClaim', inClaim(withExactly), inClaim(withoutExactly))
export const TEMPLATE_V1BETA1 = storedAs(
  'ResourceClaimTemplate',
  inTemplate(inClaim(withExactly)),
  inTemplate(inClaim(withoutExactly)),
)
export const SLICE_V1BETA1 = storedAs(
  'ResourceSlice',
  (spec) => withEach(spec, 'devices', withoutBasic),
  (spec) => withEach(spec, 'devices', withBasic),
)
