// /debug/requests: the users that took the most time recently, the open requests, and the requests with the longest turns of the last
// minutes. A client can request JSON. Other clients get tables for a terminal.
import type { Handler } from '../http/http.ts'
import type { ClientUse, RequestsReport, RequestStatus } from '../http/turn-ledger.ts'
import { type Columns, tableOf } from '../lib/table-text.ts'
import { showPage } from './watchers-page.ts'

export interface WorkerRequests {
  /** Undefined if there are no workers. */
  readonly worker: string | undefined
  readonly report: RequestsReport
}

type Shown<T> = T & { readonly worker?: string | undefined }

const CLIENTS: Columns<Shown<ClientUse>> = [
  ['USER', ({ user }) => user],
  ['LATELY', ({ recentMs }) => `${Math.round(recentMs)}ms`],
  ['SINCE-START', ({ busyMs }) => `${Math.round(busyMs)}ms`],
  ['REQUESTS', ({ requests }) => requests],
  ['WORKER', ({ worker = '' }) => worker],
]
const REQUESTS: Columns<Shown<RequestStatus>> = [
  ['USER', ({ user }) => user],
  ['AGENT', ({ agent }) => agent.split(' ', 1)[0]!],
  ['VERB', ({ verb }) => verb],
  ['RESOURCE', ({ resource }) => resource],
  ['PATH', ({ path }) => path],
  ['LONGEST-TURN', ({ longestTurnMs }) => `${longestTurnMs}ms`],
  ['BUSY', ({ busyMs }) => `${busyMs}ms`],
  ['TOOK', ({ milliseconds }) => `${milliseconds}ms`],
  ['RECEIVED', ({ receivedBytes }) => receivedBytes],
  ['SENT', ({ sentBytes }) => sentBytes],
  ['STATUS', ({ status }) => (status === 0 ? '' : status)],
  ['AT', ({ at }) => at],
  ['AUDIT-ID', ({ auditId }) => auditId],
  ['WORKER', ({ worker = '' }) => worker],
]

export function showRequests(read: () => Promise<readonly WorkerRequests[]>): Handler {
  return async (request) => {
    const all = await read()
    const of = <T>(pick: (report: RequestsReport) => readonly T[], rank: (one: T) => number): Shown<T>[] =>
      all
        .flatMap(({ worker, report }) => pick(report).map((one) => ({ ...one, worker })))
        .sort((a, b) => rank(b) - rank(a))
    const clients = of(
      (report) => report.clients,
      ({ recentMs }) => recentMs,
    )
    const running = of(
      (report) => report.running,
      ({ busyMs }) => busyMs,
    )
    const slowest = of(
      (report) => report.slowest,
      ({ longestTurnMs }) => longestTurnMs,
    )
    const text = (): string =>
      [
        `Users by their recent time on the event loop and in threads (halved every minute): ${clients.length}\n`,
        tableOf(CLIENTS, clients),
        `\nRequests under way: ${running.length}\n`,
        tableOf(REQUESTS, running),
        `\nRequests with a turn of more than 100 ms, of the last five minutes: ${slowest.length}\n`,
        tableOf(REQUESTS, slowest),
      ].join('')
    return showPage(request, { clients, running, slowest }, text)
  }
}
