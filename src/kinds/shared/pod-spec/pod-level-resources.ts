// Defaults of pod-level resources, from the resources of the containers and from the limits of the pod.
import type { PodSpec, ResourceRequirements } from '../../../api/gen/kinds.ts'
import { amountsOfContainers, isForWholePods } from '../../../api/pod-resources.ts'
import { entriesOf } from '../../../api/value.ts'
import { compareQuantities, formatQuantity, parseQuantity } from '../../../lib/quantity.ts'
import type { OwnRule } from '../../../schema/defaults/rule.ts'
import { isHugePages } from '../resource-names.ts'

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

function hasAmounts({ requests, limits }: ResourceRequirements): boolean {
  return Object.keys(requests ?? {}).length > 0 || Object.keys(limits ?? {}).length > 0
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory'
}

function withHugePageLimits(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return resources
  const added: Record<string, string> = {}
  for (const [name, amount] of amountsOfContainers(spec, 'limits')) {
    const open = !Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)
    if (isHugePages(name) && open) added[name] = formatQuantity(amount)
  }
  return withAmounts(resources, 'limits', added)
}

function withRequests(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  const added: Record<string, string> = {}
  for (const [name, amount] of amountsOfContainers(spec, 'requests')) {
    if (isCpuOrMemory(name) && !Object.hasOwn(requests, name)) added[name] = formatQuantity(amount)
  }
  for (const [name, limit] of entriesOf(limits)) {
    const open = !Object.hasOwn(requests, name) && !Object.hasOwn(added, name)
    if (isForWholePods(name) && open) added[name] = limit
  }
  return withAmounts(resources, 'requests', added)
}

/** If every container has a limit, the pod gets the sum of the limits, but at least its request. */
function withLimits(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const sums = amountsOfContainers(spec, 'limits')
  const added: Record<string, string> = {}
  for (const [name, text] of entriesOf(requests)) {
    const sum = sums.get(name)
    const isOpen = isForWholePods(name) && !Object.hasOwn(limits, name) && sum !== undefined
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
