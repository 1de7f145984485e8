// A watch that survives lost streams. Invariant: a new stream begins after the last revision that was delivered or reported as progress.
// The header of any other response does not count: it has the newest revision of the store, whose events may come later.
import { Backoff } from '../../lib/backoff.ts'
import { CancelledError, throwIfCancelled } from '../../lib/errors.ts'
import { anySignal } from '../../lib/light-signal.ts'
import {
  type Batch,
  KvError,
  type KvEvent,
  type KvWatch,
  prefixRange,
  type Revision,
  type WatchRequest,
} from '../kv.ts'
import { RANGE, type WatchCreateRequest, type WatchResponse } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster } from './cluster.ts'
import { type Endpoint, RECONNECT, type WatchCall } from './endpoint.ts'
import { RevisionAssembler } from './revisions.ts'
import { failure, judge, RpcError } from './verdict.ts'

/** If a member does not confirm a watch within this time, another member is used. */
const CREATE_LIMIT_MS = 5_000

const EVENTS_A_BATCH = 1_000

const PROGRESS_RETRY_MS = 100

/** The number of streams in a row that may be refused for lack of rights, each with a new token, before the refusal is final. */
const REFUSALS = 3

/** A range of keys, or one key if `rangeEnd` is absent. */
export interface WatchTarget {
  readonly key: string
  readonly rangeEnd?: string
  readonly after: Revision
  readonly withPrevious?: boolean
  /** Events of keys with this prefix are reported as progress only. */
  readonly hidden?: string
}

export function toTarget({ prefix, after, withPrevious }: WatchRequest, hidden: string): WatchTarget {
  const { start, end } = prefixRange(prefix)
  const target = { key: start, rangeEnd: end, after, withPrevious: withPrevious === true }
  return hidden.startsWith(prefix) ? { ...target, hidden } : target
}

/**
 * The events of a range after a revision, up to `upTo` and perhaps beyond. If etcd's progress cannot be trusted, the iteration ends only
 * with an event at `upTo` or later. Throws `compacted`, and `unavailable` if it takes too long.
 */
export async function* history(
  cluster: Cluster,
  target: WatchTarget,
  call: Call & { readonly upTo: Revision },
): AsyncGenerator<KvEvent, void, void> {
  const left = Math.max(0, Math.ceil(call.deadline - performance.now()))
  const watch = new EtcdWatch(cluster, target, anySignal([call.signal, AbortSignal.timeout(left)]))
  watch.requestProgress()
  try {
    for await (const { events, revision } of watch) {
      yield* events
      if (revision >= call.upTo) return
    }
  } catch (error) {
    if (!(error instanceof CancelledError) || call.signal.aborted) throw error
    throw new KvError('unavailable', `timed out waiting for the events of etcd after revision ${target.after}`)
  }
}

/** The oldest revision that can be read. Undefined if nothing was ever compacted, or if the call fails. */
export async function oldestRevision(
  cluster: Cluster,
  key: string,
  signal: AbortSignal,
): Promise<Revision | undefined> {
  const limited = anySignal([signal, AbortSignal.timeout(CREATE_LIMIT_MS)])
  try {
    const endpoint = await cluster.connected(undefined, limited)
    const call = endpoint.openWatch(cluster.headers)
    try {
      call.send({ createRequest: { key, startRevision: 1 } })
      for (;;) {
        const response = await nextResponse(call, limited)
        if (response.compactRevision !== 0) return response.compactRevision
        if (response.events.length > 0 || response.canceled) return undefined
      }
    } finally {
      call.cancel()
    }
  } catch {
    return undefined
  }
}

export class EtcdWatch implements KvWatch {
  readonly #cluster: Cluster
  readonly #target: WatchTarget
  readonly #callers: AbortSignal
  readonly #stop = new AbortController()
  /** All events up to this revision were handed out. */
  #after: Revision
  #call: WatchCall | undefined
  #endpoint: Endpoint | undefined
  #wantsProgress = false
  #progressTimer: NodeJS.Timeout | undefined

  constructor(cluster: Cluster, target: WatchTarget, signal: AbortSignal) {
    this.#cluster = cluster
    this.#target = target
    this.#callers = signal
    this.#after = target.after
  }

  /** Called when the caller's signal fires or the engine is closed. */
  stop(): void {
    this.#cluster.watches.delete(this)
    this.#stop.abort(this.#callers.reason)
  }

  get #signal(): AbortSignal {
    return this.#stop.signal
  }

  requestProgress(): boolean {
    if (this.#signal.aborted || !this.#cluster.answersProgressRight) return false
    this.#wantsProgress = true
    this.#askForProgress()
    return true
  }

  /** Repeats the request until the answer comes: etcd does not answer while the watch is catching up. */
  #askForProgress(): void {
    if (!this.#wantsProgress || this.#call === undefined) return
    this.#call.send({ progressRequest: {} })
    this.#endpoint?.check()
    this.#progressTimer ??= setInterval(() => this.#askForProgress(), PROGRESS_RETRY_MS).unref()
  }

  #stopAsking(): void {
    clearInterval(this.#progressTimer)
    this.#progressTimer = undefined
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch, void, void> {
    const backoff = new Backoff(RECONNECT)
    let refusals = 0
    const stop = (): void => this.stop()
    this.#callers.addEventListener('abort', stop)
    this.#cluster.watches.add(this)
    try {
      throwIfCancelled(this.#callers)
      for (;;) {
        const endpoint = await this.#cluster.connected(undefined, this.#signal)
        const { headers } = this.#cluster
        try {
          for await (const batch of this.#follow(endpoint)) {
            refusals = 0
            backoff.reset()
            yield batch
          }
        } catch (error) {
          if (!(error instanceof RpcError)) throw error
          const verdict = judge(error)
          const refused = verdict.kind === 'authenticate' || (verdict.kind === 'fail' && verdict.code === 'denied')
          if (refused && ++refusals < REFUSALS) await this.#cluster.login(headers)
          else if (verdict.kind !== 'again') throw failure(error, verdict)
        }
        this.#cluster.distrust(endpoint)
        await backoff.wait(this.#signal)
      }
    } catch (error) {
      if (error instanceof CancelledError) this.#cluster.throwIfClosed()
      throw error
    } finally {
      this.#callers.removeEventListener('abort', stop)
      this.#cluster.watches.delete(this)
    }
  }

  /** One stream until its end, which is always an error. */
  async *#follow(endpoint: Endpoint): AsyncGenerator<Batch, never, void> {
    const call = endpoint.openWatch(this.#cluster.headers)
    // The signal also cancels the call while no reader iterates the watch.
    const cancel = (): void => call.cancel()
    this.#signal.addEventListener('abort', cancel)
    try {
      call.send({ createRequest: this.#createRequest() })
      await this.#created(call, endpoint)
      this.#call = call
      this.#endpoint = endpoint
      this.#askForProgress()
      const assembler = new RevisionAssembler(this.#after, this.#target.hidden)
      for (;;) {
        while (assembler.size < EVENTS_A_BATCH) {
          const response = call.read()
          if (response === undefined) break
          if (response.canceled) throw ended(response, endpoint)
          if (response.events.length === 0) {
            this.#wantsProgress = false
            this.#stopAsking()
          }
          assembler.add(response)
        }
        const batch = assembler.take()
        if (batch === undefined) {
          await call.readable(this.#signal)
        } else {
          this.#after = batch.revision
          this.#cluster.noteRevision(batch.revision)
          yield batch
        }
      }
    } finally {
      this.#call = undefined
      this.#stopAsking()
      this.#signal.removeEventListener('abort', cancel)
      call.cancel()
    }
  }

  #createRequest(): Given<WatchCreateRequest> {
    const { key, rangeEnd, withPrevious: prevKv } = this.#target
    return { key, rangeEnd, prevKv, startRevision: this.#after + 1, progressNotify: true, fragment: true }
  }

  /** Waits until etcd has created the watch, and checks that its first revision was not compacted. */
  async #created(call: WatchCall, endpoint: Endpoint): Promise<void> {
    const limit = setTimeout(() => call.cancel(), CREATE_LIMIT_MS)
    try {
      const [response] = await Promise.all([nextResponse(call, this.#signal), this.#cluster.learnVersion(endpoint)])
      if (response.canceled) throw ended(response, endpoint)
      if (this.#after >= 1 && this.#after < response.header.revision) await this.#checkHistory(endpoint)
    } finally {
      clearTimeout(limit)
    }
  }

  /**
   * etcd lets a watch begin at the revision that was compacted to, but some versions drop the deletes of that revision. A watch is complete
   * if the revision before its first one can still be read. Otherwise this throws `compacted`.
   */
  async #checkHistory(endpoint: Endpoint): Promise<void> {
    const { key } = this.#target
    const options = { timeoutMs: CREATE_LIMIT_MS, headers: this.#cluster.headers, signal: this.#signal }
    try {
      await endpoint.unary(RANGE, { key, revision: this.#after }, options)
    } catch (error) {
      const verdict = error instanceof RpcError ? judge(error) : undefined
      if (verdict?.kind !== 'fail' || verdict.code !== 'compacted') throw error
      const compactRevision = await oldestRevision(this.#cluster, key, this.#signal)
      throw compacted(this.#after, compactRevision)
    }
  }
}

async function nextResponse(call: WatchCall, signal: AbortSignal): Promise<WatchResponse> {
  for (;;) {
    const response = call.read()
    if (response !== undefined) return response
    await call.readable(signal)
  }
}

/** The error of a watch that etcd has cancelled. After a compaction, old versions of etcd send no reason, only the revision. */
function ended({ compactRevision, cancelReason }: WatchResponse, endpoint: Endpoint): KvError | RpcError {
  if (compactRevision !== 0) return compacted(undefined, compactRevision)
  const text = cancelReason.replace(/^rpc error: code = \w+ desc = /, '')
  return new RpcError(14, text === '' ? 'the watch was cancelled' : text, endpoint.url)
}

export function compacted(after: Revision | undefined, compactRevision: Revision | undefined): KvError {
  const what = after === undefined ? 'history' : `history after revision ${after}`
  const rest = compactRevision === undefined ? '' : `, the oldest revision is ${compactRevision}`
  return new KvError('compacted', `${what} is no longer kept${rest}`, { compactRevision })
}
