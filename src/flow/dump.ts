// The debug dumps of priority and fairness (P-219).
import type { PriorityAndFairness } from './priority-and-fairness.ts'
import type { Ticket } from './ticket.ts'

export type Row = readonly (string | number | boolean)[]

const LEVEL_COLUMNS: readonly string[] = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
]

function levels(control: PriorityAndFairness): readonly Row[] {
  return control.levels.map((level) => {
    const waiting = level.queues?.waiting ?? 0
    const active = level.queues?.all.filter((queue) => queue.isActive).length ?? 0
    const counts = [waiting, level.running, level.dispatched, level.rejected, level.timedOut, 0]
    return [level.spec.name, active, waiting + level.running === 0, false, ...counts]
  })
}

const QUEUE_COLUMNS: readonly string[] = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
]

function queues(control: PriorityAndFairness): readonly Row[] {
  return control.levels.flatMap((level) =>
    (level.queues?.all ?? []).map((queue, index) => [
      level.spec.name,
      index,
      queue.waiting.size,
      queue.running,
      queue.seatsInUse,
      `${queue.due.toFixed(8)}ss`,
      ...sums([...queue.waiting]),
    ]),
  )
}

function sums(waiting: readonly Ticket[]): readonly (string | number)[] {
  const sum = (read: (ticket: Ticket) => number): number => waiting.reduce((total, ticket) => total + read(ticket), 0)
  const work = sum((ticket) => ticket.estimatedWork).toFixed(8)
  return [sum((ticket) => ticket.work.seats), sum((ticket) => ticket.mostSeats), `${work}ss`]
}

const REQUEST_COLUMNS: readonly string[] = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
]

function requests(control: PriorityAndFairness): readonly Row[] {
  return control.levels.flatMap((level) =>
    (level.queues?.all ?? []).flatMap((queue, index) =>
      [...queue.waiting].map((ticket, place) => [level.spec.name, ticket.schemaName, index, place, ...about(ticket)]),
    ),
  )
}

function about({ flow, cameAt, work }: Ticket): readonly (string | number)[] {
  return [flow, new Date(cameAt).toISOString(), work.seats, work.seatsAfter, `${work.afterMs}ms`]
}

const DUMPS = {
  dump_priority_levels: { columns: LEVEL_COLUMNS, rows: levels },
  dump_queues: { columns: QUEUE_COLUMNS, rows: queues },
  dump_requests: { columns: REQUEST_COLUMNS, rows: requests },
} as const

/** A dump, named by the last part of its path. */
export type DumpName = keyof typeof DUMPS
export const DUMP_NAMES = Object.keys(DUMPS) as readonly DumpName[]

export function dumpRows(name: DumpName, control: PriorityAndFairness): readonly Row[] {
  return DUMPS[name].rows(control)
}

/** If there are rows of several workers, the last column names the worker. */
export function dumpText(name: DumpName, rows: readonly Row[], isOfWorkers = false): string {
  const { columns } = DUMPS[name]
  return table(isOfWorkers ? [...columns, 'Worker'] : columns, rows)
}

/** Returns a table with columns as wide as their contents. Names may have any character. Characters that are not printable become `?`. */
function table(columns: readonly string[], rows: readonly Row[]): string {
  const cells = [columns, ...rows.map((row) => row.map((cell) => String(cell).replaceAll(/[^ -~]/g, '?')))]
  const widths = columns.map((_, at) => cells.reduce((most, row) => Math.max(most, row[at]!.length), 0) + 2)
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, at) => `${cell},`.padEnd(widths[at]!))
          .join('')
          .trimEnd()}\n`,
    )
    .join('')
}
