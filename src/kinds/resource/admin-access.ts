// Access to devices as their administrator is for namespaces that say so.
import { forbidden } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { invalidError } from '../../api/invalid-error.ts'
import type { ApiObject } from '../../api/object.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { metaOf, metaText } from '../../registry/object-meta.ts'
import { getObject } from '../../registry/read.ts'
import type { Strategy } from '../../registry/registry.ts'
import { textOf } from '../../schema/validation/members.ts'
import type { FindResource } from '../needs.ts'
import { mapIn, mapsIn } from '../shared/members.ts'

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

export function resultsOf(claim: ApiObject): readonly ValueMap[] {
  return mapsIn(mapIn(mapIn(mapIn(claim, 'status'), 'allocation'), 'devices'), 'results')
}
