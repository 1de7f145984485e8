// Defaults of pod-level resources, from the resources of the containers and from the limits of the pod.
import { mapOrEmpty, mapsOnly, quantityOrAbsent } from '../../../api/members.ts'
import { isMap, type Value, type ValueMap } from '../../../api/value.ts'
import { addQuantities, compareQuantities, formatQuantity, type Quantity } from '../../../lib/quantity.ts'
import { type Rule, withMember } from '../../../schema/defaults/rule.ts'
import { isHugePages } from '../resource-names.ts'

type Amounts = Map<string, Quantity>

export const podLevelResources: Rule = (given) => {
  if (!isMap(given) || !isMap(given['resources'])) return given
  return withMember(given, 'resources', withRequests(given, withHugePageLimits(given, given['resources'])))
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory'
}

function withHugePageLimits(spec: ValueMap, resources: ValueMap): ValueMap {
  const [limits, requests] = [mapOrEmpty(resources, 'limits'), mapOrEmpty(resources, 'requests')]
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return resources
  const added: Record<string, Value> = {}
  for (const [name, amount] of aggregate(spec, 'limits')) {
    const open = !Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)
    if (isHugePages(name) && open) added[name] = formatQuantity(amount)
  }
  return withAmounts(resources, 'limits', added)
}

function withRequests(spec: ValueMap, resources: ValueMap): ValueMap {
  const [limits, requests] = [mapOrEmpty(resources, 'limits'), mapOrEmpty(resources, 'requests')]
  if (Object.keys(limits).length === 0) return resources
  const added: Record<string, Value> = {}
  for (const [name, amount] of aggregate(spec, 'requests')) {
    if (isCpuOrMemory(name) && !Object.hasOwn(requests, name)) added[name] = formatQuantity(amount)
  }
  for (const name of Object.keys(limits)) {
    const open = !Object.hasOwn(requests, name) && !Object.hasOwn(added, name)
    if ((isCpuOrMemory(name) || isHugePages(name)) && open) added[name] = limits[name]!
  }
  return withAmounts(resources, 'requests', added)
}

function withAmounts(resources: ValueMap, kind: string, added: ValueMap): ValueMap {
  if (Object.keys(added).length === 0) return resources
  return withMember(resources, kind, { ...mapOrEmpty(resources, kind), ...added })
}

/** What all containers need at once: the sum of those that run side by side, or the most that an init container and sidecars need. */
export function aggregate(spec: ValueMap, kind: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map()
  for (const container of mapsOnly(spec, 'containers')) add(total, amountsOf(container, kind))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of mapsOnly(spec, 'initContainers')) {
    const amounts = amountsOf(container, kind)
    if (container['restartPolicy'] === 'Always') {
      add(total, amounts)
      add(sidecars, amounts)
      raise(starting, sidecars)
    } else {
      const needed = new Map(amounts)
      add(needed, sidecars)
      raise(starting, needed)
    }
  }
  raise(total, starting)
  return total
}

function amountsOf(container: ValueMap, kind: string): Amounts {
  const given = mapOrEmpty(mapOrEmpty(container, 'resources'), kind)
  const amounts: Amounts = new Map()
  for (const name of Object.keys(given)) {
    const amount = quantityOrAbsent(given, name)
    if (amount !== undefined) amounts.set(name, amount)
  }
  return amounts
}

function add(target: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = target.get(name)
    target.set(name, before === undefined ? amount : addQuantities(before, amount))
  }
}

function raise(target: Amounts, other: Amounts): void {
  for (const [name, amount] of other) {
    const before = target.get(name)
    if (before === undefined || compareQuantities(amount, before) > 0) target.set(name, amount)
  }
}
