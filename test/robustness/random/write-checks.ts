// What was answered to writers, held against the store's own account: acknowledged means there, once, at the revision that was told;
// refused means not there; and whatever is there, somebody asked for.
import type { Write } from './history.ts'
import type { TrueChange, Truth } from './truth.ts'

/** A write and where it is in the store. */
export interface PlacedWrite {
  readonly write: Write
  readonly revision: number
}

export interface WriteFindings {
  readonly violations: readonly string[]
  readonly placed: readonly PlacedWrite[]
  /** In doubt and not seen yet: they may still happen. */
  readonly open: readonly Write[]
}

/** `writes` are all that there were since that revision, with those that were in doubt before. */
export function checkWrites(truth: Truth, writes: readonly Write[], since: number): WriteFindings {
  const violations: string[] = []
  const placed: PlacedWrite[] = []
  const open: Write[] = []
  const claims = new Claims(truth.changes.filter(({ revision }) => revision > since))
  for (const write of writes) {
    const change = claims.take(write, violations)
    if (change !== undefined) {
      placed.push({ write, revision: change.revision })
      violations.push(...checkPlace(write, change))
    } else if (write.outcome.kind === 'unknown') open.push(write)
  }
  for (const delayed of claims.settleDeletes(open)) placed.push(delayed)
  const settled = new Set(placed.map(({ write }) => write))
  violations.push(...claims.unclaimed(), ...halves(writes, placed))
  return { violations, placed, open: open.filter((write) => !settled.has(write)) }
}

/** The writes of one transaction are all there, in one revision, or none of them is. */
function halves(writes: readonly Write[], placed: readonly PlacedWrite[]): readonly string[] {
  const revisionOf = new Map(placed.map(({ write, revision }) => [write, revision]))
  const transactions = Map.groupBy(writes, ({ transaction }) => transaction)
  transactions.delete(undefined)
  return Array.from(transactions.values()).flatMap((parts) => {
    const revisions = new Set(parts.map((part) => revisionOf.get(part)))
    const shown = parts.map((part) => `${part.key}@${revisionOf.get(part) ?? 'nowhere'}`).join(' and ')
    return revisions.size === 1 ? [] : [`whole: ${say(parts[0]!)} was written in parts: ${shown}`]
  })
}

/** Which change of the store is whose. */
class Claims {
  readonly #byValue = new Map<string, TrueChange[]>()
  readonly #deletions = new Map<string, TrueChange>()
  readonly #open: Set<TrueChange>

  constructor(changes: readonly TrueChange[]) {
    this.#open = new Set(changes)
    for (const change of changes) {
      const { object, before } = change
      if (object === undefined && before !== undefined) this.#deletions.set(before.uid, change)
      const name = object?.value === undefined ? undefined : `${object.value} ${change.key}`
      if (name !== undefined) this.#byValue.set(name, [...(this.#byValue.get(name) ?? []), change])
    }
  }

  /** The change that is this write's; tells what is wrong with that. */
  take(write: Write, violations: string[]): TrueChange | undefined {
    return write.verb === 'delete' ? this.#takeDelete(write, violations) : this.#takePut(write, violations)
  }

  #takePut(write: Write, violations: string[]): TrueChange | undefined {
    const { outcome, key } = write
    const [change, again] = this.#byValue.get(`${write.value} ${key}`) ?? []
    if (again !== undefined) violations.push(`once: ${say(write)} is there again at ${again.revision}`)
    if (outcome.kind === 'refused') {
      if (change !== undefined) violations.push(`refused: ${say(write)} is there at ${change.revision}`)
    } else if (outcome.kind === 'done' && change?.revision !== outcome.revision) {
      violations.push(`acknowledged: ${say(write)} is not there, but ${change?.revision ?? 'nowhere'}`)
    }
    for (const one of [change, again]) if (one !== undefined) this.#open.delete(one)
    return change
  }

  #takeDelete(write: Write, violations: string[]): TrueChange | undefined {
    const { outcome, key } = write
    if (outcome.kind !== 'done') return undefined
    const change = this.#deletions.get(outcome.uid)
    if (change === undefined || change.key !== key) {
      violations.push(`acknowledged: ${say(write)} is not there`)
      return undefined
    }
    if (!this.#open.delete(change)) violations.push(`one winner: ${say(write)} has removed what another has`)
    return change
  }

  /** A deletion without an acknowledgement belongs to a request in doubt: of several, the one that began first may have made it. */
  settleDeletes(inDoubt: readonly Write[]): readonly PlacedWrite[] {
    const deletes = inDoubt.filter(({ verb }) => verb === 'delete')
    const left = new Set(deletes.toSorted((a, b) => a.start - b.start))
    const settled: PlacedWrite[] = []
    for (const change of this.#open) {
      if (change.object !== undefined) continue
      const write = [...left].find(
        ({ key, expected }) => key === change.key && (expected ?? change.before?.revision) === change.before?.revision,
      )
      if (write === undefined) continue
      left.delete(write)
      this.#open.delete(change)
      settled.push({ write, revision: change.revision })
    }
    return settled
  }

  unclaimed(): readonly string[] {
    const ours = [...this.#open].filter(({ object, before }) => (object ?? before)?.value !== undefined)
    return ours.map(({ key, revision, object }) => {
      const what = object === undefined ? 'a deletion' : `the value ${object.value}`
      return `asked for: ${what} of ${key} at ${revision} belongs to no request that may have written it`
    })
  }
}

function checkPlace(write: Write, { before, revision }: TrueChange): readonly string[] {
  const { verb, expected } = write
  if (expected !== undefined && before?.revision !== expected) {
    return [`condition: ${say(write)} named ${expected} and replaced ${before?.revision ?? 'nothing'} at ${revision}`]
  }
  if (verb === 'create' && before !== undefined) return [`condition: ${say(write)} replaced ${before.revision}`]
  // A PUT without a condition creates what is not there.
  if (verb === 'patch' && before === undefined) return [`condition: ${say(write)} replaced nothing`]
  return []
}

export function say({ client, verb, key, value, outcome }: Write): string {
  const how = outcome.kind === 'done' ? ` (told ${outcome.revision ?? outcome.uid})` : ` (${outcome.kind})`
  return `${client}: ${verb} ${key}${value === undefined ? '' : ` = ${value}`}${how}`
}
