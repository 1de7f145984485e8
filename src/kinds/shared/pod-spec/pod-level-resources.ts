// Resources that a pod asks for as a whole: what is left open follows from its containers and from its own limits.
import { mapOrEmpty, mapsOnly } from '../../../api/members.ts'
import { isMap, setOwn, type Value, type ValueMap } from '../../../api/value.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../../../lib/quantity.ts'
import { type Rule, withMember } from '../../../schema/defaults/rule.ts'

type Amounts = Map<string, Quantity>

export const podLevelResources: Rule = (given) => {
  if (!isMap(given) || !isMap(given['resources'])) return given
  const before = given['resources']
  const withLimits = hugePageLimits(given, before)
  return withMember(given, 'resources', requestsFor(given, withLimits))
}

function isHugePage(name: string): boolean {
  return name.startsWith('hugepages-')
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePage(name)
}

function hugePageLimits(spec: ValueMap, resources: ValueMap): ValueMap {
  const limits = mapOrEmpty(resources, 'limits')
  const requests = mapOrEmpty(resources, 'requests')
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return resources
  const added: Record<string, Value> = {}
  for (const [name, amount] of aggregate(spec, 'limits')) {
    const open = !Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)
    if (isHugePage(name) && open) setOwn(added, name, formatQuantity(amount))
  }
  return Object.keys(added).length === 0 ? resources : withMember(resources, 'limits', { ...limits, ...added })
}

function requestsFor(spec: ValueMap, resources: ValueMap): ValueMap {
  const limits = mapOrEmpty(resources, 'limits')
  if (Object.keys(limits).length === 0) return resources
  const requests = mapOrEmpty(resources, 'requests')
  const added: Record<string, Value> = {}
  for (const [name, amount] of aggregate(spec, 'requests')) {
    const counts = isPodLevel(name) && !isHugePage(name)
    if (counts && !Object.hasOwn(requests, name)) setOwn(added, name, formatQuantity(amount))
  }
  for (const [name, amount] of Object.entries(limits)) {
    const open = !Object.hasOwn(requests, name) && !Object.hasOwn(added, name)
    if (isPodLevel(name) && open) setOwn(added, name, amount)
  }
  return Object.keys(added).length === 0 ? resources : withMember(resources, 'requests', { ...requests, ...added })
}

/**
 * What all containers need at once: those that run side by side add up, and one that runs before the others needs its
 * own amount beside the sidecars started before it.
 */
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
  const resources = mapOrEmpty(container, 'resources')
  const amounts: Amounts = new Map()
  for (const [name, text] of Object.entries(mapOrEmpty(resources, kind))) {
    const parsed = typeof text === 'string' ? parseQuantity(text) : undefined
    if (parsed?.ok === true) amounts.set(name, parsed.quantity)
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
