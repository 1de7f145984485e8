// The state of a server at a moment, as a value that programs can keep.
import type { Past, ServerState } from '../server/past.ts'
import type { TakenTime } from './time.ts'
import type { ServerUser } from './users.ts'

/**
 * Everything that a server had stored at a moment, its certificate authority, keys and tokens, and its users. A snapshot never changes and
 * outlives its server. It can be restored, and servers can be started from it, any number of times. It shares its memory with the servers
 * that have the same objects.
 */
export interface Snapshot {
  /** The newest resourceVersion in the snapshot. */
  readonly resourceVersion: string
}

/** The internals of a snapshot, for the library. */
interface SnapshotContents {
  readonly state: ServerState
  readonly users: readonly ServerUser[]
  readonly time: TakenTime
}

export class TakenSnapshot implements Snapshot {
  readonly #contents: SnapshotContents

  constructor(contents: SnapshotContents) {
    this.#contents = contents
  }

  get resourceVersion(): string {
    return String(this.#contents.state.stored.newest)
  }

  /** Throws if the value is not a snapshot. A copy of a snapshot is none. */
  static contentsOf(snapshot: Snapshot): SnapshotContents {
    if (!(snapshot instanceof TakenSnapshot)) {
      throw new TypeError('this is not a snapshot: give the result of server.snapshot(), in the same process')
    }
    return snapshot.#contents
  }
}

/** Throws if the server does not keep everything in memory. */
export function pastIn(past: Past | undefined): Past {
  if (past !== undefined) return past
  throw new Error(
    'fork(), snapshot() and restore() need a server that keeps everything in memory: start it without dataDir and etcd-servers',
  )
}
