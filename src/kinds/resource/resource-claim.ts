// Resource claims. The status of a device is removed with its allocation.
import { type Shown, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrEmpty, mapsOnly, textOrEmpty } from '../../api/members.ts'
import { specOf, withMembers } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, listAt } from '../../codec/tables/reading.ts'
import { each, within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { formed, formOf, shownAs } from '../shared/internal-form.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { adminGuard, resultsOf } from './admin-access.ts'
import { checkClaimSpec, CLAIM_DEFAULTS, requestNames, tolerations } from './claim-spec.ts'
import { checkClaimStatus } from './claim-status.ts'

const SPEC = FieldPath.root('spec')
const CLAIM_SPEC = 'resource.k8s.io_v1.ResourceClaimSpec'

export function checkSameSpec(object: ValueMap, stored: ValueMap, check: Check): void {
  checkBuiltInMetaUpdate(object, stored, check)
  if (!equalValues(object['spec'], stored['spec'])) check.invalid(SPEC, shownSpec(specOf(object)), IMMUTABLE)
}

/** The spec of a claim, or of a template, whose metadata is inlined. */
function shownSpec(spec: ValueMap): Shown {
  if (!isGiven(spec, 'spec')) return shownAs(spec, formOf(CLAIM_SPEC))
  return shownJson({ ...mapOrEmpty(spec, 'metadata'), Spec: formed(spec['spec'], formOf(CLAIM_SPEC)) })
}

function identityOf(device: ValueMap): string {
  return ['driver', 'pool', 'device', 'shareID'].map((name) => textOrEmpty(device, name)).join('\n')
}

function withoutFreedDevices(claim: ApiObject, stored: ApiObject): ApiObject {
  const status = mapOrEmpty(claim, 'status')
  const devices = mapsOnly(status, 'devices')
  const held = new Set(resultsOf(claim).map(identityOf))
  const freed = new Set(resultsOf(stored).map(identityOf)).difference(held)
  const left = devices.filter((device) => !freed.has(identityOf(device)))
  if (left.length === devices.length) return claim
  return { ...claim, status: withMembers(status, { devices: left.length === 0 ? undefined : left }) }
}

function claimState(claim: ValueMap): string {
  const deleted = at(claim, 'metadata', 'deletionTimestamp') === undefined ? [] : ['deleted']
  if (at(claim, 'status', 'allocation') === undefined) return deleted[0] ?? 'pending'
  const reserved = listAt(claim, 'status', 'reservedFor').length > 0 ? ['reserved'] : []
  return [...deleted, 'allocated', ...reserved].join(',')
}

export const RESOURCE_CLAIM: Kind = {
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkClaimSpec(specOf(object), SPEC, check)
    },
    update: checkSameSpec,
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        checkClaimStatus(object, stored, { check, names: requestNames(mapOrEmpty(specOf(object), 'devices')) })
      },
    },
  },
  defaults: within({
    spec: CLAIM_DEFAULTS,
    status: within({ allocation: within({ devices: within({ results: each(within({ tolerations })) }) }) }),
  }),
  strategy: ({ find }) => ({
    status: WITH_STATUS_ALONE,
    answersDeleteWithObject: true,
    prepareStatus: withoutFreedDevices,
    authorizeWrite: adminGuard('ResourceClaim', find),
  }),
  columns: tableOf([NAME, column('State', 'Whether it is allocated and in use.', claimState), AGE]),
  olderVersions: { 'resource.k8s.io/v1beta2': 'same' },
}
