// The front door of quotas: which types a quota counts, and what one object takes of it. The plugin asks it for single
// requests, the loop that counts anew for all objects of a namespace.
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import { type ApiObject, formatGroupResource, type GroupResource } from '../../api/object.ts'
import type { Quantity } from '../../lib/quantity.ts'
import { type Amounts, amountsIn } from '../amounts.ts'
import { containerAmounts, hasPodLevel } from '../pod-resources.ts'
import { isInScopes } from './scopes.ts'
import { computeUsage, countedType, usageOf } from './usage.ts'

export { type LimitedResource, limitedRefusal } from './limited.ts'
export { hasDeadline } from './scopes.ts'

/** The types that the names are about, each once. */
export function countedTypes(names: Iterable<string>): readonly GroupResource[] {
  const types = new Map<string, GroupResource>()
  for (const name of names) {
    const type = countedType(name)
    if (type !== undefined) types.set(formatGroupResource(type), type)
  }
  return [...types.values()]
}

/** Those of the names that are about objects of the type. */
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

/** What an object takes of what the quota limits; undefined where the quota is not about it. */
export function chargeOf(
  quota: ApiObject,
  limited: Iterable<string>,
  { type, object, nowMs }: Counted,
): Amounts | undefined {
  const names = namesAbout(limited, type)
  if (names.length === 0 || !isInScopes(quota, type, object)) return undefined
  const usage = usageOf(type, object, nowMs)
  const charge = new Map<string, Quantity>()
  for (const name of names) {
    const amount = usage.get(name)
    if (amount !== undefined) charge.set(name, amount)
  }
  return charge
}

export function hardOf(quota: ApiObject): Amounts {
  return amountsIn(mapOrEmpty(quota, 'status'), 'hard')
}

export function usedOf(quota: ApiObject): Amounts {
  return amountsIn(mapOrEmpty(quota, 'status'), 'used')
}

/** Who counts these demands that containers say them; the reference regrets it and keeps it (W-459). */
const DEMANDED: readonly string[] = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** What containers of a pod do not say though a quota counts it: `must specify limits.cpu for: a,b; …`. */
export function unspecifiedBy(pod: ApiObject, limited: readonly string[]): string | undefined {
  const spec = specOf(pod)
  if (hasPodLevel(spec)) return undefined
  const containers = [...mapsOnly(spec, 'containers'), ...mapsOnly(spec, 'initContainers')].map((container) => ({
    name: textOrEmpty(container, 'name'),
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
