// Searches objects by their names. The server searches: one small request for each of the likeliest kinds, a few at a time.
import { ask } from './api.ts'
import { canList, collectionPath, type Kind, type ObjectName, resourceName } from './kind.ts'

export interface FoundObject {
  readonly kind: Kind
  readonly named: ObjectName
}

export interface Found {
  readonly objects: readonly FoundObject[]
  /** The kinds that the server did not search, mostly because the user may not. */
  readonly refused: readonly Kind[]
  readonly isDone: boolean
}

export const NOTHING: Found = { objects: [], refused: [], isDone: true }

/** These limits bound the work of the server for one text. */
const MOST_KINDS = 30
const MOST_OBJECTS = 30
const MOST_OF_A_KIND = 6
const AT_ONCE = 4
/** Internal kinds, whose names users do not search. */
const SELDOM: readonly string[] = [
  'events',
  'leases',
  'endpoints',
  'endpointslices',
  'controllerrevisions',
  'componentstatuses',
]

interface Asked {
  readonly kinds: readonly Kind[]
  readonly name: string
}

/** `deploy web` and `deploy/web` search one kind. `kinds`: the likeliest come first. */
export function searchOf(text: string, kinds: readonly Kind[]): Asked {
  const listed = kinds.filter(canList)
  const [, first = '', rest = ''] = /^(\S+?)(?:\s+|\/)(\S+)$/.exec(text.trim()) ?? []
  const wanted = first.toLowerCase()
  const kind = listed.find((one) =>
    [one.plural, resourceName(one), one.kind.toLowerCase(), ...one.shortNames].includes(wanted),
  )
  if (kind !== undefined) return { kinds: [kind], name: rest }
  return { kinds: listed.filter(({ plural }) => !SELDOM.includes(plural)).slice(0, MOST_KINDS), name: text.trim() }
}

interface NameList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[]
}

/** Calls `tell` after each answer. Stops when the signal is aborted. */
export async function searchObjects(
  { kinds, name }: Asked,
  tell: (found: Found) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...kinds]
  const byKind = new Map<Kind, readonly FoundObject[]>()
  const refused: Kind[] = []
  const report = (isDone: boolean): void => {
    if (signal.aborted) return
    // In the order of the kinds, not of the answers. The best names come first.
    const objects = kinds
      .flatMap((kind) => byKind.get(kind) ?? [])
      .toSorted((a, b) => rankOf(a.named.name, name) - rankOf(b.named.name, name))
    tell({ objects, refused: [...refused], isDone })
  }
  const isEnough = (): boolean => [...byKind.values()].flat().length >= MOST_OBJECTS
  const work = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined && !signal.aborted && !isEnough(); kind = waiting.shift()) {
      try {
        byKind.set(kind, await namesOf(kind, name, signal))
      } catch {
        refused.push(kind)
      }
      report(false)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  report(true)
}

function rankOf(found: string, name: string): number {
  if (found === name) return 0
  return found.startsWith(name) ? 1 : 2
}

async function namesOf(kind: Kind, name: string, signal: AbortSignal): Promise<readonly FoundObject[]> {
  const query = new URLSearchParams({
    where: `object.metadata.name.contains(${JSON.stringify(name)})`,
    select: 'metadata.name',
    accessible: 'true',
    limit: String(MOST_OF_A_KIND),
  })
  const { items } = await ask<NameList>(`${collectionPath(kind)}?${query.toString()}`, { signal })
  return items.map(({ metadata }) => ({
    kind,
    named: { namespace: metadata.namespace ?? '', name: metadata.name },
  }))
}
