// The audit backends. They write each event at once, before the response, or batches of events in the background. They count the events
// that could not be written.
import type { Clock } from '../lib/clock.ts'
import type { Count } from '../lib/measure.ts'
import { pause } from '../lib/pause.ts'
import type { AuditEvent } from './event.ts'

/** Takes audit events. */
export interface AuditBackend {
  /** `log` or `webhook`. */
  readonly name: string
  /**
   * Takes the event. A promise: the request must wait for it. It rejects if the event could not be kept and the operator
   * wants such requests refused.
   */
  process(event: AuditEvent): Promise<void> | undefined
  /** Resolves when every event is written or given up. */
  close(): Promise<void>
}

/** Writes events. If `write` rejects, its events are lost. */
export interface EventSink {
  readonly name: string
  write(events: readonly AuditEvent[]): Promise<void>
  close(): Promise<void>
}

/** Writes each event at once, and the request waits. `strict`: a request is refused if the event of its arrival cannot be written. */
export function eachEvent(sink: EventSink, errors: Count, strict: boolean): AuditBackend {
  return {
    name: sink.name,
    process(event) {
      const written = sink.write([event])
      if (strict && event.stage === 'RequestReceived') {
        return written.catch((error: unknown) => {
          errors.value++
          throw error
        })
      }
      return written.catch(() => {
        errors.value++
      })
    },
    close: () => sink.close(),
  }
}

export interface BatchOptions {
  /** The largest number of waiting events. Further events are dropped. */
  readonly bufferSize: number
  readonly maxSize: number
  readonly maxWaitMs: number
  /** The number of batches a second, and the number that may go at once after a pause. Undefined: no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined
}

export interface BatchParts {
  readonly clock: Clock
  /** Counts events that were dropped because the buffer was full. */
  readonly errors: Count
  /** Counts events that the sink could not write. */
  readonly failures: Count
}

/** The largest size of all waiting events together, in characters. */
const MOST_WAITING = 128 * 1024 * 1024

export class BatchedEvents implements AuditBackend {
  readonly name: string
  readonly #sink: EventSink
  readonly #options: BatchOptions
  readonly #clock: Clock
  readonly #errors: Count
  readonly #failures: Count
  readonly #stop = new AbortController()
  #waiting: AuditEvent[] = []
  #waitingLength = 0
  #alarm: (() => void) | undefined
  #sending: Promise<void> | undefined
  #tokens: number
  #filledAt: number

  constructor(sink: EventSink, options: BatchOptions, { clock, errors, failures }: BatchParts) {
    this.name = sink.name
    this.#sink = sink
    this.#options = options
    this.#clock = clock
    this.#errors = errors
    this.#failures = failures
    this.#tokens = options.throttle?.burst ?? 0
    this.#filledAt = clock.now()
  }

  process(event: AuditEvent): undefined {
    if (this.#waiting.length >= this.#options.bufferSize || this.#waitingLength > MOST_WAITING) {
      this.#errors.value++
      return undefined
    }
    this.#waiting.push(event)
    this.#waitingLength += event.length
    if (this.#waiting.length >= this.#options.maxSize) this.#send()
    else this.#alarm ??= this.#clock.callAfter(this.#options.maxWaitMs, () => this.#send())
    return undefined
  }

  async close(): Promise<void> {
    this.#stop.abort()
    while (this.#waiting.length > 0 || this.#sending !== undefined) {
      this.#send()
      await this.#sending
    }
    await this.#sink.close()
  }

  #send(): void {
    this.#alarm?.()
    this.#alarm = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#turn()
      const batch = this.#waiting.splice(0, this.#options.maxSize)
      for (const { length } of batch) this.#waitingLength -= length
      try {
        await this.#sink.write(batch)
      } catch {
        this.#failures.value += batch.length
      }
      // Newer events wait for a full batch or the alarm, unless the backend closes.
      if (this.#waiting.length < this.#options.maxSize && !this.#stop.signal.aborted) break
    }
    if (this.#waiting.length > 0) this.#alarm ??= this.#clock.callAfter(this.#options.maxWaitMs, () => this.#send())
  }

  /** Waits until the throttle allows a batch. A closing backend does not wait. */
  async #turn(): Promise<void> {
    const { throttle } = this.#options
    if (throttle === undefined || this.#stop.signal.aborted) return
    const nowMs = this.#clock.now()
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((nowMs - this.#filledAt) / 1000) * throttle.perSecond)
    this.#filledAt = nowMs
    this.#tokens--
    if (this.#tokens < 0) await pause(this.#clock, (-this.#tokens / throttle.perSecond) * 1000, this.#stop.signal)
  }
}

const MOST_BYTES_A_CHARACTER = 3

export interface TruncateOptions {
  readonly maxEventBytes: number
  readonly maxBatchBytes: number
}

/** Leaves out the bodies of events that are too large (P-192). An event that is still too large is dropped and counted. */
export function truncating(sink: EventSink, options: TruncateOptions, errors: Count): EventSink {
  return {
    name: sink.name,
    async write(events) {
      let batch: AuditEvent[] = []
      let size = 0
      for (const event of events) {
        const fitting = fitEvent(event, options.maxEventBytes)
        if (fitting === undefined) {
          errors.value++
          continue
        }
        const bytes = Buffer.byteLength(fitting.json())
        if (size + bytes > options.maxBatchBytes && batch.length > 0) {
          await sink.write(batch)
          batch = []
          size = 0
        }
        batch.push(fitting)
        size += bytes
      }
      if (batch.length > 0) await sink.write(batch)
    },
    close: () => sink.close(),
  }
}

/** The event, without its bodies if it is too large. Undefined: the event is too large even without its bodies. */
export function fitEvent(event: AuditEvent, maxBytes: number): AuditEvent | undefined {
  if (event.length * MOST_BYTES_A_CHARACTER <= maxBytes) return event
  if (Buffer.byteLength(event.json()) <= maxBytes) return event
  const cut = event.truncated()
  return Buffer.byteLength(cut.json()) <= maxBytes ? cut : undefined
}
