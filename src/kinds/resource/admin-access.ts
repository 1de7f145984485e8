// Admin access to devices needs a label on the namespace.
import { forbidden } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { invalidError } from '../../api/invalid-error.ts'
import { isTrue, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import { labelsOf, metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { getObject } from '../../registry/read.ts'
import type { Strategy } from '../../registry/registry.ts'
import type { FindResource } from '../needs.ts'

const GROUP = 'resource.k8s.io'
const LABEL = 'resource.kubernetes.io/admin-access'
const NEEDS_LABEL = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`

export function adminGuard(kind: string, find: FindResource): NonNullable<Strategy['authorizeWrite']> {
  return async ({ object, stored }, { namespace: name, signal }, parts) => {
    const at = stored === undefined ? askedIn(object) : grantedIn(object, stored)
    const resource = find('', 'namespaces')
    if (at === undefined || resource === undefined) return
    const place = { resource, namespace: '' }
    const namespace = await getObject(parts, place, { name, at: { kind: 'latest' } }, signal)
    if (textOrEmpty(labelsOf(namespace.object()), LABEL) === 'true') return
    throw invalidError({ group: GROUP, kind }, metaText(object, 'name'), [forbidden(at, NEEDS_LABEL)])
  }
}

/** The request for admin access in a new claim or template; the spec is immutable after that. */
function askedIn(object: ApiObject): FieldPath | undefined {
  const spec = mapOrEmpty(object, 'spec')
  const claim = mapOrEmpty(Object.hasOwn(spec, 'spec') ? mapOrEmpty(spec, 'spec') : spec, 'devices')
  const index = mapsInPlace(claim, 'requests').findIndex((request) =>
    isTrue(mapOrEmpty(request, 'exactly'), 'adminAccess'),
  )
  const at = FieldPath.root('spec').child('devices').child('requests')
  return index === -1 ? undefined : at.index(index).child('adminAccess')
}

/** The first result in a status that grants it, unless the stored status does too. */
function grantedIn(object: ApiObject, stored: ApiObject): FieldPath | undefined {
  const index = resultsOf(object).findIndex(isGranted)
  if (index === -1 || resultsOf(stored).some(isGranted)) return undefined
  const at = FieldPath.root('status').child('allocation').child('devices').child('results')
  return at.index(index).child('adminAccess')
}

function isGranted(result: ValueMap): boolean {
  return isTrue(result, 'adminAccess')
}

export function resultsOf(claim: ApiObject): readonly ValueMap[] {
  return mapsInPlace(mapOrEmpty(mapOrEmpty(mapOrEmpty(claim, 'status'), 'allocation'), 'devices'), 'results')
}
