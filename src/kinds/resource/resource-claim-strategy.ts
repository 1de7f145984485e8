// Claims of devices: what a device said of itself goes with its allocation, and access to devices as their administrator is for
// namespaces that say so.
import { forbidden } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { invalidError } from '../../api/invalid-error.ts'
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { own } from '../../api/value.ts'
import { metaOf, metaText } from '../../registry/object-meta.ts'
import { getObject } from '../../registry/read.ts'
import type { Strategy } from '../../registry/registry.ts'
import type { FindResource, KindNeeds } from '../needs.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, mapsIn, withMembers } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'

const GROUP = 'resource.k8s.io'
const LABEL = 'resource.kubernetes.io/admin-access'
const NEEDS_LABEL = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`

/** Of a claim. */
export function claimStrategy({ find }: KindNeeds): KindStrategy {
  return {
    prepareStatus: (claim, stored) => withoutFreedDevices(claim, stored),
    authorizeWrite: adminGuard('ResourceClaim', find),
  }
}

/** Of a template of claims. */
export function claimTemplateStrategy({ find }: KindNeeds): KindStrategy {
  return { authorizeWrite: adminGuard('ResourceClaimTemplate', find) }
}

function adminGuard(kind: string, find: FindResource): NonNullable<Strategy['authorizeWrite']> {
  return async ({ object, stored }, { namespace: name, signal }, parts) => {
    const at = stored === undefined ? askedIn(object) : grantedIn(object, stored)
    const resource = find('', 'namespaces')
    if (at === undefined || resource === undefined) return
    const place = { resource, namespace: '' }
    const namespace = await getObject(parts, place, { name, at: { kind: 'latest' } }, signal)
    if (textOf(mapIn(metaOf(namespace.object()), 'labels'), LABEL) === 'true') return
    throw invalidError({ group: GROUP, kind }, metaText(object, 'name'), [forbidden(at, NEEDS_LABEL)])
  }
}

/** Where a new claim, or a template of one, asks for it; what is there already cannot change. */
function askedIn(object: ApiObject): FieldPath | undefined {
  const spec = mapIn(object, 'spec')
  const claim = mapIn(Object.hasOwn(spec, 'spec') ? mapIn(spec, 'spec') : spec, 'devices')
  const index = mapsIn(claim, 'requests').findIndex((request) => own(mapIn(request, 'exactly'), 'adminAccess') === true)
  const at = FieldPath.root('spec').child('devices').child('requests')
  return index === -1 ? undefined : at.index(index).child('adminAccess')
}

/** Where a status grants it for the first time. */
function grantedIn(object: ApiObject, stored: ApiObject): FieldPath | undefined {
  const index = resultsOf(object).findIndex(isGranted)
  if (index === -1 || resultsOf(stored).some(isGranted)) return undefined
  const at = FieldPath.root('status').child('allocation').child('devices').child('results')
  return at.index(index).child('adminAccess')
}

function isGranted(result: ValueMap): boolean {
  return own(result, 'adminAccess') === true
}

function resultsOf(claim: ApiObject): readonly ValueMap[] {
  return mapsIn(mapIn(mapIn(mapIn(claim, 'status'), 'allocation'), 'devices'), 'results')
}

function identityOf(device: ValueMap): string {
  return ['driver', 'pool', 'device', 'shareID'].map((name) => textOf(device, name)).join('\n')
}

function withoutFreedDevices(claim: ApiObject, stored: ApiObject): ApiObject {
  const status = mapIn(claim, 'status')
  const devices = mapsIn(status, 'devices')
  const held = new Set(resultsOf(claim).map(identityOf))
  const freed = new Set(resultsOf(stored).map(identityOf)).difference(held)
  const left = devices.filter((device) => !freed.has(identityOf(device)))
  if (left.length === devices.length) return claim
  return { ...claim, status: withMembers(status, { devices: left.length === 0 ? undefined : left }) }
}
