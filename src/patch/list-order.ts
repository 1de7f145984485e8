// Orders a merged list. Items in the patch have the order of the patch, and other items keep the order of the server. The two sequences are
// merged by the positions of their items in the server's list.
import { isMap, own, type Value } from '../api/value.ts'
import { formatGoValue } from '../api/go-format.ts'

export interface OrderRequest {
  readonly items: readonly Value[]
  /** The items in the order that the patch specifies. */
  readonly wanted: readonly Value[]
  /** The list before the patch. */
  readonly serverOrder: readonly Value[]
  /** Empty for lists of scalars. */
  readonly mergeKey: string
}

/** An item with its places in the two lists. They are looked up once, not at every comparison. */
interface Placed {
  readonly item: Value
  /** Undefined: the patch does not name the item. */
  readonly wanted: number | undefined
  /** Undefined: the server does not have the item. */
  readonly server: number | undefined
}

export function orderItems({ items, wanted, serverOrder, mergeKey }: OrderRequest): Value[] {
  const wantedPlaces = placesOf(wanted, mergeKey)
  const serverPlaces = placesOf(serverOrder, mergeKey)
  const placed = items.map((item): Placed => {
    const key = identity(item, mergeKey)
    return { item, wanted: wantedPlaces.get(key), server: serverPlaces.get(key) }
  })
  const patched = placed.filter((each) => each.wanted !== undefined).sort((a, b) => a.wanted! - b.wanted!)
  const others = placed.filter((each) => each.wanted === undefined).sort((a, b) => (a.server ?? 0) - (b.server ?? 0))

  const result: Placed[] = []
  let [p, o] = [0, 0]
  while (p < patched.length && o < others.length) {
    const [patchedPlace, otherPlace] = [patched[p]!.server, others[o]!.server]
    const otherFirst = patchedPlace !== undefined && otherPlace !== undefined && otherPlace < patchedPlace
    result.push(otherFirst ? others[o++]! : patched[p++]!)
  }
  return [...result, ...others.slice(o), ...patched.slice(p)].map(({ item }) => item)
}

function placesOf(list: readonly Value[], mergeKey: string): Map<string, number> {
  const places = new Map<string, number>()
  list.forEach((item, index) => {
    const key = identity(item, mergeKey)
    if (!places.has(key)) places.set(key, index)
  })
  return places
}

function identity(item: Value, mergeKey: string): string {
  const value = mergeKey !== '' && isMap(item) ? own(item, mergeKey) : item
  return `${typeof value}:${formatGoValue(value ?? null)}`
}
