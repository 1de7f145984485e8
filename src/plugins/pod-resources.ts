// The effective requests and limits of a pod: the sum of its containers, or the maximum of its init containers where that is more;
// pod-level resources take precedence.
import { mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import type { ValueMap } from '../api/value.ts'
import { addQuantities, type Quantity } from '../lib/quantity.ts'
import { type Amounts, amountsIn, greaterOf, NOTHING, sumOf } from './amounts.ts'

type Side = 'requests' | 'limits'

export function containerAmounts(container: ValueMap, side: Side): Amounts {
  return amountsIn(mapOrEmpty(container, 'resources'), side)
}

/**
 * Without the overhead. With the status, a container that is being resized counts with the greater of its desired and its actual
 * resources.
 */
export function podAmounts(spec: ValueMap, side: Side, status: ValueMap = {}): Amounts {
  const amountsOf = resizedAmounts(status, side)
  let running = NOTHING
  for (const container of mapsOnly(spec, 'containers'))
    running = sumOf(running, amountsOf(container, 'containerStatuses'))
  let staying = NOTHING
  let starting = NOTHING
  for (const container of mapsOnly(spec, 'initContainers')) {
    const isStaying = textOrEmpty(container, 'restartPolicy') === 'Always'
    const own = isStaying ? amountsOf(container, 'initContainerStatuses') : containerAmounts(container, side)
    // Sidecars add to the containers; other init containers run alone beside the sidecars before them.
    if (isStaying) {
      running = sumOf(running, own)
      staying = sumOf(staying, own)
      starting = greaterOf(starting, staying)
    } else {
      starting = greaterOf(starting, sumOf(own, staying))
    }
  }
  return withPodLevel(greaterOf(running, starting), amountsIn(mapOrEmpty(spec, 'resources'), side))
}

type AmountsOf = (container: ValueMap, statuses: 'containerStatuses' | 'initContainerStatuses') => Amounts

/** An infeasible resize does not count: only the actual resources do. */
function resizedAmounts(status: ValueMap, side: Side): AmountsOf {
  const isInfeasible = mapsOnly(status, 'conditions').some(
    (condition) =>
      textOrEmpty(condition, 'type') === 'PodResizePending' && textOrEmpty(condition, 'reason') === 'Infeasible',
  )
  return (container, statuses) => {
    const asked = containerAmounts(container, side)
    const name = textOrEmpty(container, 'name')
    const found = mapsOnly(status, statuses).find((each) => textOrEmpty(each, 'name') === name)
    if (found === undefined || mapOrAbsent(found, 'resources') === undefined) return asked
    const held = amountsIn(mapOrEmpty(found, 'resources'), side)
    const allocated = side === 'requests' ? amountsIn(found, 'allocatedResources') : NOTHING
    const onNode = greaterOf(held, allocated)
    return isInfeasible ? onNode : greaterOf(asked, onNode)
  }
}

function withPodLevel(amounts: Amounts, podLevel: Amounts): Amounts {
  const said = [...podLevel].filter(([name]) => isForWholePods(name))
  return said.length === 0 ? amounts : new Map([...amounts, ...said])
}

function isForWholePods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
}

/** Whether the pod has pod-level resources. */
export function hasPodLevel(spec: ValueMap): boolean {
  const resources = mapOrEmpty(spec, 'resources')
  return (['requests', 'limits'] as const).some((side) => [...amountsIn(resources, side).keys()].some(isForWholePods))
}

/** Adds the overhead to requests, and to limits that are set. */
export function withOverhead(amounts: Amounts, spec: ValueMap, side: Side): Amounts {
  const overhead = amountsIn(spec, 'overhead')
  if (side === 'requests' || overhead.size === 0) return sumOf(amounts, overhead)
  const added = [...amounts].map(([name, quantity]): [string, Quantity] => {
    const more = overhead.get(name)
    return [name, more === undefined || quantity.unscaled === 0n ? quantity : addQuantities(quantity, more)]
  })
  return new Map(added)
}
