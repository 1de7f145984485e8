// A condition of a write besides the state of its own object. Admission sets it, and the store checks it in the same commit.

/** The key was not written after this revision, or does not exist. */
export interface WriteCondition {
  /** Relative to the server's prefix. */
  readonly key: string
  readonly notAfter: number
  /** Tells the client why the write was refused. */
  readonly whenLost: string
}
