// The sinks of audit events: a file, standard output, a webhook.
import { type AuditEvent, legacyLine } from './event.ts'
import type { AuditBackend, EventSink } from './backends.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { printable } from '../lib/printable.ts'

export type LineForm = 'json' | 'legacy'

/** Takes complete lines. */
export interface LineTarget {
  append(line: string): void
  /** Resolves when all lines are written. */
  flushed(): Promise<void>
  /** The bytes that are still to be written. */
  readonly waitingBytes: number
  close(): Promise<void>
}

/** Writes lines to standard output, which may be a terminal. */
export function printed(print: (text: string) => void): LineTarget {
  return {
    append: (line) => print(printable(line)),
    flushed: () => Promise.resolve(),
    waitingBytes: 0,
    close: () => Promise.resolve(),
  }
}

/** A sink that writes batches of events to the target. */
export function lineSink(target: LineTarget, form: LineForm): EventSink {
  return {
    name: 'log',
    write(events) {
      for (const event of events) target.append(lineOf(event, form))
      return target.flushed()
    },
    close: () => target.close(),
  }
}

/** If more bytes than this wait to be written, requests wait too. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

export interface LineOptions {
  readonly form: LineForm
  /** A request is refused if the line about its arrival cannot be written. */
  readonly strict: boolean
  /** The event to write. Undefined: it is dropped. */
  readonly fit: (event: AuditEvent) => AuditEvent | undefined
}

/**
 * Writes event by event. Requests wait if the file does not keep up. With `strict`, a request also waits until the line about its arrival
 * is written.
 */
export function lineBackend(target: LineTarget, { form, strict, fit }: LineOptions): AuditBackend {
  return {
    name: 'log',
    process(event) {
      const fitting = fit(event)
      if (fitting === undefined) return undefined
      target.append(lineOf(fitting, form))
      if (strict && event.stage === 'RequestReceived') return target.flushed()
      return target.waitingBytes > MOST_WAITING_BYTES ? target.flushed().catch(() => {}) : undefined
    },
    close: () => target.close(),
  }
}

function lineOf(event: AuditEvent, form: LineForm): string {
  return form === 'json' ? `${event.json()}\n` : `${legacyLine(event)}\n`
}

export interface WebhookOptions {
  /** Sends the text, and returns the status code. Undefined: there was no answer. */
  readonly post: (body: string, signal: AbortSignal) => Promise<number | undefined>
  /** The wait before the second attempt. */
  readonly backoffMs: number
  readonly clock: Clock
}

const ATTEMPTS = 5
const GROWTH = 1.5

/** Sends one EventList at a time, and repeats it if the webhook cannot be reached or answers with a server error (P-191). */
export function webhookSink({ post, backoffMs, clock }: WebhookOptions): EventSink {
  const stop = new AbortController()
  return {
    name: 'webhook',
    async write(events) {
      const items = events.map((event) => event.json()).join(',')
      const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}`
      let delayMs = backoffMs
      for (let attempt = 1; ; attempt++) {
        const code = await post(body, AbortSignal.timeout(POST_TIMEOUT_MS))
        if (code !== undefined && code >= 200 && code < 300) return
        const again = code === undefined || code === 429 || code >= 500
        if (!again || attempt === ATTEMPTS || stop.signal.aborted)
          throw new Error(`the audit webhook responded with ${code ?? 'nothing'}`)
        await pause(clock, delayMs, stop.signal)
        delayMs *= GROWTH
      }
    },
    close: () => {
      stop.abort()
      return Promise.resolve()
    },
  }
}

const POST_TIMEOUT_MS = 30_000
