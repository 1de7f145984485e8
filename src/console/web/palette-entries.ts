// The entries of the palette that need no request: places, pages, kinds and the buttons of the page.
import { canList, type Kind, resourceName } from './kind.ts'
import { sectionsOf } from './kind-sections.ts'
import { navigate } from './navigation.ts'
import { knownPlaces, type Place } from './places.ts'
import { createAddress, graphAddress, objectAddress, PAGES, tableAddress } from './routes.ts'
import type { FoundObject } from './object-search.ts'

export interface Entry {
  readonly group: string
  readonly label: string
  readonly note: string
  readonly run: () => void
}

export interface PaletteContext {
  readonly kinds: readonly Kind[]
  readonly namespace: string
  readonly starred: readonly Place[]
  readonly recent: readonly Place[]
}

const MOST_OF_A_GROUP = 8

/** A shorter text finds kinds only by the beginning of a name: `web` should not find webhook configurations. */
const SHORTEST_PART = 4
/** The groups with an entry for each kind. An empty text does not show them: the sidebar has them. */
const BY_KIND: readonly string[] = ['Kinds', 'Create']

/** Every word of the text must be in the entry. Labels that begin with the text come first. */
export function entriesOf(
  text: string,
  context: PaletteContext,
  actions: readonly Entry[],
  found: readonly FoundObject[],
): readonly Entry[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const fits = ({ group, label, note }: Entry): boolean => {
    const all = ` ${label} ${note}`.toLowerCase()
    const isPart = BY_KIND.includes(group)
    return words.every((word) => all.includes(isPart && word.length < SHORTEST_PART ? ` ${word}` : word))
  }
  const begins = ({ label }: Entry): number => (label.toLowerCase().startsWith(wanted) ? 0 : 1)
  const groups = [
    places('Favourites', context),
    places('Recent', context),
    pages(context),
    kindEntries(context),
    actions,
    creations(context),
  ]
  const shown =
    wanted === '' ? groups.filter(([first]) => first === undefined || !BY_KIND.includes(first.group)) : groups
  const best = shown.map((group) =>
    group
      .filter(fits)
      .toSorted((a, b) => begins(a) - begins(b))
      .slice(0, MOST_OF_A_GROUP),
  )
  return withoutRepeated([...best, found.map(objectEntry)].flat())
}

function objectEntry({ kind, named }: FoundObject): Entry {
  const { namespace, name } = named
  const note = namespace === '' ? kind.kind : `${kind.kind} in ${namespace}`
  return { group: 'Objects', label: name, note, run: () => navigate(objectAddress(kind, named)) }
}

/** Drops repeated entries: a favourite may also be recent, or found on the server. */
function withoutRepeated(entries: readonly Entry[]): readonly Entry[] {
  const seen = new Map(entries.toReversed().map((entry) => [`${entry.label} ${entry.note}`, entry]))
  return entries.filter((entry) => seen.get(`${entry.label} ${entry.note}`) === entry)
}

export function keyOf({ group, label, note }: Entry): string {
  return `${group} ${label} ${note}`
}

/** The kinds of favourites and recent places come first, then the kinds of the sidebar. */
export function likelyKinds({ kinds, starred, recent }: PaletteContext): readonly Kind[] {
  const visited = knownPlaces([...starred, ...recent], kinds, '').map(({ kind }) => kind)
  return [...new Set([...visited, ...sectionsOf(kinds).flatMap((section) => section.kinds)])]
}

/** The palette offers the buttons and links that have `data-command`. */
export function actionsOnPage(): readonly Entry[] {
  const buttons = [...document.querySelectorAll<HTMLElement>('[data-command]:not(:disabled)')]
  return buttons.map((button) => ({
    group: 'Actions',
    label: button.dataset['command'] ?? '',
    note: '',
    run: () => button.click(),
  }))
}

function places(
  group: 'Favourites' | 'Recent',
  { kinds, namespace, starred, recent }: PaletteContext,
): readonly Entry[] {
  return knownPlaces(group === 'Recent' ? recent : starred, kinds, namespace).map(({ place, kind, address }) =>
    place.named === undefined
      ? { group, label: kind.kind, note: resourceName(kind), run: () => navigate(address) }
      : { ...objectEntry({ kind, named: place.named }), group },
  )
}

function pages({ namespace }: PaletteContext): readonly Entry[] {
  return PAGES.map(({ page, title, address }) => {
    const place = page === 'graph' ? graphAddress(namespace) : address
    return { group: 'Pages', label: title, note: '', run: () => navigate(place) }
  })
}

function creations({ kinds, namespace }: PaletteContext): readonly Entry[] {
  return kinds
    .filter((kind) => canList(kind) && kind.verbs.includes('create'))
    .map((kind) => {
      const resource = resourceName(kind)
      const address = createAddress(resource, kind.namespaced ? namespace : '')
      return { group: 'Create', label: `New ${kind.kind}`, note: resource, run: () => navigate(address) }
    })
}

function kindEntries({ kinds, namespace }: PaletteContext): readonly Entry[] {
  return kinds.filter(canList).map((kind) => {
    const resource = resourceName(kind)
    const note = [resource, ...kind.shortNames].join(' ')
    const address = tableAddress(resource, kind.namespaced ? { namespace } : {})
    return { group: 'Kinds', label: kind.kind, note, run: () => navigate(address) }
  })
}
