// /debug/requests: the users whose requests took the most time lately, the requests under way, and those with the longest turns of the last
// minutes. JSON for programs that ask for it, else tables for a terminal.
import type { Handler } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import type { ClientUse, RequestsReport, RequestStatus } from '../http/turn-ledger.ts'
import { tableText } from '../lib/table-text.ts'
import { headerOf } from './resource-parts.ts'
import { asksForJson } from './watchers-page.ts'

export interface WorkerRequests {
  /** Undefined where there are no workers. */
  readonly worker: string | undefined
  readonly report: RequestsReport
}

type Shown<T> = T & { readonly worker?: string }
type Columns<T> = readonly (readonly [title: string, cell: (one: Shown<T>) => string | number])[]

const CLIENTS: Columns<ClientUse> = [
  ['USER', ({ user }) => user],
  ['LATELY', ({ recentMs }) => `${Math.round(recentMs)}ms`],
  ['SINCE-START', ({ busyMs }) => `${Math.round(busyMs)}ms`],
  ['REQUESTS', ({ requests }) => requests],
]
const REQUESTS: Columns<RequestStatus> = [
  ['USER', ({ user }) => user],
  ['AGENT', ({ agent }) => agent.split(' ', 1)[0]!],
  ['VERB', ({ verb }) => verb],
  ['RESOURCE', ({ resource }) => resource],
  ['NAMESPACE', ({ namespace }) => namespace],
  ['NAME', ({ name }) => name],
  ['LONGEST-TURN', ({ longestTurnMs }) => `${longestTurnMs}ms`],
  ['BUSY', ({ busyMs }) => `${busyMs}ms`],
  ['TOOK', ({ milliseconds }) => `${milliseconds}ms`],
  ['RECEIVED', ({ receivedBytes }) => receivedBytes],
  ['SENT', ({ sentBytes }) => sentBytes],
  ['STATUS', ({ status }) => (status === 0 ? '' : status)],
  ['AT', ({ at }) => at],
  ['AUDIT-ID', ({ auditId }) => auditId],
]
const WIDEST_CELL = 48

export function showRequests(read: () => Promise<readonly WorkerRequests[]>): Handler {
  return async (request) => {
    const all = await read()
    const of = <T>(pick: (report: RequestsReport) => readonly T[]): Shown<T>[] =>
      all.flatMap(({ worker, report }) =>
        pick(report).map((one) => ({ ...one, ...(worker === undefined ? {} : { worker }) })),
      )
    const clients = of(({ clients: each }) => each).sort((a, b) => b.recentMs - a.recentMs)
    const running = of(({ running: each }) => each).sort(
      (a, b) => b.busyMs - a.busyMs || b.milliseconds - a.milliseconds,
    )
    const slowest = of(({ slowest: each }) => each).sort((a, b) => b.longestTurnMs - a.longestTurnMs)
    if (asksForJson(headerOf(request, 'accept'))) {
      return bytesOf('application/json', Buffer.from(`${JSON.stringify({ clients, running, slowest })}\n`))
    }
    const hasWorkers = all.some(({ worker }) => worker !== undefined)
    const text = [
      section(
        'Users by time of the event loop and of threads, lately: half of it is forgotten every minute',
        clients,
        CLIENTS,
        hasWorkers,
      ),
      section('Requests under way', running, REQUESTS, hasWorkers),
      section('Requests with a turn of more than 100 ms, of the last five minutes', slowest, REQUESTS, hasWorkers),
    ].join('\n')
    return bytesOf('text/plain; charset=utf-8', Buffer.from(text))
  }
}

function section<T>(title: string, rows: readonly Shown<T>[], columns: Columns<T>, hasWorkers: boolean): string {
  const ofWorker: Columns<T> = hasWorkers ? [['WORKER', ({ worker = '' }) => worker]] : []
  const all = [...columns, ...ofWorker]
  const heads = all.map(([name]) => name)
  return `${title}: ${rows.length}\n${tableText([heads, ...rows.map((row) => all.map(([, cell]) => cropped(String(cell(row)))))])}`
}

function cropped(cell: string): string {
  return cell.length > WIDEST_CELL ? `${cell.slice(0, WIDEST_CELL - 3)}...` : cell
}
