// Searches objects by their names. The server searches: one small request for each of the likeliest kinds, a few at a time.
import { ApiFailure, ask, messageOf, UnreachableError } from './api.ts'
import { inTurn } from './in-turn.ts'
import { canList, collectionPath, type Kind, namespacesIn, type ObjectName, resourceName } from './kind.ts'

export interface FoundObject {
  readonly kind: Kind
  readonly named: ObjectName
}

export interface Found {
  readonly objects: readonly FoundObject[]
  /** The kinds that the user may not list. */
  readonly refused: readonly Kind[]
  /** The message of another failure. Empty: there is none. */
  readonly problem: string
  readonly isDone: boolean
}

export const NOTHING: Found = { objects: [], refused: [], problem: '', isDone: true }

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
  /** Empty: all. */
  readonly namespaces: readonly string[]
  readonly name: string
}

/** `deploy web` and `deploy/web` search one kind, `shop/web` one namespace. `kinds`: the likeliest come first. */
export function searchOf(text: string, kinds: readonly Kind[]): Asked {
  const listed = kinds.filter(canList)
  const [, first = '', rest = ''] = /^(\S+?)(?:\s+|\/)(\S+)$/.exec(text.trim()) ?? []
  const wanted = first.toLowerCase()
  const kind = listed.find((one) =>
    [one.plural, resourceName(one), one.kind.toLowerCase(), ...one.shortNames].includes(wanted),
  )
  if (kind !== undefined) return { kinds: [kind], namespaces: [], name: rest }
  const usual = listed.filter(({ plural }) => !SELDOM.includes(plural))
  const namespaces = text.includes('/') ? namespacesIn(first) : []
  if (namespaces.length === 0) return { kinds: usual.slice(0, MOST_KINDS), namespaces, name: text.trim() }
  return { kinds: usual.filter(({ namespaced }) => namespaced).slice(0, MOST_KINDS), namespaces, name: rest }
}

interface NameList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[]
}

/** Calls `tell` after each answer. Stops when the signal is aborted. */
export async function searchObjects(
  { kinds, namespaces, name }: Asked,
  tell: (found: Found) => void,
  signal: AbortSignal,
): Promise<void> {
  const isNamed = `object.metadata.name.contains(${JSON.stringify(name)})`
  const where =
    namespaces.length === 0 ? isNamed : `object.metadata.namespace in ${JSON.stringify(namespaces)} && ${isNamed}`
  const byKind = new Map<Kind, readonly FoundObject[]>()
  const refused: Kind[] = []
  let problem = ''
  const report = (isDone: boolean): void => {
    if (signal.aborted) return
    // The objects have the order of the kinds, not of the answers. The best names come first.
    const objects = kinds
      .flatMap((kind) => byKind.get(kind) ?? [])
      .toSorted((a, b) => rankOf(a.named.name, name) - rankOf(b.named.name, name))
    tell({ objects, refused: [...refused], problem, isDone })
  }
  const isEnough = (): boolean => [...byKind.values()].flat().length >= MOST_OBJECTS
  let isAway = false
  await inTurn(kinds, AT_ONCE, async (kind) => {
    if (signal.aborted || isAway || isEnough()) return
    try {
      byKind.set(kind, await askNames(kind, where, signal))
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 403) refused.push(kind)
      else problem = messageOf(error)
      // Requests for other kinds would fail too.
      isAway = error instanceof UnreachableError
    }
    report(false)
  })
  report(true)
}

function rankOf(found: string, name: string): number {
  if (found === name) return 0
  return found.startsWith(name) ? 1 : 2
}

async function askNames(kind: Kind, where: string, signal: AbortSignal): Promise<readonly FoundObject[]> {
  const query = new URLSearchParams({
    where,
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
