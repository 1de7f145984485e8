// A condition of a write besides the state of its own object. Admission sets it, and the store checks it in the same commit.

/** The key does not exist, or was not written after the revision `notAfter`. */
export interface WriteCondition {
  /** Relative to the server's prefix. */
  readonly key: string
  readonly notAfter: number
  /** Tells the client why the write was refused. */
  readonly whenLost: string
}
