// The metrics of watches.
import { type Count, counter, type Distribution, type Family, histogram } from '../lib/measure.ts'

const OF_TYPE: readonly string[] = ['group', 'version', 'resource']
const SIZE_BOUNDS: readonly number[] = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072]
const SECOND_BOUNDS: readonly number[] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60]

export class WatchMeasures {
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

  all(): readonly Family[] {
    return [this.events, this.sizes, this.lists]
  }

  of(type: { readonly group: string; readonly version: string; readonly resource: string }, scope: string): OneWatch {
    const labels = [type.group, type.version, type.resource]
    return {
      events: this.events.of(...labels),
      sizes: this.sizes.of(...labels),
      lists: this.lists.of(...labels, scope),
    }
  }
}

/** What one watch is counted in. */
export interface OneWatch {
  readonly events: Count
  readonly sizes: Distribution
  readonly lists: Distribution
}
