// The frame of all pages: who is logged in, where one is, and the way to everything else.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { logOut, messageOf, readSession, SESSION_ENDED, type Session } from './api.ts'
import { KeyHelp } from './key-help.tsx'
import { type Kind, resourceName } from './kind.ts'
import { Kinds } from './kinds.ts'
import { LoginPage } from './login-page.tsx'
import { NamespaceField } from './namespace-field.tsx'
import { NAVIGATED, navigate } from './navigation.ts'
import { type Route, routeOf, tableAddress, titleOf } from './routes.ts'
import { Sidebar } from './sidebar.tsx'
import { TablePage } from './table-page.tsx'
import { ThemeButton } from './theme-button.tsx'

export function App() {
  const [session, setSession] = useState<Session>()
  const refresh = (): void => void readSession().then(setSession, () => setSession({}))
  useEffect(() => {
    refresh()
    window.addEventListener(SESSION_ENDED, refresh)
    return () => window.removeEventListener(SESSION_ENDED, refresh)
  }, [])
  if (session === undefined) return null
  if (session.user === undefined) return <LoginPage offered={session} onSession={setSession} />
  return <Console user={session.user} onEnd={refresh} />
}

interface ConsoleProps {
  readonly user: string
  readonly onEnd: () => void
}

function Console({ user, onEnd }: ConsoleProps) {
  const route = useRoute()
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
    <div class={`shell ${isMenuOpen ? 'menu-open' : ''}`}>
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
        <button type="button" onClick={() => void logOut().then(onEnd)}>
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
  if (route.page !== 'table' && route.page !== 'object') {
    return pages === undefined ? null : pages(route, { kinds, namespace })
  }
  const kind = kinds.find((one) => resourceName(one) === route.resource)
  if (kind === undefined) return <p class="notice bad">The server serves no kind {route.resource}.</p>
  if (route.page === 'table') return <TablePage key={route.resource} kind={kind} query={route.query} />
  return pages === undefined ? null : pages(route, { kinds, namespace, kind })
}

interface Around {
  readonly kinds: readonly Kind[]
  readonly namespace: string
  readonly kind?: Kind
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

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.pathname, location.search))
  useEffect(() => {
    const read = (): void => setRoute(routeOf(location.pathname, location.search))
    for (const event of ['popstate', NAVIGATED]) window.addEventListener(event, read)
    return () => {
      for (const event of ['popstate', NAVIGATED]) window.removeEventListener(event, read)
    }
  }, [])
  return route
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
      // The same kinds stay the same objects: tables follow them.
      setKnown(({ kinds }) => ({
        kinds: kinds === found || JSON.stringify(kinds) === JSON.stringify(found) ? kinds : found,
        problem: undefined,
      }))
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
