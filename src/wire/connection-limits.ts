// How long a connection may stay as it is, and why one was ended. Where the reference has a limit, it is the reference's.

export interface ConnectionLimits {
  /** From the end of the TLS handshake to the client's first SETTINGS. */
  readonly prefaceMs: number
  /** Without a stream, or a request. */
  readonly idleMs: number
  /** For the rest of a frame, or of a field block. */
  readonly unfinishedMs: number
  /** For a client to take a little of what waits for it. */
  readonly stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = Object.freeze({
  prefaceMs: 10_000,
  idleMs: 90_000,
  unfinishedMs: 32_000,
  stalledMs: 60_000,
})

/** What a client has to take within `stalledMs`: one that takes a byte now and then is as good as gone. */
export const PROGRESS_BYTES = 16 * 1024

/** How often the limits are looked at. */
export const CHECK_EVERY_MS = 1000

export type EndReason =
  /** There were too many connections. */
  | 'limit'
  /** Nothing was asked for any more. */
  | 'idle'
  | 'preface'
  | 'unfinished'
  | 'stalled'
  /** It held too much memory. */
  | 'memory'
  /** ENHANCE_YOUR_CALM. */
  | 'flood'
  /** Any other connection error. */
  | 'protocol'
  /** Something of ours broke. */
  | 'fault'
