// The memory that open watches keep for their clients: their requests, and the matchers of their selectors. What a user and what a
// connection may have of it is bounded. What waits to be sent is bounded where it waits.
import { ApiError } from '../api/status.ts'
import type { WatchMeasures } from './watch-measures.ts'

/** 65,000 plain watches, or 130 of which each has a selector of 60 KB. */
const MOST_OF_USER = 64 * 1024 * 1024
const MOST_OF_CONNECTION = MOST_OF_USER / 2
/** Of a plain watch beside its stream. */
const PLAIN_BYTES = 1024
/** A byte of a selector is kept in its text and in its matcher. */
const TIMES_KEPT = 8
const RETRY_SECONDS = 30

export interface WatchMemoryHolder {
  readonly user: string
  /** The same object for all requests of a connection. */
  readonly connection: object
  /** Of the request. */
  readonly bytes: number
}

export class WatchMemory {
  readonly #refused: WatchMeasures['refused']
  readonly #ofUsers = new Map<string, number>()
  readonly #ofConnections = new WeakMap<object, number>()

  constructor({ refused }: Pick<WatchMeasures, 'refused'>) {
    this.#refused = refused
  }

  /** Throws `ApiError` 429 where there is not enough left; otherwise it is to be given back. */
  take(holder: WatchMemoryHolder): void {
    const { user, connection } = holder
    const bytes = keptBytes(holder)
    const ofUser = (this.#ofUsers.get(user) ?? 0) + bytes
    const ofConnection = (this.#ofConnections.get(connection) ?? 0) + bytes
    if (ofConnection > MOST_OF_CONNECTION) throw this.#tooMany('connection')
    if (ofUser > MOST_OF_USER) throw this.#tooMany('user')
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

function keptBytes({ bytes }: WatchMemoryHolder): number {
  return PLAIN_BYTES + TIMES_KEPT * Math.max(0, bytes - PLAIN_BYTES)
}
