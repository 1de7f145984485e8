// The effective requests and limits of a pod: the sum of its containers, or the maximum of its init containers if that is more. Pod-level
// resources take precedence.
import type { Container, PodSpec, PodStatus } from './gen/kinds.ts'
import { addQuantities, type Quantity } from '../lib/quantity.ts'
import { addAmounts, type Amounts, amountsOf, greaterOf, NOTHING, raiseAmounts, sumOf } from './amounts.ts'

type Side = 'requests' | 'limits'

export function containerAmounts({ resources }: Container, side: Side): Amounts {
  return amountsOf(resources[side])
}

/**
 * The amounts of a pod, without the overhead. If the status is given, a container that is being resized counts with the greater of its
 * desired and its actual resources.
 */
export function podAmounts(spec: PodSpec, side: Side, status: PodStatus = {}): Amounts {
  return withPodLevel(amountsOfContainers(spec, side, status), amountsOf(spec.resources?.[side]))
}

/** The largest amounts that the containers of a pod need at one time. */
export function amountsOfContainers(
  spec: Pick<PodSpec, 'containers' | 'initContainers'>,
  side: Side,
  status: PodStatus = {},
): Amounts {
  const resized = resizedAmounts(status, side)
  const running = new Map<string, Quantity>()
  for (const container of spec.containers ?? []) addAmounts(running, resized(container, 'containerStatuses'))
  const staying = new Map<string, Quantity>()
  const starting = new Map<string, Quantity>()
  for (const container of spec.initContainers ?? []) {
    // Sidecars run together with the containers. Another init container runs only with the sidecars before it.
    if (container.restartPolicy === 'Always') {
      const own = resized(container, 'initContainerStatuses')
      addAmounts(running, own)
      addAmounts(staying, own)
      raiseAmounts(starting, staying)
    } else {
      raiseAmounts(starting, sumOf(containerAmounts(container, side), staying))
    }
  }
  raiseAmounts(running, starting)
  return running
}

type ResizedAmounts = (container: Container, statuses: 'containerStatuses' | 'initContainerStatuses') => Amounts

/** Returns a function for the amounts of a container. If a resize is infeasible, only the actual resources count. */
function resizedAmounts(status: PodStatus, side: Side): ResizedAmounts {
  const isInfeasible = status.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  )
  return (container, statuses) => {
    const asked = containerAmounts(container, side)
    const found = status[statuses]?.find(({ name }) => name === container.name)
    if (found?.resources === undefined) return asked
    const held = amountsOf(found.resources[side])
    const allocated = side === 'requests' ? amountsOf(found.allocatedResources) : NOTHING
    const onNode = greaterOf(held, allocated)
    return isInfeasible ? onNode : greaterOf(asked, onNode)
  }
}

function withPodLevel(amounts: Amounts, podLevel: Amounts): Amounts {
  const said = [...podLevel].filter(([name]) => isForWholePods(name))
  return said.length === 0 ? amounts : new Map([...amounts, ...said])
}

export function isForWholePods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
}

/** Whether the pod has pod-level resources. */
export function hasPodLevel({ resources }: PodSpec): boolean {
  return (['requests', 'limits'] as const).some((side) => [...amountsOf(resources?.[side]).keys()].some(isForWholePods))
}

/** Adds the overhead to requests, and to limits that are set. */
export function withOverhead(amounts: Amounts, spec: PodSpec, side: Side): Amounts {
  const overhead = amountsOf(spec.overhead)
  if (side === 'requests' || overhead.size === 0) return sumOf(amounts, overhead)
  const added = [...amounts].map(([name, quantity]): [string, Quantity] => {
    const more = overhead.get(name)
    return [name, more === undefined || quantity.unscaled === 0n ? quantity : addQuantities(quantity, more)]
  })
  return new Map(added)
}
