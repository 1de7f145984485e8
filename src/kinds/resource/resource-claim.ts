// Resource claims. The status of a device is removed with its allocation.
import { type Shown, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { DeviceRequestAllocationResult, ResourceClaim, ResourceClaimTemplate } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { each, within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { formed, formOf, shownAs } from '../shared/internal-form.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { adminGuard, resultsOf } from './admin-access.ts'
import { checkClaimSpec, CLAIM_DEFAULTS, GATED_FIELDS, requestNames, tolerations } from './claim-spec.ts'
import { checkClaimStatus } from './claim-status.ts'
import { CLAIM_V1BETA1 } from './v1beta1.ts'

const SPEC = FieldPath.root<ResourceClaim['spec']>('spec')
const CLAIM_SPEC = 'resource.k8s.io_v1.ResourceClaimSpec'

type Claims = ResourceClaim | ResourceClaimTemplate

export function checkSameSpec(object: Claims, stored: Claims, check: Check): void {
  checkBuiltInMetaUpdate(object, stored, check)
  if (!equalValues(object.spec, stored.spec)) check.invalid(SPEC, shownSpec(object.spec), IMMUTABLE)
}

/** The spec as errors show it. The metadata of a template is inlined. */
function shownSpec(spec: Claims['spec']): Shown {
  if (!('spec' in spec)) return shownAs(spec, formOf(CLAIM_SPEC))
  return shownJson({ ...spec.metadata, Spec: formed(spec.spec, formOf(CLAIM_SPEC)) })
}

type Placed = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device' | 'shareID'>

function identityOf({ driver, pool, device, shareID = '' }: Placed): string {
  return [driver, pool, device, shareID].join('\n')
}

function withoutFreedDevices(claim: ResourceClaim, stored: ResourceClaim): ResourceClaim {
  const { status } = claim
  const { devices = [] } = status
  const held = new Set(resultsOf(claim).map(identityOf))
  const freed = new Set(resultsOf(stored).map(identityOf)).difference(held)
  const left = devices.filter((device) => !freed.has(identityOf(device)))
  if (left.length === devices.length) return claim
  return { ...claim, status: withMembers(status, { devices: left.length === 0 ? undefined : left }) }
}

function claimState({ metadata, status: { allocation, reservedFor = [] } }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp === undefined ? [] : ['deleted']
  if (allocation === undefined) return deleted[0] ?? 'pending'
  const reserved = reservedFor.length > 0 ? ['reserved'] : []
  return [...deleted, 'allocated', ...reserved].join(',')
}

const GATED = gatedFields(
  'resource.k8s.io_v1.ResourceClaim',
  ...GATED_FIELDS.map((path) => `spec/${path}`),
  'status/allocation/devices/results/*/skipNodeOperations',
)

export const RESOURCE_CLAIM: Kind = typedKind<ResourceClaim>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      checkClaimSpec(object.spec, SPEC, check)
    },
    update: checkSameSpec,
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        checkClaimStatus(object, stored, { check, names: requestNames(object.spec.devices) })
      },
    },
  },
  defaults: within({
    spec: CLAIM_DEFAULTS,
    status: within({ allocation: within({ devices: within({ results: each(within({ tolerations })) }) }) }),
  }),
  strategy: ({ find }) =>
    withGatedFields(GATED, {
      status: WITH_STATUS_ALONE,
      answersDeleteWithObject: true,
      prepareStatus: withoutFreedDevices,
      authorizeWrite: adminGuard('ResourceClaim', find),
    }),
  columns: tableOf([NAME, column('State', 'Whether the claim is allocated and in use.', claimState), AGE]),
  storedAs: CLAIM_V1BETA1,
})
