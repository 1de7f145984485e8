// Requests for the status of resource pools. By default, the kind is not served. A request is answered once, in its status.
import { FieldPath } from '../../api/field-path.ts'
import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from '../../api/gen/kinds.ts'
import { column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { ageOf, type Now } from '../../codec/tables/elapsed.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { stateOf } from '../shared/condition-column.ts'
import { checkConditions } from '../shared/conditions.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkFullAttributeName, checkPoolName } from './device-names.ts'

type Request = ResourcePoolStatusRequest

const SPEC = FieldPath.root<ResourcePoolStatusRequestSpec>('spec')
const STATUS = FieldPath.root<ResourcePoolStatusRequestStatus>('status')
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

function checkSpec({ spec }: Request, check: Check, stored?: Request): void {
  // A stored spec cannot change.
  if (stored !== undefined) return check.unchanged(SPEC, spec, stored.spec)
  const { driver, poolName, limit = DEFAULT_LIMIT, defaultPartitionTypeAttribute: attribute } = spec
  checkName(driver, SPEC.child('driver'), check)
  if (poolName !== undefined) checkPoolName(poolName, SPEC.child('poolName'), check)
  if (limit < 1) check.invalid(SPEC.child('limit'), limit, 'must be greater than or equal to 1')
  if (limit > MAX_LIMIT) check.invalid(SPEC.child('limit'), limit, `must be less than or equal to ${MAX_LIMIT}`)
  if (attribute !== undefined) checkFullAttributeName(attribute, SPEC.child('defaultPartitionTypeAttribute'), check)
}

/** A DNS subdomain. Capital letters are allowed. */
function checkName(name: string, at: FieldPath, check: Check): void {
  if (name === '') check.required(at)
  else check.format(at, name, dns1123Subdomain(name.toLowerCase()))
}

function checkStatus({ status }: Request, { status: before }: Request, check: Check): void {
  if (before !== undefined) return check.unchanged(STATUS, status, before)
  if (status === undefined) return
  const { pools = [], conditions = [] } = status
  check.fields(status, STATUS, 'resource.k8s.io_v1alpha3.ResourcePoolStatusRequestStatus')
  pools.forEach((pool, i) => checkPool(pool, STATUS.child('pools').index(i), check))
  checkConditions(conditions, STATUS.child('conditions'), check)
}

function checkPool(pool: PoolStatus, at: FieldPath<PoolStatus>, check: Check): void {
  checkName(pool.driver ?? '', at.child('driver'), check)
  checkPoolName(pool.poolName ?? '', at.child('poolName'), check)
  check.fields(pool, at, 'resource.k8s.io_v1alpha3.PoolStatus')
  const seen = new Set<string>()
  for (const [i, part] of (pool.partitionSummary ?? []).entries()) {
    const place = at.child('partitionSummary').index(i)
    check.fields(part, place, 'resource.k8s.io_v1alpha3.PartitionTypeStatus')
    check.unique(seen, `${part.attribute} ${part.type}`, place)
  }
  const { shareableSummary: shared } = pool
  if (shared === undefined) return
  const place = at.child('shareableSummary')
  check.fields(shared, place, 'resource.k8s.io_v1alpha3.ShareableSummaryStatus')
  for (const [i, capacity] of (shared.capacity ?? []).entries()) {
    check.fields(capacity, place.child('capacity').index(i), 'resource.k8s.io_v1alpha3.ShareableCapacityStatus')
  }
}

type Count = 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices'

/** A sum over the pools of an answer. `-`: the request has no answer, or failed. */
function overPools(count: (pool: PoolStatus) => number): (request: Request) => string {
  return (request) => {
    const { status } = request
    if (status === undefined || state(request) === 'Failed') return '-'
    return String((status.pools ?? []).reduce((sum, pool) => sum + count(pool), 0))
  }
}

function poolSum(field: Count): (request: Request) => string {
  return overPools((pool) => pool[field] ?? 0)
}

function state(request: Request): string {
  return stateOf(request, ['Complete', 'Failed'], 'Pending')
}

function shownState(request: Request): string {
  const [shown, { status }] = [state(request), request]
  const [count, all] = [status?.pools?.length ?? 0, status?.poolCount ?? 0]
  return shown === 'Complete' && all > count ? `Complete (${count}/${all} pools)` : shown
}

function completed({ status }: Request, now: Now): string {
  const condition = status?.conditions?.find((one) => one.type === 'Complete' && one.status === 'True')
  return condition === undefined ? '<none>' : ageOf(condition.lastTransitionTime ?? '', now)
}

export const RESOURCE_POOL_STATUS_REQUEST: Kind = typedKind<Request>({
  validation: builtInRules({ object: checkSpec, status: checkStatus }),
  defaults: within({ spec: within({ limit: absent(DEFAULT_LIMIT) }) }),
  strategy: withGatedFields(
    gatedFields('resource.k8s.io_v1alpha3.ResourcePoolStatusRequest', 'spec/defaultPartitionTypeAttribute'),
    { status: WITH_STATUS_ALONE, conditionalUpdate: true, answersDeleteWithObject: true },
  ),
  columns: tableOf([
    NAME,
    column('Driver', 'The driver of the pools.', ({ spec }) => spec.driver),
    column('Total', 'The number of devices.', poolSum('totalDevices')),
    column('Available', 'The number of free devices.', poolSum('availableDevices')),
    column('Allocated', 'The number of allocated devices.', poolSum('allocatedDevices')),
    column('Unavailable', 'The number of unavailable devices.', poolSum('unavailableDevices')),
    column(
      'Errors',
      'The number of invalid pools.',
      overPools(({ validationError }) => Number(validationError !== undefined)),
    ),
    integer('Pools', 'The number of pools.', ({ status }) => status?.poolCount ?? 0),
    column('Status', 'Whether the request was answered.', shownState),
    column('Completed', 'The time since the request was answered.', completed),
  ]),
})
