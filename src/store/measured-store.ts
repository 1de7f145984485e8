// A store whose calls to the storage are counted and timed, under the names that dashboards know.
import { counterFamily, type Count, type Distribution, type Family, histogramFamily } from '../lib/measure.ts'
import type { GroupResource } from '../api/object.ts'
import type { FollowableStore } from './kv-store.ts'
import type { ListPage, WriteResult } from './store.ts'

const DURATION_BOUNDS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const OF_OPERATION: readonly string[] = ['operation', 'group', 'resource']
const OF_TYPE: readonly string[] = ['group', 'resource']

export class StoreMeasures {
  readonly seconds = histogramFamily({
    name: 'etcd_request_duration_seconds',
    help: 'How long calls to the storage took.',
    labels: OF_OPERATION,
    bounds: DURATION_BOUNDS,
  })
  readonly requests = counterFamily({
    name: 'etcd_requests_total',
    help: 'Calls to the storage.',
    labels: OF_OPERATION,
  })
  readonly errors = counterFamily({
    name: 'etcd_request_errors_total',
    help: 'Calls to the storage that failed.',
    labels: OF_OPERATION,
  })
  readonly bookmarks = counterFamily({
    name: 'etcd_bookmark_total',
    help: 'Words from the storage on how far its stream has come.',
    labels: OF_TYPE,
  })
  readonly lists = storageList('list_total', 'Lists that the storage answered.')
  readonly fetched = storageList('list_fetched_objects_total', 'Objects read for them.')
  readonly evaluated = storageList('list_evaluated_objects_total', 'Objects looked at for them.')
  readonly returned = storageList('list_returned_objects_total', 'Objects sent for them.')
  readonly #calls = new Map<string, CallMeasures>()

  all(): readonly Family[] {
    const { seconds, requests, errors, bookmarks, lists, fetched, evaluated, returned } = this
    return [seconds, requests, errors, bookmarks, lists, fetched, evaluated, returned]
  }

  /** Found once for each type and operation. */
  call(operation: string, { group, resource }: GroupResource): CallMeasures {
    const key = `${operation} ${group} ${resource}`
    const known = this.#calls.get(key)
    if (known !== undefined) return known
    const made = {
      seconds: this.seconds.of(operation, group, resource),
      requests: this.requests.of(operation, group, resource),
      errors: this.errors.of(operation, group, resource),
    }
    this.#calls.set(key, made)
    return made
  }
}

function storageList(name: string, help: string): Family<Count> {
  return counterFamily({ name: `apiserver_storage_${name}`, help, labels: OF_TYPE })
}

interface CallMeasures {
  readonly seconds: Distribution
  readonly requests: Count
  readonly errors: Count
}

const NO_TYPE: GroupResource = { group: '', resource: '' }

export function measureStore(store: FollowableStore, measures: StoreMeasures): FollowableStore {
  return {
    get: (key, at, signal) =>
      timed(
        () => store.get(key, at, signal),
        () => measures.call('get', key.resource),
      ),
    async list(request, signal) {
      const page = await timed(
        () => store.list(request, signal),
        () => measures.call('list', request.resource),
      )
      return countList(page, measures, request.resource)
    },
    watch: (request, signal) => store.watch(request, signal),
    write: (key, decide, signal) =>
      timed(
        () => store.write(key, decide, signal),
        (result) => measures.call(operationOf(result), key.resource),
      ),
    writeAssuming: (write, signal) =>
      timed(
        () => store.writeAssuming(write, signal),
        (result) => measures.call(operationOf(result), write.key.resource),
      ),
    newestRevision: (signal) =>
      timed(
        () => store.newestRevision(signal),
        () => measures.call('getCurrentResourceVersion', NO_TYPE),
      ),
    load: (signal) => store.load(signal),
    follow: (options, signal) => store.follow(options, signal),
  }
}

async function timed<T>(run: () => Promise<T>, find: (result: T | undefined) => CallMeasures): Promise<T> {
  const began = performance.now()
  let result: T | undefined
  try {
    result = await run()
    return result
  } finally {
    const call = find(result)
    call.requests.value++
    call.seconds.observe((performance.now() - began) / 1000)
    if (result === undefined) call.errors.value++
  }
}

function operationOf(result: WriteResult | undefined): string {
  if (result === undefined || result.kind === 'kept') return 'update'
  if (result.kind === 'removed') return 'delete'
  return result.created ? 'create' : 'update'
}

type Batch = ListPage['batches'] extends AsyncIterable<infer B> ? B : never

function countList(page: ListPage, measures: StoreMeasures, { group, resource }: GroupResource): ListPage {
  const counts = [measures.fetched, measures.evaluated, measures.returned].map((family) => family.of(group, resource))
  measures.lists.of(group, resource).value++
  async function* counted(): AsyncGenerator<Batch> {
    for await (const batch of page.batches) {
      for (const count of counts) count.value += batch.length
      yield batch
    }
  }
  return { ...page, batches: counted() }
}
