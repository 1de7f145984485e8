// Records for which request the event loop works, and for how long, so that an operator finds the client that delays the others. A request
// enters when it gets the event loop: when it arrives, after filters that may wait, when its body has been read, when the store or a
// webhook has answered, and before each piece of its answer. The time until another request enters, or until the turn of the event loop
// ends, belongs to the request. In a long turn only the processor time counts: on a busy machine the thread may not have run.
import type { User } from '../api/user.ts'
import { counter, type Family, gauge } from '../lib/measure.ts'
import { TokenBucket } from '../lib/token-bucket.ts'
import { isLongRunning } from './deadline.ts'
import type { HttpRequest } from './http.ts'
import type { RequestInfo } from './request-info.ts'

export interface RequestStatus {
  /** The end of the request. For an open request: now. */
  readonly at: string
  readonly user: string
  readonly verb: string
  /** Empty: the path names no resource. */
  readonly resource: string
  readonly path: string
  readonly receivedBytes: number
  /** 0 for an open request, like `sentBytes`. */
  readonly status: number
  readonly sentBytes: number
  readonly milliseconds: number
  readonly busyMs: number
  readonly longestTurnMs: number
  readonly auditId: string
  readonly agent: string
}

/** The time of the event loop and of worker threads that the requests of a user took. */
export interface ClientUse {
  readonly user: string
  requests: number
  busyMs: number
  /** The time of the recent past: it is halved every minute. */
  recentMs: number
}

export interface RequestsReport {
  readonly running: readonly RequestStatus[]
  readonly slowest: readonly RequestStatus[]
  readonly clients: readonly ClientUse[]
}

/** A longer turn delays other requests noticeably. */
export const LONG_TURN_MS = 100
/** For shorter turns the processor time is not read, because reading it takes 1 µs. */
const CHECKED_MS = 10
/** The largest number of entries of each list in the report. */
const MOST_SHOWN = 50
const KEPT_MS = 5 * 60_000
/** The largest number of users. Beyond it, the half of the users with the least recent time is forgotten. */
const MOST_CLIENTS = 1000
/** The largest number of users in metrics. */
const MOST_LABELS = 20
const HALVED_EVERY_MS = 60_000
const FORGET_EVERY_MS = 1_000
/** The number of lines in the log: the burst, and the rate afterwards. */
const LINES = Object.freeze({ burst: 10, perSecond: 0.1 })
const LONGEST_TEXT = 200

export class TurnLedger {
  readonly families: readonly Family[]
  running: () => Iterable<HttpRequest> = () => []
  /** Called for a request with a long turn. `untold`: the number of such requests without a call of their own, since the last call. */
  onLongTurn: (request: RequestStatus, untold: number) => void = () => {}
  readonly #now: () => number
  readonly #processorNow: () => number
  readonly #longTurns = counter(
    'quarterdeck_long_turns_total',
    'Requests that held the event loop for more than 100 ms without a break; the log names them.',
    ['verb', 'group', 'resource'],
    { most: 200 },
  )
  readonly #clients = new Map<string, ClientUse>()
  #slowest: readonly Slow[] = []
  #current: HttpRequest | undefined
  #since = 0
  /** The thread's processor time, and when it was read. */
  #processor = { milliseconds: 0, readAt: Number.NEGATIVE_INFINITY }
  #isOpen = false
  readonly #lines: TokenBucket
  #untold = 0
  #halvedAt = 0

  /** Both clocks return milliseconds. */
  constructor(now = () => performance.now(), processorNow = threadMs) {
    this.#now = now
    this.#processorNow = processorNow
    this.#lines = new TokenBucket(LINES, now())
    this.families = [
      this.#longTurns,
      counter(
        'quarterdeck_client_processor_seconds_total',
        `Seconds of the event loop and of worker threads for the requests of a user; for the ${MOST_LABELS} users with the most lately.`,
        ['user'],
        {
          refresh: (family) => {
            family.clear()
            for (const { user, busyMs } of this.#top(MOST_LABELS)) family.of(user).value = busyMs / 1000
          },
        },
      ),
      gauge(
        'quarterdeck_longest_turn_seconds',
        'Longest time for which a request of the last five minutes held the event loop without a break; 0 below 100 ms.',
        [],
        {
          refresh: (family) => {
            family.of().value = (this.#recent(this.#now())[0]?.told.longestTurnMs ?? 0) / 1000
          },
        },
      ),
    ]
  }

  /** The request runs on the event loop from now on. */
  enter(request: HttpRequest, at?: number): void {
    if (this.#current === request) return
    const now = at ?? this.#now()
    if (this.#current !== undefined) this.#charge(this.#current, now)
    if (!this.#isOpen) {
      this.#isOpen = true
      setImmediate(this.#end)
    }
    if (now - this.#processor.readAt >= CHECKED_MS) this.#processorSince(now)
    this.#current = request
    this.#since = now
  }

  /** Call this when the answer to the request is over. */
  finish({ request, user, isAuthorized, status, sentBytes, milliseconds }: Finished): void {
    const now = request.receivedAt + milliseconds
    if (this.#current === request) {
      this.#charge(request, now)
      this.#current = undefined
    }
    const { turns, info } = request
    this.spend(user.name, turns.busyMs, 1, now)
    if (turns.longestMs <= LONG_TURN_MS || isLongRunning(info)) return
    // A request that was not authorized must not add a series.
    this.#note(isAuthorized ? info : undefined, statusOf(request, now, { user, status, sentBytes }), now)
  }

  spend(user: string, milliseconds: number, requests = 0, now = this.#now()): void {
    if (now - this.#halvedAt > FORGET_EVERY_MS) this.#forget(now)
    const use = this.#clients.get(user) ?? this.#know(user)
    use.requests += requests
    use.busyMs += milliseconds
    use.recentMs += milliseconds
  }

  report(): RequestsReport {
    const now = this.#now()
    const running = Array.from(this.running(), (one) =>
      statusOf(one, now, { user: one.responder.user, status: 0, sentBytes: 0 }),
    )
    return {
      running: running.sort((a, b) => b.busyMs - a.busyMs || b.milliseconds - a.milliseconds).slice(0, MOST_SHOWN),
      slowest: this.#recent(now).map(({ told }) => told),
      clients: this.#top(MOST_SHOWN).map((use) => ({ ...use })),
    }
  }

  readonly #end = (): void => {
    this.#isOpen = false
    if (this.#current !== undefined) this.#charge(this.#current, this.#now())
    this.#current = undefined
  }

  #charge(request: HttpRequest, now: number): void {
    const { turns } = request
    const elapsed = now - this.#since
    const milliseconds = elapsed < CHECKED_MS ? elapsed : Math.min(elapsed, this.#processorSince(now))
    turns.busyMs += milliseconds
    if (milliseconds <= turns.longestMs) return
    const wasLong = turns.longestMs > LONG_TURN_MS
    turns.longestMs = milliseconds
    // A watch may end hours later, so its turn is reported now.
    if (milliseconds <= LONG_TURN_MS || wasLong || !isLongRunning(request.info)) return
    this.#note(request.info, statusOf(request, now, { user: request.responder.user, status: 0, sentBytes: 0 }), now)
  }

  /** The processor time of the thread since the last call. */
  #processorSince(now: number): number {
    const milliseconds = this.#processorNow()
    const used = milliseconds - this.#processor.milliseconds
    this.#processor = { milliseconds, readAt: now }
    return used
  }

  #note(info: RequestInfo | undefined, told: RequestStatus, now: number): void {
    const labels = info?.kind === 'resource' ? [info.verb, info.group, info.resource] : ['', '', '']
    this.#longTurns.of(...labels).value++
    this.#slowest = [...this.#recent(now), { told, endedAt: now }]
      .sort((a, b) => b.told.longestTurnMs - a.told.longestTurnMs)
      .slice(0, MOST_SHOWN)
    if (!this.#lines.take(1, () => now)) return void this.#untold++
    this.onLongTurn(told, this.#untold)
    this.#untold = 0
  }

  #recent(now: number): readonly Slow[] {
    return this.#slowest.filter(({ endedAt }) => now - endedAt < KEPT_MS)
  }

  #know(user: string): ClientUse {
    if (this.#clients.size === MOST_CLIENTS) {
      const kept = this.#top(MOST_CLIENTS / 2)
      this.#clients.clear()
      for (const use of kept) this.#clients.set(use.user, use)
    }
    const use = { user, requests: 0, busyMs: 0, recentMs: 0 }
    this.#clients.set(user, use)
    return use
  }

  #forget(now: number): void {
    const share = 0.5 ** ((now - this.#halvedAt) / HALVED_EVERY_MS)
    this.#halvedAt = now
    for (const use of this.#clients.values()) use.recentMs *= share
  }

  /** The users with the most time in the recent past. */
  #top(most: number): readonly ClientUse[] {
    this.#forget(this.#now())
    return [...this.#clients.values()].sort((a, b) => b.recentMs - a.recentMs).slice(0, most)
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface Slow {
  readonly told: RequestStatus
  readonly endedAt: number
}

interface Finished {
  readonly request: HttpRequest
  readonly user: User
  readonly isAuthorized: boolean
  readonly status: number
  readonly sentBytes: number
  readonly milliseconds: number
}

function statusOf(
  { auditId, info, method, path, headers, body, receivedAt, turns }: HttpRequest,
  now: number,
  { user, status, sentBytes }: Pick<Finished, 'user' | 'status' | 'sentBytes'>,
): RequestStatus {
  const isResource = info.kind === 'resource'
  return {
    at: new Date(performance.timeOrigin + now).toISOString(),
    user: user.name.slice(0, LONGEST_TEXT),
    verb: isResource ? info.verb : method.toLowerCase(),
    resource: isResource ? info.resource : '',
    path: path.slice(0, LONGEST_TEXT),
    receivedBytes: body.length,
    status,
    sentBytes,
    milliseconds: Math.round(now - receivedAt),
    busyMs: Math.round(turns.busyMs),
    longestTurnMs: Math.round(turns.longestMs),
    auditId,
    agent: String(headers['user-agent'] ?? '').slice(0, LONGEST_TEXT),
  }
}
