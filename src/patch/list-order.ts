// The order of a merged list: items that the patch names come in its order, the others keep the order of the server, and
// the two are woven together by where the server had them.
import type { Value } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import { formatGoValue } from '../api/go-format.ts'

export interface OrderRequest {
  readonly items: readonly Value[]
  /** The order that the patch asks for; items in here are the patch's. */
  readonly wanted: readonly Value[]
  /** The list before the patch. */
  readonly serverOrder: readonly Value[]
  /** Empty for lists of scalars. */
  readonly mergeKey: string
}

export function orderItems({ items, wanted, serverOrder, mergeKey }: OrderRequest): Value[] {
  const wantedPlaces = placesOf(wanted, mergeKey)
  const serverPlaces = placesOf(serverOrder, mergeKey)
  const place = (places: ReadonlyMap<string, number>, item: Value): number | undefined =>
    places.get(identity(item, mergeKey))
  const isPatched = (item: Value): boolean => place(wantedPlaces, item) !== undefined
  const byPlace =
    (places: ReadonlyMap<string, number>) =>
    (a: Value, b: Value): number =>
      (place(places, a) ?? 0) - (place(places, b) ?? 0)
  const patched = items.filter(isPatched).sort(byPlace(wantedPlaces))
  const others = items.filter((item) => !isPatched(item)).sort(byPlace(serverPlaces))

  const result: Value[] = []
  let [p, o] = [0, 0]
  while (p < patched.length && o < others.length) {
    const [patchedPlace, otherPlace] = [place(serverPlaces, patched[p]!), place(serverPlaces, others[o]!)]
    const otherFirst = patchedPlace !== undefined && otherPlace !== undefined && otherPlace < patchedPlace
    result.push(otherFirst ? others[o++]! : patched[p++]!)
  }
  return [...result, ...others.slice(o), ...patched.slice(p)]
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
