// Whether the server deals with a hostile request in proportion: by its own processor time, for the request as large as it is said
// and, where that takes a while, for one four times as large, and by the bytes that it brings and is answered with. A busy or
// slow machine does not matter.
import type { MeasuredServer } from './measured-server.ts'
import type { ServerCall } from './running-server.ts'
import { MAX_STALL_MS } from './longest-stall.ts'
import { processorMilliseconds } from './processor-time.ts'
import { slownessNow } from './slowness.ts'

export interface HostileRequest extends ServerCall {
  readonly path: string
}

/** A request of about so many bytes. */
export type HostileRow = (bytes: number) => HostileRequest

/** Of processor time. */
const MAX_MS_PER_MEGABYTE = 200
const AT_ONCE_MS = 40
const TIMES = 4
/** Squared it would be 16. */
const MAX_GROWTH = 2.25 * TIMES
const TRIES = 5
const FAR = 8

interface Cost {
  readonly milliseconds: number
  /** Of the longest turn of the event loop. */
  readonly turnMs: number
  /** What a parser takes for the body, where that matters. */
  readonly parseMs: number
  /** Brought and answered. */
  readonly bytes: number
  readonly status: number
  readonly answer: string
}

/** A sentence of what is wrong; empty where the cost is in proportion. Costs what the request does where nothing is wrong. */
export async function tooCostly(server: MeasuredServer, row: HostileRow, bytes: number): Promise<string> {
  const request = row(bytes)
  let small = await costOf(server, request)
  if (small.status >= 500) return `is answered ${small.status}: ${small.answer}`
  if (small.milliseconds <= AT_ONCE_MS) return ''
  let slowness = slownessNow()
  if (small.milliseconds <= AT_ONCE_MS * slowness) return ''
  const isFar = (): boolean => small.milliseconds > FAR * allowedFor(small, slowness)
  // Other work of the server, such as the rest of its start, falls into one of two requests.
  if (isFar()) small = cheaper(small, await costOf(server, request))
  // A larger request would take too long.
  if (isFar()) return `takes ${shown(small)}`
  const larger = row(bytes * TIMES)
  let large = await costOf(server, larger)
  for (let i = 0; ; i++) {
    if (faultOf(large, small, slowness) === '') return ''
    // The machine may have been slower when the request was made than it is now.
    slowness = Math.max(slowness, slownessNow())
    const fault = faultOf(large, small, slowness)
    if (fault === '' || i === TRIES) return fault
    // Compilation, garbage and other programs make it look worse than it is.
    large = cheaper(large, await costOf(server, larger))
    small = cheaper(small, await costOf(server, request))
  }
}

function faultOf(large: Cost, small: Cost, slowness: number): string {
  const allowed = allowedFor(large, slowness)
  if (large.turnMs > large.parseMs + MAX_STALL_MS * slowness) {
    return `holds the event loop for ${large.turnMs.toFixed(0)} ms (${large.status}, ${large.bytes} bytes)`
  }
  if (large.milliseconds > allowed) return `takes ${shown(large)}, more than ${allowed.toFixed(0)} ms`
  return large.milliseconds / small.milliseconds > MAX_GROWTH
    ? `takes ${shown(large)}, and ${small.milliseconds.toFixed(1)} ms for a quarter of it`
    : ''
}

function allowedFor({ bytes }: Cost, slowness: number): number {
  return (bytes / 1e6) * MAX_MS_PER_MEGABYTE * slowness + AT_ONCE_MS
}

function shown({ milliseconds, bytes, status }: Cost): string {
  return `${milliseconds.toFixed(0)} ms for ${bytes} bytes (${status})`
}

async function costOf(server: MeasuredServer, { path, ...call }: HostileRequest): Promise<Cost> {
  await server.longestTurn()
  const before = server.processorMs()
  const { status, body } = await server.request(path, call)
  const milliseconds = server.processorMs() - before
  const { ms: turnMs } = await server.longestTurn()
  const sent = call.body === undefined ? 0 : Buffer.byteLength(call.body as string | Buffer)
  const parseMs = turnMs > MAX_STALL_MS ? parsingMs(call.body as string | Buffer | undefined) : 0
  return { milliseconds, turnMs, parseMs, bytes: path.length + sent + body.length, status, answer: body.slice(0, 300) }
}

/** `JSON.parse` of a body that is let in cannot be cut up. */
function parsingMs(body: string | Buffer | undefined): number {
  const text = String(body)
  return text.startsWith('{') ? processorMilliseconds(() => void JSON.parse(text)) : 0
}

function cheaper(one: Cost, other: Cost): Cost {
  const least = other.milliseconds < one.milliseconds ? other : one
  return { ...least, turnMs: Math.min(one.turnMs, other.turnMs) }
}
