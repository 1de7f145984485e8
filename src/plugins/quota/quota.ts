// The front door of quotas: which types a quota counts, and the usage of one object. The plugin for single requests uses these functions,
// and so does the controller that recalculates the usage of a namespace.
import type { Pod, ResourceQuota } from '../../api/gen/kinds.ts'
import { type ApiObject, formatGroupResource, type GroupResource } from '../../api/object.ts'
import type { Quantity } from '../../lib/quantity.ts'
import { type Amounts, amountsOf } from '../../api/amounts.ts'
import { containerAmounts, hasPodLevel } from '../../api/pod-resources.ts'
import { isInScopes } from './scopes.ts'
import { computeUsage, countedType, usageOf } from './usage.ts'

export { type LimitedResource, limitedRefusal } from './limited.ts'
export { hasDeadline } from './scopes.ts'

/** The types that resource names count, without duplicates. */
export function countedTypes(names: Iterable<string>): readonly GroupResource[] {
  const types = new Map<string, GroupResource>()
  for (const name of names) {
    const type = countedType(name)
    if (type !== undefined) types.set(formatGroupResource(type), type)
  }
  return [...types.values()]
}

/** The resource names that count objects of the type. */
export function namesAbout(names: Iterable<string>, { group, resource }: GroupResource): readonly string[] {
  return [...names].filter((name) => {
    const type = countedType(name)
    return type !== undefined && type.group === group && type.resource === resource
  })
}

export interface Counted {
  readonly type: GroupResource
  readonly object: ApiObject
  readonly nowMs: number
}

/** The amounts of the limited resources that an object uses. Undefined: the quota does not count the object. */
export function chargeOf(
  quota: ResourceQuota,
  limited: Iterable<string>,
  { type, object, nowMs }: Counted,
): Amounts | undefined {
  const names = namesAbout(limited, type)
  if (names.length === 0 || !isInScopes(quota, object)) return undefined
  const usage = usageOf(type, object, nowMs)
  const charge = new Map<string, Quantity>()
  for (const name of names) {
    const amount = usage.get(name)
    if (amount !== undefined) charge.set(name, amount)
  }
  return charge
}

export function hardOf({ status }: ResourceQuota): Amounts {
  return amountsOf(status.hard)
}

export function usedOf({ status }: ResourceQuota): Amounts {
  return amountsOf(status.used)
}

/** If a quota limits one of these resources, containers must specify it (W-459). */
const DEMANDED: readonly string[] = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** Lists the counted resources that containers do not specify: `must specify limits.cpu for: a,b; …`. Undefined: there are none. */
export function unspecifiedBy({ spec }: Pod, limited: readonly string[]): string | undefined {
  if (hasPodLevel(spec)) return undefined
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => ({
    name: container.name,
    said: computeUsage(containerAmounts(container, 'requests'), containerAmounts(container, 'limits')),
  }))
  const faults = DEMANDED.filter((name) => limited.includes(name))
    .toSorted()
    .flatMap((name) => {
      const silent = containers.filter(({ said }) => !said.has(name)).map((container) => container.name)
      return silent.length === 0 ? [] : [`${name} for: ${silent.toSorted().join(',')}`]
    })
  return faults.length === 0 ? undefined : `must specify ${faults.join('; ')}`
}
