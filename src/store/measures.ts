// The metrics of calls to the storage, under the reference's names. Only the calls themselves are timed, not admission, webhooks
// or encryption.
import type { GroupResource } from '../api/object.ts'
import { CancelledError } from '../lib/errors.ts'
import { type Count, counter, type Distribution, type Family, histogram, Measures } from '../lib/measure.ts'

const DURATION_BOUNDS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const OF_OPERATION: readonly string[] = ['operation', 'group', 'resource']
const OF_TYPE: readonly string[] = ['group', 'resource']

export type KvOperation = 'get' | 'list' | 'create' | 'update' | 'delete'

/** The labels of calls for all types at once. */
export const EVERY_TYPE: GroupResource = Object.freeze({ group: '', resource: '' })

export class StoreMeasures extends Measures {
  readonly seconds = histogram('etcd_request_duration_seconds', 'Storage request latency in seconds.', {
    labels: OF_OPERATION,
    bounds: DURATION_BOUNDS,
  })
  readonly requests = counter('etcd_requests_total', 'Storage requests.', OF_OPERATION)
  readonly errors = counter('etcd_request_errors_total', 'Failed storage requests.', OF_OPERATION)
  readonly bookmarks = counter('etcd_bookmark_total', 'Progress notifications received from storage.', OF_TYPE)
  readonly lists = storageList('list_total', 'LIST requests served from storage.')
  readonly fetched = storageList('list_fetched_objects_total', 'Objects read from storage for LIST requests.')
  readonly evaluated = storageList('list_evaluated_objects_total', 'Objects tested for LIST requests from storage.')
  readonly returned = storageList('list_returned_objects_total', 'Objects returned for LIST requests from storage.')
  readonly #calls = new Map<string, CallMeasures>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    super()
    this.#now = now
  }

  /** Runs one call to the storage. Errors count as failures of the storage, unless the caller has left. A lost race is not a failure. */
  time<T>(operation: KvOperation, type: GroupResource, call: () => Promise<T>): Promise<T> {
    const measures = this.#of(operation, type)
    const began = this.#now()
    const note = (): void => {
      measures.requests.value++
      measures.seconds.observe((this.#now() - began) / 1000)
    }
    return call().then(
      (value) => {
        note()
        return value
      },
      (error: unknown) => {
        note()
        if (!(error instanceof CancelledError)) measures.errors.value++
        throw error
      },
    )
  }

  /** Forgets the remembered series, because some of them may be removed. */
  forgetFound(): void {
    this.#calls.clear()
  }

  /** The series are looked up once for each type and operation. */
  #of(operation: KvOperation, { group, resource }: GroupResource): CallMeasures {
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
  return counter(`apiserver_storage_${name}`, help, OF_TYPE)
}

interface CallMeasures {
  readonly seconds: Distribution
  readonly requests: Count
  readonly errors: Count
}
