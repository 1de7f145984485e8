// The links to all pages: the server itself, then the kinds by their purpose.
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import { canList, type Kind, placeText, resourceName } from './kind.ts'
import { sectionsOf } from './kind-sections.ts'
import { Mark } from './login-page.tsx'
import { knownPlaces, type KnownPlace, usePlaces } from './places.ts'
import { graphAddress, HOME, PAGES, type Route, tableAddress } from './routes.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly route: Route
  /** The chosen namespace, which links to other kinds keep. */
  readonly namespace: string
}

export function Sidebar({ kinds, route, namespace }: Props) {
  const [search, setSearch] = useState('')
  const starred = usePlaces('starred')
  const recent = usePlaces('recent').filter(({ named }) => named !== undefined)
  const wanted = search.trim().toLowerCase()
  const fits = (kind: Kind): boolean =>
    [resourceName(kind), kind.kind.toLowerCase(), ...kind.shortNames].some((name) => name.includes(wanted))
  const resource = 'resource' in route ? route.resource : undefined
  return (
    <nav class="sidebar" id="sidebar" aria-label="Main">
      <a class="brand" href={HOME}>
        <Mark /> Quarterdeck
      </a>
      <ul>
        {PAGES.map(({ page, title, address }) => (
          <li key={page}>
            <a
              href={page === 'graph' ? graphAddress(namespace) : address}
              aria-current={route.page === page ? 'page' : undefined}
            >
              <Icon name={page} />
              {title}
            </a>
          </li>
        ))}
      </ul>
      <input
        type="search"
        class="find-kind"
        aria-label="Find a kind"
        placeholder="Find a kind  ( f )"
        data-hotkey="f"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          const first = currentTarget.parentElement?.querySelector<HTMLElement>('details a')
          if (key !== 'Enter' || wanted === '' || first == null) return
          first.click()
          currentTarget.blur()
          setSearch('')
        }}
      />
      {wanted !== '' && !kinds.some((kind) => canList(kind) && fits(kind)) && <p class="empty">No such kind.</p>}
      {wanted === '' && (
        <>
          <Places title="Favourites" icon="starred" places={knownPlaces(starred, kinds, namespace)} />
          <Places title="Recent" icon="recent" places={knownPlaces(recent, kinds, namespace).slice(0, MOST_RECENT)} />
        </>
      )}
      {sectionsOf(kinds.filter(fits)).map((section) => (
        <Group
          key={section.title}
          title={section.title}
          icon={section.icon}
          isOpen={wanted !== '' || section.isOpen || section.kinds.some((kind) => resourceName(kind) === resource)}
        >
          {section.kinds.map((kind) => (
            <a
              href={tableAddress(resourceName(kind), kind.namespaced ? { namespace } : {})}
              aria-current={resourceName(kind) === resource ? 'page' : undefined}
              title={resourceName(kind)}
            >
              {kind.kind}
            </a>
          ))}
        </Group>
      ))}
    </nav>
  )
}

const MOST_RECENT = 5

interface PlacesProps {
  readonly title: string
  readonly icon: IconName
  readonly places: readonly KnownPlace[]
}

function Places({ title, icon, places }: PlacesProps) {
  if (places.length === 0) return null
  return (
    <Group title={title} icon={icon} isOpen>
      {places.map(({ place: { named }, kind, address }) => (
        <a href={address} title={named === undefined ? resourceName(kind) : placeText(named)}>
          {named === undefined ? kind.kind : <span class="dim">{kind.kind}</span>} {named?.name}
        </a>
      ))}
    </Group>
  )
}

interface GroupProps {
  readonly title: string
  readonly icon: IconName
  readonly isOpen: boolean
  readonly children: readonly VNode[]
}

function Group({ title, icon, isOpen, children }: GroupProps) {
  return (
    <details open={isOpen}>
      <summary>
        <Icon name={icon} />
        {title}
      </summary>
      <ul>
        {children.map((link, i) => (
          <li key={i}>{link}</li>
        ))}
      </ul>
    </details>
  )
}
