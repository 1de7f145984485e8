// /debug/watchers: JSON for programs that ask for it, else a table for a terminal.
import { parseAccept } from '../codec/media-type.ts'
import type { Handler } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import { tableText } from '../lib/table-text.ts'
import { headerOf } from './resource-parts.ts'
import { inOrderOfWaiting, type WatcherStatus, type Watchers } from './watchers.ts'

/** `elsewhere`: those of other processes of this server. */
export function showWatchers(watchers: Watchers, elsewhere?: () => Promise<readonly WatcherStatus[]>): Handler {
  return async (request) => {
    const found = inOrderOfWaiting([...watchers.statuses(), ...((await elsewhere?.()) ?? [])])
    const revision = String(watchers.revision)
    if (!asksForJson(headerOf(request, 'accept'))) {
      return bytesOf('text/plain; charset=utf-8', Buffer.from(tableOf(found, revision)))
    }
    return bytesOf(
      'application/json',
      Buffer.from(`${JSON.stringify({ resourceVersion: revision, watchers: found })}\n`),
    )
  }
}

function asksForJson(accept: string): boolean {
  const [first] = parseAccept(accept)
  return first?.type === 'application' && first.subtype === 'json'
}

const COLUMNS: readonly (readonly [title: string, cell: (watcher: WatcherStatus) => string | number])[] = [
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
const WIDEST_CELL = 40

function tableOf(watchers: readonly WatcherStatus[], revision: string): string {
  const rows = watchers.map((watcher) => COLUMNS.map(([, cell]) => shown(String(cell(watcher)))))
  const text = tableText([COLUMNS.map(([title]) => title), ...rows])
  return `${watchers.length} watchers at resourceVersion ${revision}\n${text}`
}

function shown(cell: string): string {
  return cell.length > WIDEST_CELL ? `${cell.slice(0, WIDEST_CELL - 3)}...` : cell
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = bytes / 1024 ** unit
  return `${unit === 0 || number >= 10 ? Math.round(number) : number.toFixed(1)}${UNITS[unit]}`
}
