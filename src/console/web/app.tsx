// The frame of all pages: who is logged in, where one is, and the way to everything else.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { logOut, messageOf, readSession, SESSION_ENDED, type Session } from './api.ts'
import { KeyHelp } from './key-help.tsx'
import { type Kind, resourceName } from './kind.ts'
import { Kinds } from './kinds.ts'
import { LoginPage } from './login-page.tsx'
import { NamespaceField } from './namespace-field.tsx'
import { hasUnsaved, mayLeave, navigate, useAddress } from './navigation.ts'
import { type Route, routeOf, tableAddress, titleOf } from './routes.ts'
import { Sidebar } from './sidebar.tsx'
import { TablePage } from './table-page.tsx'
import { ThemeButton } from './theme-button.tsx'

interface Visit {
  readonly session: Session
  /** The user whose unsaved edits are kept behind the login page. */
  readonly kept?: string | undefined
}

export function App() {
  const [visit, setVisit] = useState<Visit>()
  const enter = (session: Session): void => setVisit({ session })
  const refresh = (): void => void readSession().then(enter, () => enter({}))
  useEffect(() => {
    // A session may end at any time: the text of an editor is still there after the next login.
    const ended = (session: Session): void =>
      setVisit((before) => ({ session, kept: hasUnsaved() ? (before?.session.user ?? before?.kept) : undefined }))
    const onEnd = (): void => void readSession().then(ended, () => ended({}))
    refresh()
    window.addEventListener(SESSION_ENDED, onEnd)
    return () => window.removeEventListener(SESSION_ENDED, onEnd)
  }, [])
  if (visit === undefined) return null
  const { session, kept } = visit
  const user = session.user ?? kept
  return (
    <>
      {session.user === undefined && <LoginPage offered={session} kept={kept} onSession={enter} />}
      {user !== undefined && <Console key={user} user={user} isHidden={session.user === undefined} onEnd={refresh} />}
    </>
  )
}

interface ConsoleProps {
  readonly user: string
  readonly isHidden: boolean
  readonly onEnd: () => void
}

function Console({ user, isHidden, onEnd }: ConsoleProps) {
  const address = useAddress()
  const route = useMemo(() => {
    const { pathname, search } = new URL(address, location.origin)
    return routeOf(pathname, search)
  }, [address])
  const { kinds, problem } = useKinds('resource' in route ? route.resource : undefined)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [namespace, setNamespace] = useState('')
  useLinks()
  useHotkeys()
  useEffect(() => {
    setMenuOpen(false)
    document.title = `${titleOf(route)} · Quarterdeck`
  }, [route])
  useEffect(() => {
    if (route.page === 'table') setNamespace(route.query.namespace)
    else if (route.page === 'object' && route.named.namespace !== '') setNamespace(route.named.namespace)
  }, [route])
  const chooseNamespace = (chosen: string): void => {
    setNamespace(chosen)
    if (route.page === 'table') navigate(tableAddress(route.resource, { ...route.query, namespace: chosen }), 'replace')
  }
  return (
    <div class={`shell ${isMenuOpen ? 'menu-open' : ''}`} hidden={isHidden}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Sidebar kinds={kinds ?? []} route={route} namespace={namespace} />
      <header class="topbar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="sidebar"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
        <NamespaceField value={namespace} onChoose={chooseNamespace} />
        <span class="spring" />
        <span class="user" title="Logged in as">
          {user}
        </span>
        <ThemeButton />
        <KeyHelp />
        <button type="button" onClick={() => mayLeave() && void logOut().then(onEnd)}>
          Log out
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {problem !== undefined && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        {kinds !== undefined && <Page route={route} kinds={kinds} namespace={namespace} />}
      </main>
    </div>
  )
}

interface PageProps {
  readonly route: Route
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

function Page({ route, kinds, namespace }: PageProps) {
  const pages = useLoaded(LOADERS[route.page])
  const seen = useRef<{ readonly resource: string; readonly kind: Kind | undefined }>(undefined)
  if (route.page !== 'table' && route.page !== 'object') {
    return pages === undefined ? null : pages(route, { kinds, namespace })
  }
  const kind = kinds.find((one) => resourceName(one) === route.resource)
  // The page stays when its kind is gone: there may be unsaved edits on it.
  const shown = kind ?? (seen.current?.resource === route.resource ? seen.current.kind : undefined)
  seen.current = { resource: route.resource, kind: shown }
  const page =
    route.page === 'table'
      ? shown !== undefined && <TablePage key={route.resource} kind={shown} query={route.query} />
      : pages?.(route, { kinds, namespace, kind: shown })
  return (
    <>
      {kind === undefined && <p class="notice bad">The server serves no kind {route.resource}.</p>}
      {page}
    </>
  )
}

interface Around {
  readonly kinds: readonly Kind[]
  readonly namespace: string
  readonly kind?: Kind | undefined
}

type Show = (route: Route, around: Around) => ComponentChildren
type Load = () => Promise<Show>

/** Pages are loaded when they are looked at first: the editor and the charts are larger than all the rest. */
const LOADERS: Readonly<Record<Route['page'], Load | undefined>> = {
  table: undefined,
  object: async () => {
    const { ObjectPage } = await import('./object-page.tsx')
    return (route, { kinds, kind }) =>
      route.page === 'object' && kind !== undefined && <ObjectPage kind={kind} kinds={kinds} named={route.named} />
  },
  apply: async () => {
    const { ApplyPage } = await import('./apply-page.tsx')
    return (_route, { kinds, namespace }) => <ApplyPage kinds={kinds} namespace={namespace} />
  },
  server: async () => {
    const { ServerPage } = await import('./server-page.tsx')
    return () => <ServerPage />
  },
  definitions: async () => {
    const { DefinitionsPage } = await import('./definitions-page.tsx')
    return () => <DefinitionsPage />
  },
  access: async () => {
    const { AccessPage } = await import('./access-page.tsx')
    return (_route, { kinds, namespace }) => <AccessPage kinds={kinds} namespace={namespace} />
  },
}

function useLoaded(load: Load | undefined): Show | undefined {
  const [loaded, setLoaded] = useState<{ readonly by: Load; readonly show: Show }>()
  useEffect(() => {
    if (load !== undefined) void load().then((show) => setLoaded({ by: load, show }))
  }, [load])
  return loaded !== undefined && loaded.by === load ? loaded.show : undefined
}

/** Asked for again now and then: definitions come and go. */
const KINDS_EVERY_MS = 30_000

interface KnownKinds {
  readonly kinds: readonly Kind[] | undefined
  readonly problem: string | undefined
}

/** `wanted`: the resource that is looked at, which may be new. */
function useKinds(wanted: string | undefined): KnownKinds {
  const [known, setKnown] = useState<KnownKinds>({ kinds: undefined, problem: undefined })
  const [served] = useState(() => new Kinds())
  const read = async (): Promise<void> => {
    try {
      const found = await served.read()
      setKnown({ kinds: found, problem: undefined })
    } catch (error) {
      setKnown(({ kinds }) => ({ kinds, problem: messageOf(error) }))
    }
  }
  useEffect(() => {
    // Nobody sees what a hidden tab shows.
    const readIfSeen = (): void => {
      if (!document.hidden) void read()
    }
    const timer = setInterval(readIfSeen, KINDS_EVERY_MS)
    document.addEventListener('visibilitychange', readIfSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', readIfSeen)
    }
  }, [])
  const isKnown = known.kinds?.some((kind) => resourceName(kind) === wanted) === true
  useEffect(() => {
    if (known.kinds === undefined || (wanted !== undefined && !isKnown)) void read()
  }, [wanted])
  return known
}

/** Links between pages do not load the page anew. */
function useLinks(): void {
  useEffect(() => {
    const follow = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
      if (link === null || !isPlain || link.target !== '' || link.origin !== location.origin || link.hash !== '') return
      event.preventDefault()
      event.stopPropagation()
      navigate(link.pathname + link.search)
    }
    document.addEventListener('click', follow, true)
    return () => document.removeEventListener('click', follow, true)
  }, [])
}

/** A key leads to the field that bears it, unless one is writing. */
function useHotkeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const writes =
        event.target instanceof HTMLElement &&
        (event.target.matches('input, select, textarea') || event.target.shadowRoot !== null)
      if (writes || event.metaKey || event.ctrlKey || event.altKey || !/^[/kn]$/.test(event.key)) return
      const inTable = event.target instanceof Element && event.target.closest('.scroller') !== null
      const field = document.querySelector<HTMLElement>(`[data-hotkey="${event.key}"]`)
      if (field === null || (inTable && event.key === 'k')) return
      event.preventDefault()
      field.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
