// What flow control counts, under the names that dashboards know.
import {
  type Count,
  counterFamily,
  type Distribution,
  type Family,
  gaugeFamily,
  histogramFamily,
  Measures,
} from '../lib/measure.ts'

const WAIT_BOUNDS: readonly number[] = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
const SEAT_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 100]
const OF_FLOW: readonly string[] = ['priority_level', 'flow_schema']
const OF_LEVEL: readonly string[] = ['priority_level']
const PREFIX = 'apiserver_flowcontrol_'

export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out'

export class FlowMeasures extends Measures {
  readonly dispatched = counterFamily({
    name: `${PREFIX}dispatched_requests_total`,
    help: 'Requests that were let go.',
    labels: OF_FLOW,
  })
  readonly rejected = counterFamily({
    name: `${PREFIX}rejected_requests_total`,
    help: 'Requests that were turned away, and why.',
    labels: [...OF_FLOW, 'reason'],
  })
  readonly executing = flowGauge('current_executing_requests', 'Requests that run, or in the case of watches begin.')
  readonly executingSeats = flowGauge('current_executing_seats', 'Seats that are taken.')
  readonly inQueue = flowGauge('current_inqueue_requests', 'Requests that wait.')
  readonly waitSeconds = histogramFamily({
    name: `${PREFIX}request_wait_duration_seconds`,
    help: 'How long requests waited, and whether they were let go in the end.',
    labels: [...OF_FLOW, 'execute'],
    bounds: WAIT_BOUNDS,
  })
  readonly executionSeconds = histogramFamily({
    name: `${PREFIX}request_execution_seconds`,
    help: 'How long requests held their seats.',
    labels: [...OF_FLOW, 'type'],
    bounds: WAIT_BOUNDS,
  })
  readonly seats = histogramFamily({
    name: `${PREFIX}work_estimated_seats`,
    help: 'How many seats requests were taken to need, at their widest.',
    labels: OF_FLOW,
    bounds: SEAT_BOUNDS,
  })
  readonly waiting = gaugeFamily({
    name: 'apiserver_current_inqueue_requests',
    help: 'Requests that wait for their turn.',
    labels: ['request_kind'],
  })
  readonly nominal = levelGauge('nominal_limit_seats', 'Seats by right.')
  readonly current = levelGauge('current_limit_seats', 'Seats at this time, with what is lent and borrowed.')
  readonly lower = levelGauge('lower_limit_seats', 'Seats that are never lent.')
  readonly upper = levelGauge('upper_limit_seats', 'Seats that there can be at most.')
  readonly average = levelGauge('demand_seats_average', 'Seats wanted, on average over the last period.')
  readonly deviation = levelGauge('demand_seats_stdev', 'By how much that varied.')
  readonly highest = levelGauge('demand_seats_high_watermark', 'The most seats wanted in the last period.')
  readonly smoothed = levelGauge('demand_seats_smoothed', 'Seats wanted, as limits are adjusted by.')

  /** These are the schemas with their levels, and no others. */
  configured(flows: readonly { readonly level: string; readonly schema: string }[], levels: ReadonlySet<string>): void {
    const pairs = new Set(flows.map(({ level, schema }) => `${level} ${schema}`))
    for (const family of this.all()) {
      if (family.labels[0] !== OF_LEVEL[0]) continue
      const isOfFlow = family.labels[1] === OF_FLOW[1]
      family.forget(([level, schema]) => (isOfFlow ? !pairs.has(`${level} ${schema}`) : !levels.has(level!)))
    }
  }
}

/** The series of one schema, found once. */
export interface SchemaMeasures {
  readonly dispatched: Count
  readonly executing: Count
  readonly executingSeats: Count
  readonly inQueue: Count
  readonly waited: Distribution
  readonly seats: Distribution
  readonly regular: Distribution
  readonly watching: Distribution
}

export function measuresOf(measures: FlowMeasures, level: string, schema: string): SchemaMeasures {
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
  return gaugeFamily({ name: `${PREFIX}${name}`, help, labels: OF_FLOW })
}

function levelGauge(name: string, help: string): Family<Count> {
  return gaugeFamily({ name: `${PREFIX}${name}`, help, labels: OF_LEVEL })
}
