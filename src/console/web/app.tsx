// The frame of all pages: the user, the current page, and the links to all others.
import type { FunctionComponent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ActionHost } from './action-menu.tsx'
import { Alert } from './alert.tsx'
import {
  logIn,
  logOut,
  messageOf,
  type Problem,
  readSession,
  SESSION_ENDED,
  type Session,
  UnreachableError,
} from './api.ts'
import { KeyHelp } from './key-help.tsx'
import { pageKey } from './keys.ts'
import { type Kind, type ObjectName, oneNamespace, resourceName } from './kind.ts'
import { Kinds } from './kinds.ts'
import { LoginPage } from './login-page.tsx'
import { NamespaceField } from './namespace-field.tsx'
import { hasUnsaved, mayLeave, navigate, useAddress } from './navigation.ts'
import { ONCE, usePolled } from './polling.ts'
import { Palette } from './palette.tsx'
import { CurrentUser, placeOf, putPlace } from './places.ts'
import { type CreateRoute, graphAddress, type Route, routeOf, tableAddress, titleOf } from './routes.ts'
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
  const [ends, setEnds] = useState(0)
  const enter = (session: Session): void => setVisit({ session })
  // A session may end at any time. The text of an editor survives until the next login.
  const look = (session: Session): void => {
    const isLost = session.user === undefined && hasUnsaved()
    // A dialog that stays open would keep the user from the login page.
    if (session.user === undefined) for (const dialog of document.querySelectorAll('dialog')) dialog.close()
    setVisit((before) => ({ session, kept: isLost ? (before?.session.user ?? before?.kept) : undefined }))
  }
  const [codeProblem, setCodeProblem] = useState('')
  const read = async (): Promise<void> => {
    const code = takeCode()
    const session = code === '' ? undefined : await logIn({ code }).catch((error) => setCodeProblem(messageOf(error)))
    if (session === undefined) look(await readSession())
    else enter(session)
  }
  const { problem } = usePolled(read, ONCE, ends)
  const readAgain = (): void => setEnds((before) => before + 1)
  useEffect(() => {
    window.addEventListener(SESSION_ENDED, readAgain)
    return () => window.removeEventListener(SESSION_ENDED, readAgain)
  }, [])
  if (visit === undefined) return <Alert text={problem?.message} />
  const { session, kept } = visit
  const user = session.user ?? kept
  return (
    <>
      {session.user === undefined && (
        <LoginPage offered={session} kept={kept} problem={codeProblem} onSession={enter} />
      )}
      {user !== undefined && (
        <CurrentUser.Provider value={user}>
          <Console
            key={user}
            user={user}
            isHidden={session.user === undefined}
            onEnd={() => void readSession().then(enter, readAgain)}
          />
        </CurrentUser.Provider>
      )}
    </>
  )
}

/** The code in the link that `quarterdeck console` opens. It is removed from the address, so that it is in no bookmark. */
function takeCode(): string {
  const [, code = ''] = /^#code=([\w-]+)$/.exec(location.hash) ?? []
  if (code !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return code
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
  const [logoutProblem, setLogoutProblem] = useState('')
  useLinks()
  useHotkeys()
  useEffect(() => {
    setMenuOpen(false)
    setLogoutProblem('')
    document.title = `${titleOf(route)} · Quarterdeck`
    const place = placeOf(route)
    if (place !== undefined) putPlace(user, 'recent', place)
  }, [route])
  // Tables of kinds without namespaces and pages of objects do not change the chosen namespace.
  const table = route.page === 'table' && isNamespaced(kinds, route.resource) ? route : undefined
  useEffect(() => {
    if (table !== undefined) setNamespace(table.query.namespace)
    if (route.page === 'graph') setNamespace(route.namespace)
  }, [table, route])
  const failed = (error: unknown): void => setLogoutProblem(`You are still logged in: ${messageOf(error)}`)
  const chooseNamespace = (chosen: string): void => {
    setNamespace(chosen)
    if (route.page === 'graph') navigate(graphAddress(chosen), 'replace')
    if (table !== undefined) navigate(tableAddress(table.resource, { ...table.query, namespace: chosen }), 'replace')
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
        <Palette kinds={kinds ?? []} namespace={namespace} />
        <span class="user" title="Logged in as">
          {user}
        </span>
        <ThemeButton />
        <KeyHelp />
        <button type="button" data-command="Log out" onClick={() => mayLeave() && void logOut().then(onEnd, failed)}>
          Log out
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Alert text={problem?.message} />
        <Alert text={logoutProblem} />
        {kinds !== undefined && <Page route={route} kinds={kinds} namespace={namespace} />}
      </main>
      <ActionHost />
    </div>
  )
}

function isNamespaced(kinds: readonly Kind[] | undefined, resource: string): boolean {
  return kinds?.some((kind) => kind.namespaced && resourceName(kind) === resource) === true
}

interface PageProps {
  readonly route: Route
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

function Page({ route, kinds, namespace }: PageProps) {
  const load = LOADERS[route.page]
  const { value: loaded, problem } = usePolled(() => readPage(load), ONCE, load)
  const Shown = loaded?.by === load ? loaded?.page : undefined
  const seen = useRef<{ readonly resource: string | undefined; readonly kind: Kind | undefined }>(undefined)
  const resource = 'resource' in route ? route.resource : undefined
  const kind = kinds.find((one) => resourceName(one) === resource)
  // The page stays when its kind is removed: there may be unsaved edits on it.
  const shown = kind ?? (seen.current?.resource === resource ? seen.current?.kind : undefined)
  seen.current = { resource, kind: shown }
  const key = route.page === 'overview' ? namespace : resource === undefined ? '' : JSON.stringify(route)
  // A page reads only the members that its route has.
  const props = { kinds, namespace: oneNamespace(namespace), from: '', named: NOTHING, ...route, kind: shown as Kind }
  return (
    <>
      {resource !== undefined && kind === undefined && <p class="notice bad">The server serves no kind {resource}.</p>}
      <Alert text={problem?.message} />
      {route.page === 'table' && shown !== undefined && <TablePage key={resource} kind={shown} query={route.query} />}
      {Shown !== undefined && (resource === undefined || shown !== undefined) && (
        <Shown key={key} {...props} chosen={namespace} />
      )}
    </>
  )
}

const NOTHING: ObjectName = { namespace: '', name: '' }

interface ShownProps extends Omit<CreateRoute, 'page' | 'resource'> {
  readonly kinds: readonly Kind[]
  readonly kind: Kind
  readonly named: ObjectName
  /** The chosen namespaces. The `namespace` may be that of the route. */
  readonly chosen: string
}

type Load = () => Promise<FunctionComponent<ShownProps>>

/** Pages are loaded at their first visit: the editor and the charts are larger than all the rest. */
const LOADERS: Readonly<Record<Route['page'], Load | undefined>> = {
  table: undefined,
  object: async () => (await import('./object-page.tsx')).ObjectPage,
  create: async () => (await import('./create-page.tsx')).CreatePage,
  apply: async () => (await import('./apply-page.tsx')).ApplyPage,
  overview: async () => (await import('./overview-page.tsx')).OverviewPage,
  graph: async () => (await import('./graph-page.tsx')).GraphPage,
  server: async () => (await import('./server-page.tsx')).ServerPage,
  definitions: async () => (await import('./definitions-page.tsx')).DefinitionsPage,
  access: async () => (await import('./access-page.tsx')).AccessPage,
}

interface Loaded {
  readonly by: Load
  readonly page: FunctionComponent<ShownProps>
}

async function readPage(load: Load | undefined): Promise<Loaded | undefined> {
  try {
    return load === undefined ? undefined : { by: load, page: await load() }
  } catch (error) {
    throw new UnreachableError(error)
  }
}

/** The kinds are read again regularly: definitions come and go. */
const KINDS_EVERY_MS = 30_000

interface KnownKinds {
  readonly kinds: readonly Kind[] | undefined
  readonly problem: Problem | undefined
}

/** `wanted`: the resource of the page, which may be new. */
function useKinds(wanted: string | undefined): KnownKinds {
  const [served] = useState(() => new Kinds())
  const [missing, setMissing] = useState<string>()
  const { value: kinds, problem } = usePolled(() => served.read(), KINDS_EVERY_MS, missing)
  const isKnown = kinds === undefined || kinds.some((kind) => resourceName(kind) === wanted)
  useEffect(() => setMissing(isKnown ? undefined : wanted), [wanted])
  return { kinds, problem }
}

/** Links between pages do not reload the page. */
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

/** A key focuses the field with this hotkey, unless another field has the focus. */
function useHotkeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key = pageKey(event)
      const field =
        key === undefined || !/^[/fn]$/.test(key) ? null : document.querySelector<HTMLElement>(`[data-hotkey="${key}"]`)
      if (field === null) return
      event.preventDefault()
      field.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
