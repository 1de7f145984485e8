// The metrics of the watch cache, by type, under the reference's names.
import type { GroupResource } from '../api/object.ts'
import { counter, type Count, type Distribution, type Family, histogram, Measures } from '../lib/measure.ts'

const OF_TYPE: readonly string[] = ['group', 'resource']
const WAIT_BOUNDS: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]

export class CacheMeasures extends Measures {
  readonly received = ofType('apiserver_watch_cache_events_received_total', 'Events received by the watch cache.')
  readonly storageEvents = ofType('apiserver_storage_events_received_total', 'Watch events received from storage.')
  readonly dispatched = ofType('apiserver_watch_cache_events_dispatched_total', 'Events dispatched to watchers.')
  readonly initializations = ofType(
    'apiserver_watch_cache_initializations_total',
    'Initializations of the watch cache.',
  )
  readonly terminated = ofType(
    'apiserver_terminated_watchers_total',
    'Watchers terminated because the history they needed was gone.',
  )
  readonly unreadable = ofType('apiserver_storage_decode_errors_total', 'Stored objects that failed to decode.')
  readonly initEvents = ofType('apiserver_init_events_total', 'Initial events sent to watchers.')
  readonly lists = counter('apiserver_cache_list_total', 'LIST requests served from the watch cache.', [
    ...OF_TYPE,
    'index',
  ])
  readonly fetched = counter(
    'apiserver_cache_list_fetched_objects_total',
    'Objects read from the watch cache for LIST requests.',
    [...OF_TYPE, 'index'],
  )
  readonly returned = ofType(
    'apiserver_cache_list_returned_objects_total',
    'Objects returned for LIST requests from the watch cache.',
  )
  readonly consistent = counter(
    'apiserver_watch_cache_consistent_read_total',
    'Consistent reads, by whether the cache served them or storage did (fallback).',
    [...OF_TYPE, 'success', 'fallback'],
  )
  readonly waited = histogram(
    'apiserver_watch_cache_read_wait_seconds',
    'Seconds reads waited for the watch cache to become fresh enough.',
    { labels: OF_TYPE, bounds: WAIT_BOUNDS },
  )
  readonly increased = ofType(
    'watch_cache_capacity_increase_total',
    'Times the capacity of the watch cache was increased.',
  )
  readonly decreased = ofType(
    'watch_cache_capacity_decrease_total',
    'Times the capacity of the watch cache was decreased.',
  )
  readonly #types = new Map<string, TypeMeasures>()

  /** Forgets the series that were looked up, because some of them may be removed. */
  forgetFound(): void {
    this.#types.clear()
  }

  of({ group, resource }: GroupResource): TypeMeasures {
    const key = `${group} ${resource}`
    const known = this.#types.get(key)
    if (known !== undefined) return known
    const made: TypeMeasures = {
      received: this.received.of(group, resource),
      storageEvents: this.storageEvents.of(group, resource),
      dispatched: this.dispatched.of(group, resource),
      terminated: this.terminated.of(group, resource),
      unreadable: this.unreadable.of(group, resource),
      initEvents: this.initEvents.of(group, resource),
      lists: this.lists.of(group, resource, ''),
      fetched: this.fetched.of(group, resource, ''),
      returned: this.returned.of(group, resource),
      current: this.consistent.of(group, resource, 'true', 'false'),
      fallback: this.consistent.of(group, resource, 'true', 'true'),
      waited: this.waited.of(group, resource),
    }
    this.#types.set(key, made)
    return made
  }
}

export interface TypeMeasures {
  readonly received: Count
  readonly storageEvents: Count
  readonly dispatched: Count
  readonly terminated: Count
  readonly unreadable: Count
  readonly initEvents: Count
  readonly lists: Count
  readonly fetched: Count
  readonly returned: Count
  /** Consistent reads that were answered from memory. */
  readonly current: Count
  /** Consistent reads that the storage answered. */
  readonly fallback: Count
  readonly waited: Distribution
}

function ofType(name: string, help: string): Family<Count> {
  return counter(name, help, OF_TYPE)
}
