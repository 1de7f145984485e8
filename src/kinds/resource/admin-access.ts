// Admin access to devices needs a label on the namespace.
import { forbidden } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { DeviceRequestAllocationResult, ResourceClaim, ResourceClaimTemplate } from '../../api/gen/kinds.ts'
import { invalidError } from '../../api/invalid-error.ts'
import { isKind } from '../../api/kind-guard.ts'
import { own } from '../../api/value.ts'
import { getObject } from '../../registry/read.ts'
import type { Strategy } from '../../registry/registry.ts'
import type { FindResource } from '../needs.ts'

const GROUP = 'resource.k8s.io'
const LABEL = 'resource.kubernetes.io/admin-access'
const NEEDS_LABEL = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`

type Claims = ResourceClaim | ResourceClaimTemplate

export function adminGuard(kind: string, find: FindResource): NonNullable<Strategy<Claims>['authorizeWrite']> {
  return async ({ object, stored }, { namespace: name, signal }, parts) => {
    const at = stored === undefined ? askedIn(object.spec) : grantedIn(object, stored)
    const resource = find('', 'namespaces')
    if (at === undefined || resource === undefined) return
    const place = { resource, namespace: '' }
    const namespace = (await getObject(parts, place, { name, at: { kind: 'latest' } }, signal)).object()
    if (isKind(namespace, 'core_v1.Namespace') && own(namespace.metadata.labels ?? {}, LABEL) === 'true') return
    throw invalidError({ group: GROUP, kind }, object.metadata.name ?? '', [forbidden(at, NEEDS_LABEL)])
  }
}

/** The place of the request for admin access in a new claim or template. Later, the spec is immutable. */
function askedIn(spec: Claims['spec']): FieldPath | undefined {
  const { devices } = 'spec' in spec ? spec.spec : spec
  const index = (devices.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true)
  const at = FieldPath.root('spec').child('devices').child('requests')
  return index === -1 ? undefined : at.index(index).child('adminAccess')
}

/** The place of the first result in the status that grants admin access. Undefined if the stored status grants it too. */
function grantedIn(object: Claims, stored: Claims): FieldPath | undefined {
  const index = resultsOf(object).findIndex(isGranted)
  if (index === -1 || resultsOf(stored).some(isGranted)) return undefined
  const at = FieldPath.root('status').child('allocation').child('devices').child('results')
  return at.index(index).child('adminAccess')
}

function isGranted({ adminAccess }: DeviceRequestAllocationResult): boolean {
  return adminAccess === true
}

export function resultsOf(claim: Claims): readonly DeviceRequestAllocationResult[] {
  return ('status' in claim ? claim.status.allocation?.devices.results : undefined) ?? []
}
