// Flow control without priority and fairness: limits concurrent reads and writes. Further requests are rejected, and told to retry in a
// second (P-220).
import { MASTERS } from '../auth/user.ts'
import type { Entry, FlowControl, FlowRequest } from './flow.ts'

export interface InFlightOptions {
  /** 0: no limit. */
  readonly reads: number
  readonly writes: number
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const FREE: Entry = { kind: 'admitted', headers: {}, leave: () => {} }

export class InFlight implements FlowControl {
  readonly #reading: Limit
  readonly #writing: Limit

  constructor({ reads, writes }: InFlightOptions) {
    this.#reading = new Limit(reads)
    this.#writing = new Limit(writes)
  }

  /** Changes the limits. Running requests continue. */
  limit({ reads, writes }: InFlightOptions): void {
    this.#reading.most = reads
    this.#writing.most = writes
  }

  enter({ user, info }: FlowRequest): Entry {
    if (info.kind === 'resource' && info.verb === 'watch') return FREE
    const isRead = info.kind !== 'broken' && READS.has(info.verb)
    return (isRead ? this.#reading : this.#writing).enter(user.groups.includes(MASTERS))
  }
}

class Limit {
  most: number
  #running = 0

  constructor(most: number) {
    this.most = most
  }

  enter(isExempt: boolean): Entry {
    if (this.most === 0) return FREE
    if (this.#running >= this.most && !isExempt) return { kind: 'rejected', headers: {}, retryAfterSeconds: 1 }
    this.#running++
    let over = false
    const leave = (): void => {
      if (!over) this.#running--
      over = true
    }
    return { kind: 'admitted', headers: {}, leave }
  }
}
