// Flow control without priority and fairness: so many reads and so many writes at a time, the rest come back in a second (P-220).
import { MASTERS } from '../auth/user.ts'
import type { Entry, FlowControl, FlowRequest } from './flow.ts'

export interface InFlightOptions {
  /** 0: as many as come. */
  readonly reads: number
  readonly writes: number
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const FREE: Entry = { kind: 'admitted', headers: {}, leave: () => {} }

export function limitInFlight({ reads, writes }: InFlightOptions): FlowControl {
  const reading = new Limit(reads)
  const writing = new Limit(writes)
  return {
    enter({ user, info }: FlowRequest) {
      if (info.kind === 'resource' && info.verb === 'watch') return FREE
      const isRead = info.kind !== 'broken' && READS.has(info.verb)
      return (isRead ? reading : writing).enter(user.groups.includes(MASTERS))
    },
  }
}

class Limit {
  readonly #most: number
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  enter(isExempt: boolean): Entry {
    if (this.#most === 0) return FREE
    if (this.#running >= this.#most && !isExempt) return { kind: 'rejected', headers: {}, retryAfterSeconds: 1 }
    this.#running++
    let over = false
    const leave = (): void => {
      if (!over) this.#running--
      over = true
    }
    return { kind: 'admitted', headers: {}, leave }
  }
}
