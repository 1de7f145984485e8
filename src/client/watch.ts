// Watches: the events of one connection, and a stream that continues over many connections.
import { Backoff } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import { ApiStatusError, ConnectionError, WatchExpiredError } from './errors.ts'
import type { Status } from './gen/k8s.ts'
import type { KubernetesObject, Stored } from './objects.ts'
import type { ApiRequest, Requests } from './requests.ts'
import { waitToRetry } from './waiting.ts'

/** A change or a bookmark. A bookmark means that all changes up to its resourceVersion have come. */
export type WatchEvent<T extends KubernetesObject, Sent = Stored<T>> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Sent }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark }

/** The progress of a watch. */
export interface Bookmark {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> }
}

/** The events of one connection. The stream throws if the connection breaks, and `WatchExpiredError` for an old resourceVersion. */
export type OpenWatch<T extends KubernetesObject> = (
  resourceVersion: string | undefined,
  signal: AbortSignal,
) => AsyncGenerator<WatchEvent<T>, void, undefined>

export async function* eventsOf<T extends KubernetesObject>(
  requests: Requests,
  request: ApiRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const name = `watch of ${request.path}`
  try {
    const { body } = await requests.open(request, signal)
    for await (const line of linesOf(body)) {
      const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status }
      if (event.type === 'ERROR') throw new ApiStatusError(name, event.object)
      yield event
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ApiStatusError) throw error.code === 410 ? new WatchExpiredError(name, error.status) : error
    throw error instanceof ConnectionError ? error : new ConnectionError('sent', `${name}: it broke off`, error)
  }
}

/** Yields whole lines. The next connection repeats a line that was cut off. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let pending: Uint8Array[] = []
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      pending.push(chunk.subarray(start, end))
      yield Buffer.concat(pending).toString()
      pending = []
      start = end + 1
    }
    pending.push(chunk.subarray(start))
  }
}

interface WatchSpan {
  readonly from: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Yields every change after a resourceVersion once and in order, over any number of connections. */
export async function* resumingWatch<T extends KubernetesObject>(
  open: OpenWatch<T>,
  { from, clock, signal }: WatchSpan,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const reconnection = new Reconnection(clock)
  let resourceVersion = from
  for (;;) {
    try {
      for await (const event of open(resourceVersion, signal)) {
        reconnection.succeeded(isNews(event, resourceVersion))
        resourceVersion = event.object.metadata.resourceVersion
        yield event
      }
      await reconnection.wait(signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!isPassing(error)) throw error
      await reconnection.wait(signal, error)
    }
  }
}

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiStatusError) return error.code === 429 || error.code >= 500
  return error instanceof ConnectionError
}

/** Whether the event reports a change to a version other than `after`. */
export function isNews(event: WatchEvent<KubernetesObject>, after: string | undefined): boolean {
  return event.type !== 'BOOKMARK' && event.object.metadata.resourceVersion !== after
}

/** The longest wait for a server that is away. A restarted server is found soon, and a refused connection costs little. */
const LONGEST_AWAY_MS = 2000

/** The wait before the next connection: none after a connection that brought changes, else longer each time. */
export class Reconnection {
  readonly #backoff: Backoff
  readonly #clock: Clock
  #toldChanges = false

  constructor(clock: Clock) {
    this.#backoff = new Backoff({ firstMs: 100, longestMs: 30_000, chance: clock.chance })
    this.#clock = clock
  }

  /** The connection works. `isNews`: it sent a change that the next connection does not repeat. */
  succeeded(isNews = false): void {
    this.#backoff.reset()
    if (isNews) this.#toldChanges = true
  }

  /** Rejects with the signal's reason when the signal fires. */
  async wait(signal: AbortSignal, after?: unknown): Promise<void> {
    const atOnce = this.#toldChanges
    this.#toldChanges = false
    if (atOnce && !(after instanceof ApiStatusError)) return
    const { code = 503, retryAfter = 0 } = after instanceof ApiStatusError ? after : {}
    // A server that refused will probably refuse again. A load balancer answers with 5xx for a server that is away.
    const delayMs = this.#backoff.nextDelayMs(code < 500 ? undefined : LONGEST_AWAY_MS)
    await waitToRetry(this.#clock, Math.max(delayMs, retryAfter * 1000), signal)
  }
}
