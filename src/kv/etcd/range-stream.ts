// A range as one stream of pieces (etcd 3.7). Invariant: after a break the stream continues after its last key, at the same revision. So no
// key is missing, and none comes twice.
import { Backoff } from '../../lib/backoff.ts'
import { CancelledError, throwIfCancelled } from '../../lib/errors.ts'
import { RANGE, RANGE_STREAM, type RangeRequest, type RangeResponse, type RangeStreamResponse } from '../gen/rpc.ts'
import { type KeyValue, KvError, type StreamedRange } from '../kv.ts'
import type { Given } from '../rpc.ts'
import type { Cluster } from './cluster.ts'
import { type Endpoint, LATE_MS, RECONNECT } from './endpoint.ts'
import { toKeyValue } from './key-value.ts'
import type { StreamCall } from './stream-call.ts'
import { compacted, oldestRevision } from './watch.ts'
import { failure, judge, RpcError, UNIMPLEMENTED } from './verdict.ts'

/** The longest time for a piece, including all attempts. */
const PIECE_MS = 60_000
const LOGINS_IN_A_ROW = 3
const PAGE_KEYS = 1_000

/** Thrown if the member does not support the call: it is older than 3.7, or a proxy. */
class NotOffered extends Error {
  override readonly name = 'NotOffered'
}

export class RangeStream implements AsyncIterable<readonly KeyValue[]> {
  readonly #cluster: Cluster
  readonly #callers: AbortSignal
  readonly #range: StreamedRange
  readonly #stop = new AbortController()
  /** All keys before this key were handed out. */
  #start: string
  #first: IteratorResult<readonly KeyValue[], void> | undefined
  #pieces: AsyncGenerator<readonly KeyValue[], void, void> | undefined

  constructor(cluster: Cluster, range: StreamedRange, signal: AbortSignal) {
    this.#cluster = cluster
    this.#callers = signal
    this.#range = range
    this.#start = range.start
  }

  /** Resolves when the first piece has arrived. False: the member does not support the call. */
  async begin(): Promise<boolean> {
    this.#pieces = this.#read()
    try {
      this.#first = await this.#pieces.next()
      return true
    } catch (error) {
      if (error instanceof NotOffered) return false
      throw error
    }
  }

  /** Called when the caller's signal fires or the engine is closed. */
  stop(): void {
    this.#stop.abort(this.#callers.reason)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly KeyValue[], void, void> {
    const [first, pieces] = [this.#first, this.#pieces]
    if (first === undefined || pieces === undefined) return
    try {
      if (first.done === true) return
      yield first.value
      yield* pieces
    } finally {
      await pieces.return()
    }
  }

  async *#read(): AsyncGenerator<readonly KeyValue[], void, void> {
    const backoff = new Backoff(RECONNECT)
    const { signal } = this.#stop
    const stop = (): void => this.stop()
    this.#callers.addEventListener('abort', stop)
    this.#cluster.watches.add(this)
    let logins = 0
    try {
      throwIfCancelled(this.#callers)
      for (let deadline = performance.now() + PIECE_MS; ; ) {
        const endpoint = await this.#cluster.connected(deadline, signal)
        if (!endpoint.streamsRanges) {
          if (this.#first === undefined) throw new NotOffered(`etcd at ${endpoint.url} does not stream ranges`)
          // The stream began, but the member that is connected now does not support the call. So the rest is read in pages.
          const call = { attemptMs: PIECE_MS, deadline, signal }
          const { kvs, more } = await this.#cluster.call(RANGE, { ...this.#rest(), limit: PAGE_KEYS }, call)
          yield* this.#taken(kvs)
          if (!more) return
          deadline = performance.now() + PIECE_MS
          continue
        }
        const { headers } = this.#cluster
        try {
          for await (const piece of this.#stream(endpoint, deadline)) {
            yield* this.#taken(piece.kvs)
            if (isLast(piece)) return
            logins = 0
            backoff.reset()
            deadline = performance.now() + PIECE_MS
          }
        } catch (error) {
          if (!(error instanceof RpcError)) throw error
          if (error.status === UNIMPLEMENTED) {
            endpoint.streamsRanges = false
            continue
          }
          const verdict = judge(error)
          const mayLogIn = verdict.kind === 'authenticate' && ++logins < LOGINS_IN_A_ROW
          if (performance.now() >= deadline || (verdict.kind !== 'again' && !mayLogIn)) throw failure(error, verdict)
          if (mayLogIn && (await this.#cluster.login(headers))) continue
          this.#cluster.distrust(endpoint)
        }
        await backoff.wait(signal)
      }
    } catch (error) {
      if (error instanceof CancelledError) this.#cluster.throwIfClosed()
      if (error instanceof KvError && error.code === 'compacted') {
        throw compacted(this.#range.at, (await oldestRevision(this.#cluster, this.#start, signal)) ?? 1)
      }
      throw error
    } finally {
      this.#callers.removeEventListener('abort', stop)
      this.#cluster.watches.delete(this)
    }
  }

  *#taken(kvs: RangeResponse['kvs']): Generator<readonly KeyValue[]> {
    const last = kvs.at(-1)
    if (last === undefined) return
    this.#start = `${last.key}\0`
    yield kvs.map((kv) => toKeyValue(kv))
  }

  #rest(): Given<RangeRequest> {
    return { key: this.#start, rangeEnd: this.#range.end, revision: this.#range.at }
  }

  /** One call. It ends with its last piece, or by an error. */
  async *#stream(endpoint: Endpoint, until: number): AsyncGenerator<RangeResponse, void, void> {
    const call = endpoint.openStream(RANGE_STREAM, this.#cluster.headers)
    const cancel = (): void => call.cancel()
    this.#stop.signal.addEventListener('abort', cancel)
    try {
      call.send(this.#rest(), true)
      for (let deadline = until; ; deadline = performance.now() + PIECE_MS) {
        const piece = await this.#piece(call, endpoint, deadline)
        yield piece
        if (isLast(piece)) return
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', cancel)
      call.cancel()
    }
  }

  async #piece(
    call: StreamCall<RangeRequest, RangeStreamResponse>,
    endpoint: Endpoint,
    deadline: number,
  ): Promise<RangeResponse> {
    const late = setTimeout(() => endpoint.check(), LATE_MS)
    const limit = setTimeout(() => call.cancel(), deadline - performance.now())
    try {
      for (;;) {
        const piece = call.read()
        if (piece !== undefined) return piece.rangeResponse
        await call.readable(this.#stop.signal)
      }
    } finally {
      clearTimeout(late)
      clearTimeout(limit)
    }
  }
}

/** Only the last piece has a header. */
function isLast({ header }: RangeResponse): boolean {
  return header.revision > 0
}
