// Records events as client-go does: equal events are one object with a count, many similar events become one event, and the events about
// one object have a limit. Controllers do not wait for their events, and events may be lost.
import type { ApiObject } from '../../api/object.ts'
import { metaText } from '../../api/object-members.ts'
import { ApiError } from '../../api/status.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { CancelledError } from '../../lib/errors.ts'
import { createObject } from '../../registry/create.ts'
import type { Resource } from '../../registry/registry.ts'
import { servedResource } from '../../registry/served-resource.ts'
import type { ControllerParts } from '../controllers.ts'
import { controllerContext, newObject, updateLive } from '../writes.ts'

export interface ClusterEvent {
  readonly about: ApiObject
  readonly type?: 'Normal' | 'Warning'
  readonly component: string
  readonly reason: string
  readonly message: string
  /** Only for a writer that uses the API events.k8s.io. */
  readonly action?: string
}

interface Recorded {
  readonly name: string
  readonly count: number
}

const REMEMBERED = 4096
const MOST_PENDING = 2048
/** From this number on, similar events are recorded as one event. */
const SIMILAR = 10
const SIMILAR_WITHIN_MS = 600_000
/** The number of events about one object at once, and the time until one more is allowed. */
const BURST = 25
const REFILL_MS = 300_000

const COMBINED = '(combined from similar events): '

export class EventLog {
  readonly #parts: ControllerParts
  readonly #turn: () => Promise<void>
  readonly #signal: AbortSignal
  readonly #recorded = new BoundedMap<string, Recorded>(REMEMBERED)
  readonly #similar = new BoundedMap<string, { readonly messages: Set<string>; lastMs: number }>(REMEMBERED)
  readonly #spent = new BoundedMap<string, { tokens: number; lastMs: number }>(REMEMBERED)
  readonly #pending: ClusterEvent[] = []
  #wake: (() => void) | undefined
  #lastName = 0

  /** `turn` waits for a turn of the event loop. */
  constructor(parts: ControllerParts, turn: () => Promise<void>, signal: AbortSignal) {
    this.#parts = parts
    this.#turn = turn
    this.#signal = signal
  }

  /** Events are dropped while too many are waiting. */
  record(event: ClusterEvent): void {
    if (this.#pending.length >= MOST_PENDING) return
    this.#pending.push(event)
    this.#wake?.()
  }

  /** Writes events in their order, until the signal fires. */
  async run(): Promise<void> {
    const signal = this.#signal
    const stop = (): void => this.#wake?.()
    signal.addEventListener('abort', stop, { once: true })
    while (!signal.aborted) {
      await this.#turn()
      if (signal.aborted) break
      const next = this.#pending.shift()
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve))
      else await this.#write(next)
    }
    signal.removeEventListener('abort', stop)
  }

  async #write(event: ClusterEvent): Promise<void> {
    const { key, message } = this.#aggregated(event)
    if (!this.#hasRoom(event)) return
    const { about, reason, component } = event
    const known = this.#recorded.get(key)
    const namespace = metaText(about, 'namespace') === '' ? 'default' : metaText(about, 'namespace')
    const events = servedResource(this.#parts.resources(), 'events')
    const context = { ...controllerContext(this.#parts, namespace, this.#signal), fieldManager: component }
    try {
      if (known !== undefined && known.count > 0) {
        const count = known.count + 1
        this.#recorded.set(key, { ...known, count })
        const change = (live: ApiObject): ApiObject => ({ ...live, message, count, lastTimestamp: context.now })
        await updateLive(this.#parts, events, { name: known.name, change }, context)
        return
      }
      const name = this.#nameOf(about)
      await createObject(this.#parts.registry, events, this.#made(events, { ...event, message }, name), context)
      this.#recorded.set(key, { name, count: 1 })
    } catch (error) {
      if (error instanceof CancelledError) return
      if (!(error instanceof ApiError)) throw error
      // The event has expired, or its namespace is terminating.
      this.#recorded.set(key, { name: '', count: 0 })
      this.#parts.log.debug({ err: error, reason }, 'could not record event')
    }
  }

  #made(events: Resource, event: ClusterEvent, name: string): ApiObject {
    const { about, type = 'Normal', reason, message, component, action } = event
    const namespace = metaText(about, 'namespace')
    const now = this.#parts.now()
    const involvedObject = {
      kind: about.kind,
      ...(namespace === '' ? {} : { namespace }),
      name: metaText(about, 'name'),
      uid: metaText(about, 'uid'),
      apiVersion: about.apiVersion,
      resourceVersion: metaText(about, 'resourceVersion'),
    }
    const times =
      action === undefined
        ? {
            source: { component },
            firstTimestamp: now,
            lastTimestamp: now,
            count: 1,
            eventTime: null,
            reportingInstance: '',
          }
        : {
            source: {},
            firstTimestamp: null,
            lastTimestamp: null,
            action,
            eventTime: now.replace('Z', '.000000Z'),
            reportingInstance: component,
          }
    const metadata = { name, namespace: namespace === '' ? 'default' : namespace }
    return newObject(events, metadata, {
      involvedObject,
      type,
      reason,
      message,
      reportingComponent: message.startsWith(COMBINED) ? '' : component,
      ...times,
    })
  }

  /** The name of a new event: the name of the object and the time in nanoseconds. No two events get the same name. */
  #nameOf(about: ApiObject): string {
    this.#lastName = Math.max(this.#lastName + 1, this.#parts.clock.timeOfDay() * 1000)
    return `${metaText(about, 'name')}.${(BigInt(Math.floor(this.#lastName)) * 1000n).toString(16)}`
  }

  /** The message, with a prefix once there are many similar events. Events with the same `key` are counted as one. */
  #aggregated({ about, component, type = 'Normal', reason, message }: ClusterEvent): Record<'key' | 'message', string> {
    const kind = [component, about.kind, metaText(about, 'uid'), type, reason]
    const nowMs = this.#parts.clock.now()
    const similar = JSON.stringify(kind)
    let known = this.#similar.get(similar)
    if (known === undefined || nowMs - known.lastMs > SIMILAR_WITHIN_MS) {
      known = { messages: new Set(), lastMs: nowMs }
      this.#similar.set(similar, known)
    }
    known.lastMs = nowMs
    known.messages.add(message)
    if (known.messages.size < SIMILAR) return { key: JSON.stringify([...kind, message]), message }
    known.messages.delete(message)
    return { key: similar, message: `${COMBINED}${message}` }
  }

  #hasRoom({ about, component }: ClusterEvent): boolean {
    const key = `${component} ${metaText(about, 'uid')}`
    const nowMs = this.#parts.clock.now()
    const before = this.#spent.get(key) ?? { tokens: BURST, lastMs: nowMs }
    const tokens = Math.min(BURST, before.tokens + (nowMs - before.lastMs) / REFILL_MS)
    const hasRoom = tokens >= 1
    this.#spent.set(key, { tokens: hasRoom ? tokens - 1 : tokens, lastMs: nowMs })
    return hasRoom
  }
}
