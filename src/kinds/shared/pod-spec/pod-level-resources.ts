// Defaults of pod-level resources, from the resources of the containers and from the limits of the pod.
import type { Container, PodSpec, ResourceRequirements } from '../../../api/gen/kinds.ts'
import { entriesOf } from '../../../api/value.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../../../lib/quantity.ts'
import type { OwnRule } from '../../../schema/defaults/rule.ts'
import { isHugePages } from '../resource-names.ts'

type Amounts = Map<string, Quantity>

export const podLevelResources: OwnRule<PodSpec> = (given) => {
  if (given?.resources === undefined) return given
  const limited = withHugePageLimits(given, given.resources)
  const resources = Object.keys(limited.limits ?? {}).length === 0 ? limited : withRequests(given, limited)
  return resources === given.resources ? given : { ...given, resources }
}

/**
 * The same defaults for a pod that has all of its containers. Requests are also set if there are no limits. Limits follow from the limits
 * of all containers.
 */
export function withPodLevelResources(spec: PodSpec): PodSpec {
  const { resources: given } = spec
  if (given === undefined || !hasAmounts(given)) return spec
  const resources = withLimits(spec, withRequests(spec, withHugePageLimits(spec, given)))
  return resources === given ? spec : { ...spec, resources }
}

/** Whether the pod itself has requests or limits of resources that pods may have. */
export function hasPodLevelResources({ resources: { requests, limits } = {} }: PodSpec): boolean {
  return [...entriesOf(requests ?? {}), ...entriesOf(limits ?? {})].some(([name]) => isPodLevel(name))
}

function hasAmounts({ requests, limits }: ResourceRequirements): boolean {
  return Object.keys(requests ?? {}).length > 0 || Object.keys(limits ?? {}).length > 0
}

function isPodLevel(name: string): boolean {
  return isCpuOrMemory(name) || isHugePages(name)
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory'
}

function withHugePageLimits(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return resources
  const added: Record<string, string> = {}
  for (const [name, amount] of aggregate(spec, 'limits')) {
    const open = !Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)
    if (isHugePages(name) && open) added[name] = formatQuantity(amount)
  }
  return withAmounts(resources, 'limits', added)
}

function withRequests(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  const added: Record<string, string> = {}
  for (const [name, amount] of aggregate(spec, 'requests')) {
    if (isCpuOrMemory(name) && !Object.hasOwn(requests, name)) added[name] = formatQuantity(amount)
  }
  for (const [name, limit] of entriesOf(limits)) {
    const open = !Object.hasOwn(requests, name) && !Object.hasOwn(added, name)
    if (isPodLevel(name) && open) added[name] = limit
  }
  return withAmounts(resources, 'requests', added)
}

/** If every container has a limit, the pod gets the sum of the limits, but at least its request. */
function withLimits(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const sums = aggregate(spec, 'limits')
  const added: Record<string, string> = {}
  for (const [name, text] of entriesOf(requests)) {
    const sum = sums.get(name)
    const isOpen = isPodLevel(name) && !Object.hasOwn(limits, name) && sum !== undefined
    if (!isOpen || !containers.every((one) => Object.hasOwn(one.resources.limits ?? {}, name))) continue
    const request = parseQuantity(text)
    const isAbove = request.ok && compareQuantities(request.quantity, sum) > 0
    added[name] = isAbove ? text : formatQuantity(sum)
  }
  return withAmounts(resources, 'limits', added)
}

function withAmounts(
  resources: ResourceRequirements,
  kind: 'requests' | 'limits',
  added: Readonly<Record<string, string>>,
): ResourceRequirements {
  return Object.keys(added).length === 0 ? resources : { ...resources, [kind]: { ...resources[kind], ...added } }
}

/**
 * The largest amounts that are needed at one time: the sum of the containers that run side by side, or of an init container and its
 * sidecars.
 */
export function aggregate(spec: Pick<PodSpec, 'containers' | 'initContainers'>, kind: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map()
  for (const container of spec.containers ?? []) add(total, amountsOf(container, kind))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container, kind)
    if (container.restartPolicy === 'Always') {
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

function amountsOf({ resources }: Container, kind: 'requests' | 'limits'): Amounts {
  const amounts: Amounts = new Map()
  for (const [name, text] of entriesOf(resources[kind] ?? {})) {
    const amount = parseQuantity(text)
    if (amount.ok) amounts.set(name, amount.quantity)
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
