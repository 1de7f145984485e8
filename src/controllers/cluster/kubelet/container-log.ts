// The log of a container on a simulated node. It comes from a program or from an annotation of the pod, and is cut to the part that the
// client requests.
import { setImmediate } from 'node:timers/promises'
import type { LogCall } from './containers.ts'

export interface LogOptions {
  readonly follow: boolean
  readonly timestamps: boolean
  readonly sinceMs: number | undefined
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
}

export interface LogSource {
  readonly lines: string | Iterable<string> | AsyncIterable<string>
  /** The time of the lines that exist at the start, in milliseconds since 1970. */
  readonly writtenAtMs: number
  readonly nowMs: () => number
  /** Resolves when nothing more is written. */
  readonly over: (signal: AbortSignal) => Promise<void>
}

export function logOptions(query: URLSearchParams, nowMs: number): LogOptions {
  const number = (name: string): number | undefined => {
    const text = query.get(name)
    return text === null ? undefined : Number(text)
  }
  const [seconds, time] = [number('sinceSeconds'), query.get('sinceTime')]
  return {
    follow: query.get('follow') === 'true',
    timestamps: query.get('timestamps') === 'true',
    sinceMs: seconds === undefined ? (time === null ? undefined : Date.parse(time)) : nowMs - seconds * 1000,
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
  }
}

/** The bytes of the answer, as they come. */
export async function* logBytes(
  source: LogSource,
  options: LogOptions,
  signal: LogCall['signal'],
): AsyncGenerator<Buffer> {
  const { timestamps, limitBytes = Number.POSITIVE_INFINITY } = options
  let left = limitBytes
  for await (const { lines, atMs } of asked(source, options, signal)) {
    const stamp = timestamps ? `${new Date(atMs).toISOString().replace('Z', '000000Z')} ` : ''
    const bytes = Buffer.from(lines.map((line) => `${stamp}${line}\n`).join('')).subarray(0, left)
    left -= bytes.length
    yield bytes
    if (left <= 0) return
  }
}

/** Lines that were written at one time. */
interface Written {
  readonly lines: readonly string[]
  readonly atMs: number
}

/** The number of lines that are sent in one turn of the event loop. */
const LINES_IN_TURN = 2000

async function* asked(source: LogSource, options: LogOptions, signal: AbortSignal): AsyncGenerator<Written> {
  const { follow, tailLines, sinceMs = Number.NEGATIVE_INFINITY } = options
  const { lines } = source
  if (typeof lines === 'string' || Symbol.iterator in lines) {
    const { writtenAtMs: atMs } = source
    const all = atMs < sinceMs ? [] : typeof lines === 'string' ? linesOf(lines) : [...lines]
    const first = tailLines === undefined ? 0 : Math.max(0, all.length - tailLines)
    for (let at = first; at < all.length; at += LINES_IN_TURN) {
      if (at > first) await setImmediate()
      if (signal.aborted) return
      yield { lines: all.slice(at, at + LINES_IN_TURN).map(trimmed), atMs }
    }
    if (follow) await source.over(signal)
    return
  }
  // While more lines may come, the last lines are unknown. So `tailLines` only applies to logs that are not followed.
  const kept: Written[] = []
  for await (const text of lines) {
    if (signal.aborted) return
    const line = { lines: [trimmed(text)], atMs: source.nowMs() }
    if (line.atMs < sinceMs) continue
    if (follow || tailLines === undefined) yield line
    else if (kept.push(line) > tailLines) kept.shift()
  }
  yield* kept
}

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function trimmed(line: string): string {
  return line.endsWith('\n') ? line.slice(0, -1) : line
}
