// The time limits of connections, and the reasons why the server ends a connection. If the reference has a limit, ours is the same.

export interface ConnectionLimits {
  /** From the end of the TLS handshake to the client's first SETTINGS. */
  readonly prefaceMs: number
  /** The time without a stream or a request. */
  readonly idleMs: number
  /** The time for the rest of a frame or of a field block. */
  readonly unfinishedMs: number
  /** The time in which a client must read `PROGRESS_BYTES`. */
  readonly stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = Object.freeze({
  prefaceMs: 10_000,
  idleMs: 90_000,
  unfinishedMs: 32_000,
  stalledMs: 60_000,
})

/** A client that reads less within `stalledMs` counts as gone. */
export const PROGRESS_BYTES = 16 * 1024

/** The interval at which the limits are checked. */
export const CHECK_EVERY_MS = 1000

export type EndReason =
  /** There were too many connections. */
  | 'limit'
  /** There were no requests. */
  | 'idle'
  | 'preface'
  | 'unfinished'
  | 'stalled'
  /** The connection held too much memory. */
  | 'memory'
  /** The connection error ENHANCE_YOUR_CALM. */
  | 'flood'
  /** Any other connection error. */
  | 'protocol'
  /** A fault of this server. */
  | 'fault'
