// The metrics of watches.
import { type Count, counter, type Distribution, histogram, Measures } from '../lib/measure.ts'

const OF_TYPE: readonly string[] = ['group', 'version', 'resource']
const SIZE_BOUNDS: readonly number[] = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072]
const LATENCY_BOUNDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** The bounds of level 1.37, which include those of level 1.36. */
const SECOND_BOUNDS: readonly number[] = [
  0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300,
]

export class WatchMeasures extends Measures {
  readonly events = counter('apiserver_watch_events_total', 'Watch events sent to clients.', OF_TYPE)
  readonly sizes = histogram('apiserver_watch_events_sizes', 'Size of watch events in bytes.', {
    labels: OF_TYPE,
    bounds: SIZE_BOUNDS,
  })
  readonly lists = histogram(
    'apiserver_watch_list_duration_seconds',
    'Seconds to send the initial events of a watch.',
    { labels: [...OF_TYPE, 'scope'], bounds: SECOND_BOUNDS },
  )

  readonly latency = histogram(
    'quarterdeck_watch_latency_seconds',
    'Seconds from the arrival of a change in this server until it was sent to a watcher. Of changes sent together, only the first counts.',
    { labels: OF_TYPE, bounds: LATENCY_BOUNDS },
  )
  readonly slow = counter('quarterdeck_slow_watchers_total', 'Times that a watch client did not keep up.', OF_TYPE, {
    fromZero: true,
  })
  readonly refused = counter(
    'quarterdeck_watches_refused_total',
    'Watches refused because the watches of their user or connection use too much memory.',
    ['limit'],
  )
  readonly relistLoops = counter(
    'quarterdeck_relist_loops_total',
    'Relists of clients that relisted at least five times in five minutes.',
    ['group', 'resource'],
    { fromZero: true },
  )

  of(type: { readonly group: string; readonly version: string; readonly resource: string }, scope: string): OneWatch {
    const labels = [type.group, type.version, type.resource]
    // The series exist before the first count.
    this.slow.of(...labels)
    this.relistLoops.of(type.group, type.resource)
    return {
      events: this.events.of(...labels),
      sizes: this.sizes.of(...labels),
      lists: this.lists.of(...labels, scope),
      latency: this.latency.of(...labels),
    }
  }
}

/** The counters of one watch. */
export interface OneWatch {
  readonly events: Count
  readonly sizes: Distribution
  readonly lists: Distribution
  readonly latency: Distribution
}
