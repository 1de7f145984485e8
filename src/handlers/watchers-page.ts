// /debug/watchers: JSON for programs that request it, else a table for a terminal.
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import { parseAccept } from '../codec/media-type.ts'
import type { CallerHandler, HttpRequest, HttpResponse } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import { type Columns, tableOf, tableText } from '../lib/table-text.ts'
import { headerOf } from './resource-parts.ts'
import { inOrderOfWaiting, type WatcherStatus, type Watchers } from './watchers.ts'

/** The watchers of another replica. */
export interface ReplicaWatchers {
  readonly replica: string
  readonly watchers: readonly WatcherStatus[]
  /** The reason why the replica did not answer. */
  readonly problem?: string
}

export interface WatchersElsewhere {
  /** The watchers of other processes of this server. */
  readonly workers?: (() => Promise<readonly WatcherStatus[]>) | undefined
  /** Absent: there are no other replicas. */
  readonly replicas?: Replicas
}

export interface Replicas {
  /** The name of this replica. */
  readonly ownName: string
  /** The watchers of other replicas that the user may see. */
  readonly ask: (user: User, signal: AbortSignal) => Promise<readonly ReplicaWatchers[]>
}

/** Shows the watchers of this server or, with `?replicas=all`, of every replica on the store. */
export function showWatchers(watchers: Watchers, { workers, replicas }: WatchersElsewhere = {}): CallerHandler {
  return async (request, { user }) => {
    const asksAll = asksForReplicas(request)
    const [ofWorkers = [], others = []] = await Promise.all([
      workers?.(),
      asksAll ? replicas?.ask(user, request.signal) : undefined,
    ])
    const own = [...watchers.statuses(), ...ofWorkers]
    const page = { resourceVersion: String(watchers.revision) }
    const shown = asksAll
      ? { ...page, ...ofAllReplicas({ replica: replicas?.ownName ?? '', watchers: own }, others) }
      : { ...page, watchers: inOrderOfWaiting(own) }
    return showPage(request, shown, () => pageText(shown))
  }
}

function asksForReplicas({ query }: HttpRequest): boolean {
  const asked = query.get('replicas')
  if (asked === undefined || asked === 'all') return asked === 'all'
  throw new ApiError('BadRequest', 'replicas must be all, or left out')
}

interface WatchersPage {
  readonly resourceVersion: string
  readonly watchers: readonly ShownWatcher[]
  /** Present if all replicas were requested. */
  readonly replicas?: readonly { readonly name: string; readonly problem?: string }[]
}

interface ShownWatcher extends WatcherStatus {
  readonly replica?: string
}

function ofAllReplicas(
  own: ReplicaWatchers,
  others: readonly ReplicaWatchers[],
): Omit<WatchersPage, 'resourceVersion'> {
  const all = [own, ...others]
  return {
    replicas: all.map(({ replica: name, problem }) => (problem === undefined ? { name } : { name, problem })),
    watchers: inOrderOfWaiting(
      all.flatMap(({ replica, watchers }) => watchers.map((watcher) => ({ ...watcher, replica }))),
    ),
  }
}

/** JSON for programs that request it, else the text. */
export function showPage(request: HttpRequest, page: object, text: () => string): HttpResponse {
  const [first] = parseAccept(headerOf(request, 'accept'))
  const asksForJson = first?.type === 'application' && first.subtype === 'json'
  if (asksForJson) return bytesOf('application/json', Buffer.from(`${JSON.stringify(page)}\n`))
  return bytesOf('text/plain; charset=utf-8', Buffer.from(text()))
}

const COLUMNS: Columns<ShownWatcher> = [
  ['USER', ({ user }) => user],
  ['AGENT', ({ agent }) => agent.split(' ', 1)[0]!],
  ['RESOURCE', ({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)],
  ['NAMESPACE', ({ namespace }) => namespace],
  ['SELECTOR', ({ labelSelector, fieldSelector }) => [labelSelector, fieldSelector].filter(Boolean).join(' ')],
  ['SINCE', ({ since }) => since],
  ['VERSION', ({ resourceVersion }) => resourceVersion],
  ['LAG', ({ lag }) => lag],
  ['SENT', ({ sentBytes }) => bytesText(sentBytes)],
  ['WAITING', ({ waitingBytes }) => bytesText(waitingBytes)],
  ['OLDEST', ({ waitingMs }) => (waitingMs === 0 ? '' : `${waitingMs}ms`)],
  ['RECONNECTS', ({ reconnects }) => reconnects],
  ['RELISTS', ({ relists }) => relists],
]
const WITH_REPLICA: Columns<ShownWatcher> = [['REPLICA', ({ replica = '' }) => replica], ...COLUMNS]

function pageText({ resourceVersion, watchers, replicas }: WatchersPage): string {
  const where = replicas === undefined ? '' : ` of ${replicas.length} ${replicas.length === 1 ? 'replica' : 'replicas'}`
  const silent = (replicas ?? []).flatMap(({ name, problem }) =>
    problem === undefined ? [] : [tableText([[`${name} does not tell who watches it: ${problem}`]])],
  )
  const title = `${watchers.length} watchers${where} at resourceVersion ${resourceVersion}\n`
  return `${title}${silent.join('')}${tableOf(replicas === undefined ? COLUMNS : WITH_REPLICA, watchers)}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = bytes / 1024 ** unit
  return `${unit === 0 || number >= 10 ? Math.round(number) : number.toFixed(1)}${UNITS[unit]}`
}
