// The quality-of-service class of a pod, by the requests and limits of its containers.
import { compareQuantities, type Quantity, signOfQuantity } from '../lib/quantity.ts'
import { mapOrEmpty, mapsInPlace, quantityOrAbsent } from './members.ts'
import { isMap, own, type ValueMap } from './value.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COUNTED: readonly string[] = ['cpu', 'memory']

/**
 * The QoS class of a pod with this specification. `Guaranteed`: every container has limits for cpu and memory, and its
 * requests equal them. `BestEffort`: no container has requests or limits for them. If the pod has resources of its own, only these count.
 */
export function qosOf(spec: ValueMap): QosClass {
  const podLevel = own(spec, 'resources')
  const holders = isMap(podLevel)
    ? [podLevel]
    : [...mapsInPlace(spec, 'containers'), ...mapsInPlace(spec, 'initContainers')].map((c) =>
        mapOrEmpty(c, 'resources'),
      )
  const hasRequests = holders.some((resources) =>
    ['requests', 'limits'].some((kind) =>
      COUNTED.some((name) => isPositive(quantityOrAbsent(mapOrEmpty(resources, kind), name))),
    ),
  )
  if (!hasRequests) return 'BestEffort'
  const isGuaranteed = holders.every((resources) =>
    COUNTED.every((name) => {
      const limit = quantityOrAbsent(mapOrEmpty(resources, 'limits'), name)
      const request = quantityOrAbsent(mapOrEmpty(resources, 'requests'), name)
      return isPositive(limit) && compareQuantities(limit, request ?? limit) === 0
    }),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

function isPositive(amount: Quantity | undefined): amount is Quantity {
  return amount !== undefined && signOfQuantity(amount) > 0
}
