// Work on documents of megabytes that cannot be cut into turns, in a thread: reading and writing YAML, CBOR and protobuf, and
// computing managed fields. The event loop stays free for everybody else. There is one thread, started when it is first needed
// and ended after a while without jobs, which run one by one.
import type { Worker } from 'node:worker_threads'
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { ApiError } from '../api/status.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { Encoding } from '../codec/codec.ts'
import { type AppliedDocument, BodySyntaxError, type SourceDocument } from '../codec/request-body.ts'
import type { Turns } from '../lib/turns.ts'
import type { FieldManagerRequest } from '../patch/field-tracking.ts'
import { managedFieldsOf, withManagedEntries } from '../patch/managed-fields.ts'
import { MOST_CONVERSIONS } from '../patch/ownership.ts'
import type { KindSchema, Shape } from '../schema/table.ts'
import {
  conversionKey,
  type Failure,
  type Job,
  type JobResults,
  type Outcome,
  type PatchJob,
  type TrackedRequest,
} from './jobs.ts'
import { unpack } from './packed-value.ts'

/** As long as it waits for more to do: to start another takes a tenth of a second. */
const IDLE_MS = 10_000
/** A job that nobody waits for any more is given up if it has lasted so long: the thread has to go for that. */
const ABANDONED_MS = 1000
const MAX_HEAP_MB = 1024
/** New objects of the thread: what it takes for them it keeps until it ends. */
const MAX_YOUNG_MB = 48

interface QueuedJob {
  readonly job: Job
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
  startedAt: number
}

/** Its methods are as the functions of their names, in the other thread. */
export class Offload implements AsyncDisposable {
  readonly #turns: Turns
  readonly #abandonedMs: number
  readonly #waiting: QueuedJob[] = []
  #running: QueuedJob | undefined
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(turns: Turns, abandonedMs = ABANDONED_MS) {
    this.#turns = turns
    this.#abandonedMs = abandonedMs
  }

  async readDocument(
    bytes: Buffer,
    source: { readonly encoding: Encoding; readonly kind: KindSchema; readonly signal: AbortSignal },
  ): Promise<SourceDocument> {
    const { encoding, kind: schema, signal } = source
    const { document, problems } = await this.#result({ kind: 'read', bytes, encoding, schema }, signal)
    const value = await unpack(document, this.#turns)
    return { value, source: value, problems }
  }

  async readApplied(bytes: Buffer, encoding: 'yaml' | 'cbor', signal: AbortSignal): Promise<AppliedDocument> {
    const { document, problems } = await this.#result({ kind: 'readApplied', bytes, encoding }, signal)
    return { document: (await unpack(document, this.#turns)) as ValueMap, problems }
  }

  /** The live object with the patch applied; `fault`: why that is no object of the kind. */
  async patched(
    live: ValueMap,
    patch: Omit<PatchJob, 'kind' | 'live'>,
    signal: AbortSignal,
  ): Promise<{ readonly value: Value; readonly fault: string | undefined }> {
    const { patched, fault } = await this.#result({ kind: 'patch', ...patch, live: await this.#text(live) }, signal)
    return { value: await unpack(patched, this.#turns), fault }
  }

  async trackUpdate<T extends ValueMap>(request: FieldManagerRequest, updated: T, signal: AbortSignal): Promise<T> {
    const text = await this.#text(updated)
    const job = (tracked: TrackedRequest) => ({ kind: 'trackUpdate', request: tracked, updated: text }) as const
    const entries = await this.#tracked(request, signal, [updated], job)
    if (entries === undefined) return withManagedEntries(updated, [])
    const before = managedFieldsOf(request.live) as readonly ValueMap[]
    const after: ValueMap[] = []
    for (const entry of entries) {
      after.push(typeof entry === 'number' ? before[entry]! : ((await unpack(entry, this.#turns)) as ValueMap))
    }
    return withManagedEntries(updated, after)
  }

  async trackApply(
    request: FieldManagerRequest,
    applied: ValueMap,
    { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
  ): Promise<ValueMap> {
    const text = await this.#text(applied)
    const job = (tracked: TrackedRequest) => ({ kind: 'trackApply', request: tracked, applied: text, force }) as const
    return (await unpack(await this.#tracked(request, signal, [], job), this.#turns)) as ValueMap
  }

  /** The value in an encoding; `shape` tells texts from bytes in CBOR. */
  async write(
    value: Value,
    { encoding, shape }: { readonly encoding: 'yaml' | 'cbor'; readonly shape: Shape | undefined },
  ): Promise<Buffer> {
    const job: Job = { kind: 'write', encoding, shape, value: await this.#text(value) }
    const { buffer, byteOffset, byteLength } = await this.#result(job, undefined)
    return Buffer.from(buffer, byteOffset, byteLength)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end(new Error('the server is stopping'))
  }

  /** Written in a turn of its own: that alone may take as long as one should. */
  async #text(value: Value): Promise<string> {
    await this.#turns.next()
    return jsonText(value)
  }

  /** Conversions are made here, one after the other, until the thread misses none. */
  async #tracked<J extends Extract<Job, { readonly request: TrackedRequest }>>(
    request: FieldManagerRequest,
    signal: AbortSignal,
    sent: readonly ValueMap[],
    jobFor: (tracked: TrackedRequest) => J,
  ): Promise<JobResults[J['kind']]> {
    const conversions = new Map<string, string>()
    const { versions, live, ...rest } = request
    const named = versionsIn(request.apiVersion, [live, ...sent])
    const known = named.map((apiVersion) => {
      const isGivenUp = versions.isGivenUp?.(apiVersion) === true
      return [apiVersion, { shape: versions.shape(apiVersion), isGivenUp }] as const
    })
    const tracked: TrackedRequest = { ...rest, live: await this.#text(live), versions: new Map(known), conversions }
    const job = jobFor(tracked)
    for (let count = 0; ; count++) {
      const outcome = await this.#outcome<J['kind']>(job, signal)
      if ('result' in outcome) return outcome.result
      const { failure } = outcome
      if (failure.kind !== 'conversion' || count === MOST_CONVERSIONS) throw errorOf(failure)
      const { object, apiVersion } = failure
      const converted = versions.convert(parseJsonText(object) as ValueMap, apiVersion)
      conversions.set(conversionKey(object, apiVersion), jsonText(converted))
    }
  }

  async #result<J extends Job>(job: J, signal: AbortSignal | undefined): Promise<JobResults[J['kind']]> {
    const outcome = await this.#outcome<J['kind']>(job, signal)
    if ('failure' in outcome) throw errorOf(outcome.failure)
    return outcome.result
  }

  async #outcome<K extends Job['kind']>(job: Job, signal: AbortSignal | undefined): Promise<Outcome<K>> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const queued: QueuedJob = { job, resolve, reject, startedAt: 0 }
    const giveUp = (): void => {
      reject(signal?.reason)
      this.#abandon(queued)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    this.#waiting.push(queued)
    this.#startNext()
    return promise.finally(() => signal?.removeEventListener('abort', giveUp)) as Promise<Outcome<K>>
  }

  #startNext(): void {
    if (this.#running !== undefined) return
    const next = this.#waiting.shift()
    clearTimeout(this.#idle)
    if (next === undefined) {
      this.#idle = setTimeout(() => void this.#end(new Error('nothing to do')), IDLE_MS).unref()
      return
    }
    this.#running = next
    next.startedAt = performance.now()
    this.#thread ??= this.#startThread()
    this.#thread.postMessage(next.job, [])
  }

  #startThread(): Worker {
    const program = import.meta.url.endsWith('.ts') ? './thread.ts' : './offload-thread.js'
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const thread = new Worker(new URL(program, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    })
    thread.unref()
    thread.on('message', (outcome: Outcome) => {
      if (this.#thread !== thread) return
      const done = this.#running
      this.#running = undefined
      done?.resolve(outcome)
      this.#startNext()
    })
    thread.on('error', (error) => this.#lost(thread, error))
    thread.on('exit', (code) => this.#lost(thread, new Error(`the thread for large documents ended with code ${code}`)))
    return thread
  }

  /** The job under way fails; queued ones get a new thread. */
  #lost(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const failed = this.#running
    this.#running = undefined
    failed?.reject(error)
    this.#startNext()
  }

  #abandon(queued: QueuedJob): void {
    const place = this.#waiting.indexOf(queued)
    if (place >= 0) this.#waiting.splice(place, 1)
    if (this.#running !== queued || performance.now() - queued.startedAt < this.#abandonedMs) return
    // Not at its end: until then it might finish the job, and be given another that would end with it.
    void this.#thread?.terminate()
    this.#thread = undefined
    this.#running = undefined
    this.#startNext()
  }

  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    for (const queued of [this.#running, ...this.#waiting.splice(0)]) queued?.reject(reason)
    this.#running = undefined
    await thread?.terminate()
  }
}

/** The versions that occur in managedFields. */
function versionsIn(apiVersion: string, objects: readonly ValueMap[]): readonly string[] {
  const found = new Set([apiVersion])
  for (const object of objects) {
    const entries = managedFieldsOf(object)
    for (const entry of isList(entries) ? entries : []) {
      const version = isMap(entry) ? own(entry, 'apiVersion') : undefined
      if (typeof version === 'string') found.add(version)
    }
  }
  return [...found]
}

function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'refused': {
      const { reason, message, code, details, explanation } = failure
      return new ApiError(reason, message, { code, explanation, ...(details === undefined ? {} : { details }) })
    }
    case 'syntax':
      return new BodySyntaxError(failure.message)
    case 'conversion':
      return new Error(`too many conversions to ${failure.apiVersion}`)
    case 'fault': {
      const error = new Error(failure.message)
      if (failure.stack !== undefined) error.stack = failure.stack
      return error
    }
  }
}
