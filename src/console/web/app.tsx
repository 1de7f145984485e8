// The frame of all pages: who is logged in, where one is, and the way to everything else.
import { useEffect, useState } from 'preact/hooks'
import { logOut, messageOf, readSession, SESSION_ENDED, type Session } from './api.ts'
import { type Kind, resourceName } from './kind.ts'
import { readKinds } from './kinds.ts'
import { LoginPage } from './login-page.tsx'
import { NamespaceField } from './namespace-field.tsx'
import { NAVIGATED, navigate } from './navigation.ts'
import { type Route, routeOf, tableAddress } from './routes.ts'
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
  if (session.user === undefined) return <LoginPage certificate={session.certificate} onSession={setSession} />
  return <Console user={session.user} onEnd={refresh} />
}

interface ConsoleProps {
  readonly user: string
  readonly onEnd: () => void
}

function Console({ user, onEnd }: ConsoleProps) {
  const route = useRoute()
  const { kinds, problem } = useKinds()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [namespace, setNamespace] = useState('')
  useLinks()
  useHotkeys()
  useEffect(() => setMenuOpen(false), [route])
  useEffect(() => {
    if (route.page === 'table') setNamespace(route.query.namespace)
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
        {kinds !== undefined && <Page route={route} kinds={kinds} />}
      </main>
    </div>
  )
}

function Page({ route, kinds }: { readonly route: Route; readonly kinds: readonly Kind[] }) {
  const ObjectPage = useLoaded(route.page === 'object', loadObjectPage)
  if (route.page !== 'table' && route.page !== 'object') return null
  const kind = kinds.find((one) => resourceName(one) === route.resource)
  if (kind === undefined) return <p class="notice bad">The server serves no kind {route.resource}.</p>
  if (route.page === 'object') return ObjectPage && <ObjectPage kind={kind} kinds={kinds} named={route.named} />
  return <TablePage key={route.resource} kind={kind} query={route.query} />
}

/** The editor is larger than all the rest. */
const loadObjectPage = () => import('./object-page.tsx').then((module) => module.ObjectPage)

function useLoaded<T>(isNeeded: boolean, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly value: T }>()
  useEffect(() => {
    if (isNeeded && loaded === undefined) void load().then((value) => setLoaded({ value }))
  }, [isNeeded])
  return loaded?.value
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

function useKinds(): { readonly kinds: readonly Kind[] | undefined; readonly problem: string | undefined } {
  const [kinds, setKinds] = useState<readonly Kind[]>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let told = ''
    const read = async (): Promise<void> => {
      try {
        const found = await readKinds()
        setProblem(undefined)
        const text = JSON.stringify(found)
        // The same kinds stay the same objects: tables follow them.
        if (text !== told) setKinds(found)
        told = text
      } catch (error) {
        setProblem(messageOf(error))
      }
    }
    void read()
    const timer = setInterval(() => void read(), KINDS_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return { kinds, problem }
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
