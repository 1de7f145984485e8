// The metrics of flow control, under the reference's names.
import { type Count, counter, type Family, gauge, histogram, Measures } from '../lib/measure.ts'

const WAIT_BOUNDS: readonly number[] = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
const SEAT_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 100]
const OF_FLOW: readonly string[] = ['priority_level', 'flow_schema']
const OF_LEVEL: readonly string[] = ['priority_level']
const PREFIX = 'apiserver_flowcontrol_'

export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out'

export class FlowMeasures extends Measures {
  readonly dispatched = counter(
    `${PREFIX}dispatched_requests_total`,
    'Requests executed by priority and fairness.',
    OF_FLOW,
  )
  readonly rejected = counter(
    `${PREFIX}rejected_requests_total`,
    'Requests rejected by priority and fairness, by reason.',
    [...OF_FLOW, 'reason'],
  )
  readonly executing = flowGauge(
    'current_executing_requests',
    'Requests in the initial (for a watch) or any (otherwise) execution stage.',
  )
  readonly executingSeats = flowGauge('current_executing_seats', 'Seats occupied by executing requests.')
  readonly inQueue = flowGauge('current_inqueue_requests', 'Requests pending in queues.')
  readonly waitSeconds = histogram(
    `${PREFIX}request_wait_duration_seconds`,
    'Seconds requests spent waiting in a queue, by whether they were executed.',
    { labels: [...OF_FLOW, 'execute'], bounds: WAIT_BOUNDS },
  )
  readonly executionSeconds = histogram(`${PREFIX}request_execution_seconds`, 'Seconds of request execution.', {
    labels: [...OF_FLOW, 'type'],
    bounds: WAIT_BOUNDS,
  })
  readonly seats = histogram(
    `${PREFIX}work_estimated_seats`,
    'Estimated number of seats of a request, maximum of its stages.',
    { labels: OF_FLOW, bounds: SEAT_BOUNDS },
  )
  readonly waiting = gauge(
    'apiserver_current_inqueue_requests',
    'Requests queued in priority and fairness, by read-only or mutating.',
    ['request_kind'],
  )
  readonly nominal = levelGauge('nominal_limit_seats', 'Nominal number of execution seats of the priority level.')
  readonly current = levelGauge('current_limit_seats', 'Current limit on execution seats, after borrowing and lending.')
  readonly lower = levelGauge('lower_limit_seats', 'Lower bound of execution seats: those that are not lent.')
  readonly upper = levelGauge('upper_limit_seats', 'Upper bound of execution seats, including borrowed ones.')
  readonly average = levelGauge(
    'demand_seats_average',
    'Time-weighted average of seat demand in the last adjustment period.',
  )
  readonly deviation = levelGauge(
    'demand_seats_stdev',
    'Time-weighted standard deviation of seat demand in the last adjustment period.',
  )
  readonly highest = levelGauge(
    'demand_seats_high_watermark',
    'High watermark of seat demand in the last adjustment period.',
  )
  readonly smoothed = levelGauge('demand_seats_smoothed', 'Smoothed seat demand, which limits are adjusted by.')

  /** Forgets the series of all other schemas and levels. */
  configured(flows: readonly { readonly level: string; readonly schema: string }[], levels: ReadonlySet<string>): void {
    const pairs = new Set(flows.map(({ level, schema }) => `${level} ${schema}`))
    for (const family of this.all()) {
      if (family.labels[0] !== OF_LEVEL[0]) continue
      const isOfFlow = family.labels[1] === OF_FLOW[1]
      family.forget(([level, schema]) => (isOfFlow ? !pairs.has(`${level} ${schema}`) : !levels.has(level!)))
    }
  }
}

/** The series of one schema. They are looked up once. */
export type SchemaMeasures = ReturnType<typeof measuresOf>

export function measuresOf(measures: FlowMeasures, level: string, schema: string) {
  return {
    dispatched: measures.dispatched.of(level, schema),
    executing: measures.executing.of(level, schema),
    executingSeats: measures.executingSeats.of(level, schema),
    inQueue: measures.inQueue.of(level, schema),
    waited: measures.waitSeconds.of(level, schema, 'true'),
    seats: measures.seats.of(level, schema),
    regular: measures.executionSeconds.of(level, schema, 'regular'),
    watching: measures.executionSeconds.of(level, schema, 'watch'),
  }
}

function flowGauge(name: string, help: string): Family<Count> {
  return gauge(`${PREFIX}${name}`, help, OF_FLOW)
}

function levelGauge(name: string, help: string): Family<Count> {
  return gauge(`${PREFIX}${name}`, help, OF_LEVEL)
}
