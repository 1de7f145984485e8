// What the watch cache counts, type by type, under the names that dashboards know.
import type { GroupResource } from '../api/object.ts'
import { counterFamily, type Count, type Distribution, type Family, histogramFamily, Measures } from '../lib/measure.ts'

const OF_TYPE: readonly string[] = ['group', 'resource']
const WAIT_BOUNDS: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]

export class CacheMeasures extends Measures {
  readonly received = ofType('apiserver_watch_cache_events_received_total', 'Changes taken from the storage’s stream.')
  readonly storageEvents = ofType('apiserver_storage_events_received_total', 'Changes that the storage told of.')
  readonly dispatched = ofType('apiserver_watch_cache_events_dispatched_total', 'Changes offered to watchers.')
  readonly initializations = ofType('apiserver_watch_cache_initializations_total', 'Times that a type was loaded.')
  readonly terminated = ofType('apiserver_terminated_watchers_total', 'Watches ended because history was lost.')
  readonly unreadable = ofType('apiserver_storage_decode_errors_total', 'Stored objects that could not be read.')
  readonly initEvents = ofType('apiserver_init_events_total', 'Events of states that watches began with.')
  readonly lists = counterFamily({
    name: 'apiserver_cache_list_total',
    help: 'Lists answered from memory.',
    labels: [...OF_TYPE, 'index'],
  })
  readonly fetched = counterFamily({
    name: 'apiserver_cache_list_fetched_objects_total',
    help: 'Objects that they were chosen from.',
    labels: [...OF_TYPE, 'index'],
  })
  readonly returned = ofType('apiserver_cache_list_returned_objects_total', 'Objects that they gave.')
  readonly consistent = counterFamily({
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Reads that had to be current.',
    labels: [...OF_TYPE, 'success', 'fallback'],
  })
  readonly waited = histogramFamily({
    name: 'apiserver_watch_cache_read_wait_seconds',
    help: 'How long reads waited for the cache to be new enough.',
    labels: OF_TYPE,
    bounds: WAIT_BOUNDS,
  })
  readonly increased = ofType('watch_cache_capacity_increase_total', 'Times that this became more.')
  readonly decreased = ofType('watch_cache_capacity_decrease_total', 'Times that this became less.')
  readonly #types = new Map<string, TypeMeasures>()

  /** Series may be gone that were found before. */
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
  /** Reads that had to be current and were answered from memory. */
  readonly current: Count
  /** Those that the storage answered. */
  readonly fallback: Count
  readonly waited: Distribution
}

function ofType(name: string, help: string): Family<Count> {
  return counterFamily({ name, help, labels: OF_TYPE })
}
