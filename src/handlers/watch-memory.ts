// The memory that open watches keep for their clients: their requests, the matchers of their selectors, and their compiled conditions. Each
// user and each connection has a limit of this memory. Unsent events have another limit.
import { ApiError } from '../api/status.ts'
import type { WatchMeasures } from './watch-measures.ts'

/**
 * The limit of a user in all workers: 65,000 plain watches, or 130 with selectors of 60 KB. A connection belongs to one worker and may use
 * half of this limit.
 */
const MOST_OF_USER = 64 * 1024 * 1024
const MOST_OF_CONNECTION = MOST_OF_USER / 2
/** The least limit of a user in one of many workers: all connections of the user may be in this worker. */
const LEAST_OF_USER = 16 * 1024 * 1024
/** The memory of a plain watch besides its stream. */
const PLAIN_BYTES = 1024
/** The bytes that a byte of a selector takes, in its text and in its matcher. */
const TIMES_KEPT = 8
const RETRY_SECONDS = 30

export interface WatchMemoryHolder {
  readonly user: string
  /** The same object for all requests of a connection. */
  readonly connection: object
  /** The size of the request. */
  readonly bytes: number
  /** The size of the compiled condition of a query. */
  readonly conditionBytes: number
}

export class WatchMemory {
  readonly #refused: WatchMeasures['refused']
  readonly #mostOfUser: number
  readonly #ofUsers = new Map<string, number>()
  readonly #ofConnections = new WeakMap<object, number>()

  /** The workers share the limit of a user. */
  constructor({ refused }: Pick<WatchMeasures, 'refused'>, workers = 1) {
    this.#refused = refused
    this.#mostOfUser = Math.max(MOST_OF_USER / workers, LEAST_OF_USER)
  }

  /** Takes memory from the limit, to be given back later. Throws `ApiError` 429 if there is not enough left. */
  take(holder: WatchMemoryHolder): void {
    const { user, connection } = holder
    const bytes = keptBytes(holder)
    const ofUser = (this.#ofUsers.get(user) ?? 0) + bytes
    const ofConnection = (this.#ofConnections.get(connection) ?? 0) + bytes
    if (ofConnection > MOST_OF_CONNECTION) throw this.#tooMany('connection')
    if (ofUser > this.#mostOfUser) throw this.#tooMany('user')
    this.#ofUsers.set(user, ofUser)
    this.#ofConnections.set(connection, ofConnection)
  }

  giveBack(holder: WatchMemoryHolder): void {
    const { user, connection } = holder
    const bytes = keptBytes(holder)
    const ofUser = this.#ofUsers.get(user)! - bytes
    if (ofUser === 0) this.#ofUsers.delete(user)
    else this.#ofUsers.set(user, ofUser)
    this.#ofConnections.set(connection, this.#ofConnections.get(connection)! - bytes)
  }

  #tooMany(limit: 'user' | 'connection'): ApiError {
    this.#refused.of(limit).value++
    const message = `the watches of this ${limit} use too much memory: end some of them, or use smaller selectors`
    return new ApiError('TooManyRequests', message, { details: { retryAfterSeconds: RETRY_SECONDS } })
  }
}

function keptBytes({ bytes, conditionBytes }: WatchMemoryHolder): number {
  return PLAIN_BYTES + TIMES_KEPT * Math.max(0, bytes - PLAIN_BYTES) + conditionBytes
}
