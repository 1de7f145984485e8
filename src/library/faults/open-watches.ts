// Faults of watches that are open. Every watch passes its events through a `FaultyWatch`. Without faults this costs one comparison for each
// event. With faults the events are read one by one, so that a slow reader falls behind in the cache as a slow client does.
import type { WatchEvent } from '../../api/read.ts'
import type { Caller, HttpRequest } from '../../http/http.ts'
import type { ResourceInfo } from '../../http/request-info.ts'
import { cancellableWait } from '../../lib/cancellable.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DiscoveryGroup } from '../../registry/discovery.ts'
import { tooOldResourceVersion } from '../../store/errors.ts'
import type { Watch } from '../../store/store.ts'
import type { WatchSpec } from './fault-spec.ts'
import type { InjectedFault } from './injected-fault.ts'
import { isMatch, type Matcher, matcherOf } from './matching.ts'

export interface OpenWatchesOptions {
  readonly groups: () => readonly DiscoveryGroup[]
  readonly clock: Clock
}

export interface WatchRequest {
  readonly http: HttpRequest
  readonly caller: Caller
  readonly info: ResourceInfo
}

type WatchFault = InjectedFault<WatchSpec>

export class OpenWatches {
  readonly #options: OpenWatchesOptions
  readonly #open = new Set<FaultyWatch>()
  /** Faults that also hit watches that are opened later. */
  readonly #standing = new Map<WatchFault, Matcher>()

  constructor(options: OpenWatchesOptions) {
    this.#options = options
  }

  /** Throws `FaultError` if no watch can match the fault. */
  add(fault: WatchFault): void {
    const { spec, removed } = fault
    const matcher = matcherOf({ ...spec.match, verb: 'watch' }, this.#options.groups())
    for (const watch of this.#open) if (watch.isFor(matcher)) watch.add(fault)
    if (spec.fault !== 'freezeWatches' && spec.fault !== 'slowWatches') return
    this.#standing.set(fault, matcher)
    removed.addEventListener('abort', () => this.#standing.delete(fault), { once: true })
  }

  readonly wrap = (request: WatchRequest, watch: Watch): Watch => {
    const wrapped = new FaultyWatch(watch, request, this.#options.clock)
    this.#open.add(wrapped)
    request.http.responder.whenOver(() => {
      this.#open.delete(wrapped)
      wrapped.close()
    })
    for (const [fault, matcher] of this.#standing) if (wrapped.isFor(matcher)) wrapped.add(fault)
    return wrapped
  }
}

class FaultyWatch implements Watch, AsyncIterator<readonly WatchEvent[]> {
  readonly #watch: Watch
  readonly #events: AsyncIterator<readonly WatchEvent[]>
  readonly #request: WatchRequest
  readonly #clock: Clock
  #faults: readonly WatchFault[] = []
  /** Events that have come and were not passed on yet. */
  readonly #held: WatchEvent[] = []
  /** The end of the watch, once it has ended. */
  #end: { readonly error?: unknown } | undefined
  #isReading = false
  #wake: (() => void) | undefined

  constructor(watch: Watch, request: WatchRequest, clock: Clock) {
    this.#watch = watch
    this.#events = watch[Symbol.asyncIterator]()
    this.#request = request
    this.#clock = clock
  }

  isFor(matcher: Matcher): boolean {
    const { info, caller } = this.#request
    const name = info.name ?? info.selectedName
    return isMatch(matcher, { info, user: caller.user.name, name, generateName: undefined })
  }

  add(fault: WatchFault): void {
    const { spec, removed } = fault
    if (spec.fault !== 'dropEvents') fault.hit()
    if (spec.fault === 'cutWatches') return this.#request.http.breakOff()
    this.#faults = [...this.#faults, fault]
    removed.addEventListener('abort', this.#forget, { once: true })
    this.#wake?.()
  }

  /** Call this when the watch has lost its reader. */
  close(): void {
    for (const { removed } of this.#faults) removed.removeEventListener('abort', this.#forget)
    this.#faults = []
  }

  follow(take: (event: WatchEvent) => boolean): Promise<boolean> {
    const isPlain = this.#faults.length === 0 && this.#held.length === 0 && !this.#isReading
    if (this.#watch.follow === undefined || !isPlain) return Promise.resolve(true)
    return this.#watch.follow((event) => {
      if (this.#faults.length === 0) return take(event)
      this.#held.push(event)
      return false
    })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<readonly WatchEvent[]>> {
    const { signal } = this.#request.http
    for (;;) {
      const ready = this.#ready()
      if (ready !== undefined) {
        const slow = this.#first('slowWatches')
        if (slow !== undefined) await slow.wait(signal, { clock: this.#clock, milliseconds: slow.spec.milliseconds })
        return { done: false, value: ready }
      }
      if (this.#end !== undefined && !this.#isFrozen) break
      if (!this.#isFrozen) void this.#read()
      await cancellableWait(signal, (done) => {
        this.#wake = done
        return () => (this.#wake = undefined)
      })
    }
    if ('error' in this.#end) throw this.#end.error
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<readonly WatchEvent[]>> {
    await this.#events.return?.()
    return { done: true, value: undefined }
  }

  /** Whether the watch passes nothing on, not even its end. */
  get #isFrozen(): boolean {
    return this.#first('freezeWatches') !== undefined
  }

  /** The events to pass on now. Undefined: none. Throws 410 when enough events were lost. Until then, no events are passed on. */
  #ready(): readonly WatchEvent[] | undefined {
    if (this.#held.length === 0 || this.#isFrozen) return undefined
    const loss = this.#first('dropEvents')
    if (loss !== undefined && this.#end === undefined) {
      const lost = this.#held.filter(({ type }) => type !== 'BOOKMARK')
      if (lost.length < (loss.spec.events ?? 1)) return undefined
      loss.hit()
      throw tooOldResourceVersion(revisionOf(this.#held[0]!) - 1, revisionOf(this.#held.at(-1)!))
    }
    const several = this.#first('slowWatches') === undefined ? this.#held.length : 1
    return this.#held.splice(0, several)
  }

  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const step = await this.#events.next()
      if (step.done === true) this.#end = {}
      else this.#held.push(...step.value)
    } catch (error) {
      this.#end = { error }
    }
    this.#isReading = false
    this.#wake?.()
  }

  #first<Name extends WatchSpec['fault']>(name: Name): InjectedFault<SpecOf<Name>> | undefined {
    return this.#faults.find((fault) => fault.spec.fault === name) as InjectedFault<SpecOf<Name>> | undefined
  }

  readonly #forget = (): void => {
    this.#faults = this.#faults.filter(({ removed }) => !removed.aborted)
    this.#wake?.()
  }
}

type SpecOf<Name> = Extract<WatchSpec, { readonly fault: Name }>

function revisionOf(event: WatchEvent): number {
  return event.type === 'BOOKMARK' ? event.revision : event.object.revision
}
