// The class of service of a pod, which follows from what its containers ask for. Quotas, placement and pods themselves go by it.
import { compareQuantities, parseQuantity, type Quantity, signOfQuantity } from '../lib/quantity.ts'
import { mapOrEmpty, mapsInPlace } from './members.ts'
import { isMap, own, type Value, type ValueMap } from './value.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COUNTED: readonly string[] = ['cpu', 'memory']

/** How sure a pod with this specification is of its resources: of all, of some, or of none. */
export function qosOf(spec: ValueMap): QosClass {
  const level = own(spec, 'resources')
  const holders = isMap(level)
    ? [level]
    : [...mapsInPlace(spec, 'containers'), ...mapsInPlace(spec, 'initContainers')].map((c) =>
        mapOrEmpty(c, 'resources'),
      )
  const isAsked = holders.some((resources) =>
    ['requests', 'limits'].some((kind) => COUNTED.some((name) => isPositive(own(mapOrEmpty(resources, kind), name)))),
  )
  if (!isAsked) return 'BestEffort'
  const isSure = holders.every((resources) =>
    COUNTED.every((name) => {
      const limit = own(mapOrEmpty(resources, 'limits'), name)
      const request = own(mapOrEmpty(resources, 'requests'), name) ?? limit
      const [most, asked] = [amountOf(limit), amountOf(request)]
      return isPositive(limit) && most !== undefined && asked !== undefined && compareQuantities(most, asked) === 0
    }),
  )
  return isSure ? 'Guaranteed' : 'Burstable'
}

function amountOf(value: Value | undefined): Quantity | undefined {
  const parsed = typeof value === 'string' ? parseQuantity(value) : undefined
  return parsed?.ok === true ? parsed.quantity : undefined
}

function isPositive(value: Value | undefined): boolean {
  const amount = amountOf(value)
  return amount !== undefined && signOfQuantity(amount) > 0
}
