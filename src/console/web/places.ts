// Starred and recent places of the user: kinds and objects. The browser keeps them, for each user.
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { type Kind, type ObjectName, resourceName } from './kind.ts'
import { objectAddress, type Route, tableAddress } from './routes.ts'

/** A kind, or an object of it. */
export interface Place {
  readonly resource: string
  readonly named?: ObjectName
}

export type Shelf = 'starred' | 'recent'

export const CurrentUser = createContext('')

/** Dispatched on `window` when a shelf has changed. */
const CHANGED = 'places-changed'
const MOST: Readonly<Record<Shelf, number>> = { starred: 40, recent: 12 }

export function placeOf(route: Route): Place | undefined {
  if (route.page === 'table') return { resource: route.resource }
  return route.page === 'object' ? { resource: route.resource, named: route.named } : undefined
}

export function isSame(one: Place, other: Place): boolean {
  return JSON.stringify(keyOf(one)) === JSON.stringify(keyOf(other))
}

function keyOf({ resource, named }: Place): readonly unknown[] {
  return [resource, named?.namespace, named?.name]
}

export function putPlace(user: string, shelf: Shelf, place: Place): void {
  const others = readPlaces(user, shelf).filter((one) => !isSame(one, place))
  write(user, shelf, [place, ...others].slice(0, MOST[shelf]))
}

export function dropPlace(user: string, shelf: Shelf, place: Place): void {
  write(
    user,
    shelf,
    readPlaces(user, shelf).filter((one) => !isSame(one, place)),
  )
}

/** The places on a shelf, the newest first. */
export function usePlaces(shelf: Shelf): readonly Place[] {
  const user = useContext(CurrentUser)
  const [places, setPlaces] = useState(() => readPlaces(user, shelf))
  useEffect(() => {
    const read = (): void => setPlaces(readPlaces(user, shelf))
    // Other tabs dispatch `storage`.
    const events = [CHANGED, 'storage']
    for (const type of events) window.addEventListener(type, read)
    return () => {
      for (const type of events) window.removeEventListener(type, read)
    }
  }, [user, shelf])
  return places
}

export interface KnownPlace {
  readonly place: Place
  readonly kind: Kind
  readonly address: string
}

/** The places of served kinds, with their addresses. */
export function knownPlaces(
  places: readonly Place[],
  kinds: readonly Kind[],
  namespace: string,
): readonly KnownPlace[] {
  const byName = new Map(kinds.map((kind) => [resourceName(kind), kind]))
  return places.flatMap((place) => {
    const kind = byName.get(place.resource)
    if (kind === undefined) return []
    const table = tableAddress(place.resource, kind.namespaced ? { namespace } : {})
    return [{ place, kind, address: place.named === undefined ? table : objectAddress(kind, place.named) }]
  })
}

/** The user may have changed the stored text. */
function readPlaces(user: string, shelf: Shelf): readonly Place[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyFor(user, shelf)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isPlace) : []
  } catch {
    return []
  }
}

function isPlace(value: unknown): value is Place {
  const { resource, named } = (value ?? {}) as Partial<Place>
  const isNamed = named === undefined || (typeof named?.namespace === 'string' && typeof named.name === 'string')
  return typeof resource === 'string' && isNamed
}

function write(user: string, shelf: Shelf, places: readonly Place[]): void {
  localStorage.setItem(keyFor(user, shelf), JSON.stringify(places))
  window.dispatchEvent(new Event(CHANGED))
}

function keyFor(user: string, shelf: Shelf): string {
  return `${shelf} ${user}`
}
