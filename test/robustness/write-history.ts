// What writers say happened, held against what did. Every value is written at most once, so that an event can be traced to the
// write that claims it.
import type { KvEvent } from '../../src/kv/kv.ts'

export type Outcome =
  | { readonly kind: 'won'; readonly revision: number }
  | { readonly kind: 'lost' }
  /** The engine could not find out. */
  | { readonly kind: 'unknown' }
  /** The engine says that nothing was written. */
  | { readonly kind: 'failed'; readonly code: string }

export interface WriteRecord {
  readonly key: string
  readonly expected: number
  /** Absent: a delete. */
  readonly value?: string
  readonly outcome: Outcome
}

/** The promises that were broken, one line each. `events` is the whole history, `records` every write in it. */
export function findBrokenPromises(records: readonly WriteRecord[], events: readonly KvEvent[]): string[] {
  const broken: string[] = []
  const byRevision = new Map(events.map((event) => [event.revision, event]))
  const claimed = new Set<number>()
  const predecessors = predecessorsOf(events)

  for (const record of records) {
    const { outcome } = record
    if (outcome.kind === 'won') {
      const event = byRevision.get(outcome.revision)
      if (event === undefined || !isOf(event, record)) broken.push(`an acknowledged write is not there: ${say(record)}`)
      else if (claimed.has(event.revision)) broken.push(`a revision has two winners: ${say(record)}`)
      else if (predecessors.get(event.revision) !== record.expected)
        broken.push(`won on another revision: ${say(record)}`)
      claimed.add(outcome.revision)
    }
  }

  const inDoubt = records.filter(({ outcome }) => outcome.kind === 'unknown')
  for (const event of events) {
    if (claimed.has(event.revision)) continue
    const expected = predecessors.get(event.revision)
    if (!inDoubt.some((record) => isOf(event, record) && record.expected === expected)) {
      broken.push(`happened though nobody says so, or says it did not: ${event.kind} ${event.key} at ${event.revision}`)
    }
  }

  const values = events.flatMap((event) => (event.kind === 'put' ? [event.value.toString()] : []))
  if (new Set(values).size !== values.length) broken.push('a write happened twice')
  return broken
}

/** The revision that each event's key had before it; 0 where it was not there. */
function predecessorsOf(events: readonly KvEvent[]): Map<number, number> {
  const current = new Map<string, number>()
  return new Map(
    events.map((event) => {
      const before = current.get(event.key) ?? 0
      current.set(event.key, event.kind === 'put' ? event.revision : 0)
      return [event.revision, before]
    }),
  )
}

function isOf(event: KvEvent, { key, value }: WriteRecord): boolean {
  if (event.key !== key) return false
  return event.kind === 'put' ? event.value.toString() === value : value === undefined
}

function say({ key, expected, value, outcome }: WriteRecord): string {
  return `${value === undefined ? 'delete' : `put ${value}`} of ${key} at ${expected}: ${JSON.stringify(outcome)}`
}
