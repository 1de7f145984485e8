// etcd's Watch call: many watches on one stream. Each watch is a cursor in the engine's history. It reads on when the client has read the
// sent events. So a client that does not read delays no other client and takes no memory.
import { type Clock, repeat } from '../../lib/clock.ts'
import { CancelledError } from '../../lib/errors.ts'
import type { GrpcServerCall } from '../../wire/grpc-server-call.ts'
import {
  Event,
  EventType,
  WATCH,
  type WatchCreateRequest,
  WatchCreateRequestFilterType as Filter,
  type WatchRequest,
  type WatchResponse,
} from '../gen/rpc.ts'
import { KvError, type KvWatch, type Revision } from '../kv.ts'
import { decode, type Given } from '../rpc.ts'
import type { StoredEvent, TransactionalKv } from '../transactional.ts'
import type { Identity } from './identity.ts'
import { isEmptyRange, toKeyRange } from './ranges.ts'
import { failure } from './rpc-failure.ts'
import { type Answer, eachMessage, encodeAnswer, type Methods } from './service.ts'

/** etcd's interval of progress notifications. */
const PROGRESS_EVERY_MS = 10 * 60 * 1000

/** The largest number of bytes in a fragment: etcd's limit for a request. */
const FRAGMENT_BYTES = 1.5 * 1024 * 1024

/** The watch id in answers that are for no watch or for all watches. */
const NO_WATCH = -1

export interface WatchParts {
  readonly kv: TransactionalKv
  readonly identity: Identity
  readonly clock: Clock
}

export function watchMethods(parts: WatchParts): Methods {
  return {
    [WATCH.path]: { kind: 'stream', run: (call) => new WatchStream(call, parts).run() },
  }
}

interface OpenWatch {
  readonly create: WatchCreateRequest
  readonly controller: AbortController
  readonly watch: KvWatch<StoredEvent>
  /** No events were sent since the last check. */
  isQuiet: boolean
}

class WatchStream {
  readonly #call: GrpcServerCall
  readonly #parts: WatchParts
  readonly #watches = new Map<number, OpenWatch>()
  /** The watches with an open request for progress. */
  readonly #asked = new Map<number, 'all' | 'one'>()
  /** The revision to report to the client when all watches have reached it. Undefined: the client did not ask. */
  #progress: Revision | undefined
  #nextId = 0

  constructor(call: GrpcServerCall, parts: WatchParts) {
    this.#call = call
    this.#parts = parts
  }

  /** Runs until the client is gone. */
  async run(): Promise<void> {
    const stopTelling = repeat(this.#parts.clock, PROGRESS_EVERY_MS, () => this.#tellQuietOnes())
    try {
      await eachMessage(this.#call, (message) => this.#take(decode(WATCH.request, message)), 'stays')
    } finally {
      stopTelling()
      for (const { controller } of this.#watches.values()) controller.abort()
    }
  }

  async #take(request: WatchRequest): Promise<void> {
    const { createRequest, cancelRequest, progressRequest } = request
    if (createRequest !== undefined) return this.#create(createRequest)
    if (cancelRequest !== undefined) return this.#cancel(cancelRequest.watchId)
    if (progressRequest !== undefined) return this.#tellAll()
  }

  async #create(create: WatchCreateRequest): Promise<void> {
    const { kv } = this.#parts
    const revision = await this.#newest()
    const refusal = this.#refusalOf(create)
    if (refusal !== undefined) {
      return this.#send(revision, { watchId: NO_WATCH, created: true, canceled: true, cancelReason: refusal })
    }
    const id = create.watchId === 0 ? this.#freeId() : create.watchId
    const controller = new AbortController()
    const after = create.startRevision === 0 ? revision : create.startRevision - 1
    // In etcd, an empty key stands for the smallest key.
    const range = toKeyRange({ key: create.key === '' ? '\0' : create.key, rangeEnd: create.rangeEnd })
    const watch = kv.watchRange({ ...range, after, withPrevious: create.prevKv }, controller.signal)
    const open = { create, controller, watch, isQuiet: true }
    this.#watches.set(id, open)
    this.#send(revision, { watchId: id, created: true })
    void this.#follow(id, open)
  }

  #refusalOf(create: WatchCreateRequest): string | undefined {
    if (create.startRevision < 0) return failure('compacted').message
    if (isEmptyRange(create)) return 'mvcc: watcher range is empty'
    if (create.watchId !== 0 && this.#watches.has(create.watchId))
      return 'mvcc: duplicate watch ID provided on the WatchStream'
    return undefined
  }

  #freeId(): number {
    while (this.#watches.has(this.#nextId)) this.#nextId++
    return this.#nextId++
  }

  async #cancel(watchId: number): Promise<void> {
    const open = this.#watches.get(watchId)
    if (open === undefined) return
    this.#forget(watchId, open)
    this.#send(await this.#newest(), { watchId, canceled: true })
  }

  /** Sends the events as the client reads them. */
  async #follow(id: number, open: OpenWatch): Promise<void> {
    try {
      for await (const { events, revision } of open.watch) {
        if (open.controller.signal.aborted) return
        this.#sendEvents(id, open, { revision, events: passed(events, open.create).map(toWire) })
        this.#note(id, revision)
        await this.#call.writable()
      }
    } catch (error) {
      if (!(error instanceof CancelledError)) this.#end(id, open, error)
    }
  }

  #sendEvents(
    watchId: number,
    open: OpenWatch,
    { revision, events }: { readonly revision: Revision; readonly events: readonly Given<Event>[] },
  ): void {
    if (events.length === 0) return
    open.isQuiet = false
    if (!open.create.fragment) return this.#send(revision, { watchId, events })
    const pieces = fragmentsOf(events, FRAGMENT_BYTES)
    for (const [index, piece] of pieces.entries()) {
      this.#send(revision, { watchId, events: piece, fragment: index < pieces.length - 1 })
    }
  }

  /** Ends a watch: its history is compacted, or the engine is closed. */
  #end(watchId: number, open: OpenWatch, error: unknown): void {
    this.#forget(watchId, open)
    const compactRevision = error instanceof KvError ? error.compactRevision : undefined
    if (compactRevision === undefined) {
      const { status, message } = failure('stopped')
      return this.#call.end(status, message)
    }
    // As in etcd, this answer has no revision.
    this.#send(0, { watchId, canceled: true, compactRevision })
  }

  #forget(id: number, open: OpenWatch): void {
    this.#watches.delete(id)
    open.controller.abort()
    if (this.#asked.delete(id)) this.#finishProgress()
  }

  /** Sends one answer for all watches of the stream, after each has sent its events. */
  async #tellAll(): Promise<void> {
    this.#progress = Math.max(this.#progress ?? 0, await this.#newest())
    for (const [id, { watch }] of this.#watches) {
      this.#asked.set(id, 'all')
      watch.requestProgress()
    }
    this.#finishProgress()
  }

  #tellQuietOnes(): void {
    for (const [id, open] of this.#watches) {
      const isDue = open.create.progressNotify && open.isQuiet && !this.#asked.has(id)
      open.isQuiet = true
      if (!isDue) continue
      this.#asked.set(id, 'one')
      open.watch.requestProgress()
    }
  }

  /** Call this when the watch has sent everything up to the revision. */
  #note(id: number, revision: Revision): void {
    const asked = this.#asked.get(id)
    if (asked === 'one') {
      this.#asked.delete(id)
      this.#send(revision, { watchId: id })
    } else if (asked === 'all' && revision >= this.#progress!) {
      this.#asked.delete(id)
      this.#finishProgress()
    } else if (asked === 'all') {
      // A read may see a commit a moment before the watches do.
      setImmediate(() => this.#watches.get(id)?.watch.requestProgress())
    }
  }

  #finishProgress(): void {
    const revision = this.#progress
    if (revision === undefined || [...this.#asked.values()].includes('all')) return
    this.#progress = undefined
    this.#send(revision, { watchId: NO_WATCH })
  }

  #newest(): Promise<Revision> {
    return this.#parts.kv.newestRevision(this.#call.signal)
  }

  #send(revision: Revision, answer: Omit<Answer<WatchResponse>, 'header'>): void {
    this.#call.send(encodeAnswer(WATCH.response, this.#parts.identity, { ...answer, header: { revision } }))
  }
}

function passed(events: readonly StoredEvent[], { filters }: WatchCreateRequest): readonly StoredEvent[] {
  if (filters.length === 0) return events
  return events.filter(({ kind }) => !filters.includes(kind === 'put' ? Filter.NO_PUT : Filter.NO_DELETE))
}

function toWire(event: StoredEvent): Given<Event> {
  const prevKv = event.previous
  if (event.kind === 'put') return { kv: event.item, prevKv }
  return { type: EventType.DELETE, kv: { key: event.key, revision: event.revision }, prevKv }
}

/** Pieces of at most `maxBytes`. A larger event is a piece of its own. */
function fragmentsOf(events: readonly Given<Event>[], maxBytes: number): readonly (readonly Given<Event>[])[] {
  const pieces: Given<Event>[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const event of events) {
    const size = Event.size(event)
    if (bytes + size > maxBytes) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)!.push(event)
    bytes += size
  }
  return pieces
}
