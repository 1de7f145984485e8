// Recovers space in a database file that is mostly free, or has no space left. Members are defragmented one at a time, the
// leader last, and only while all others answer: a cluster of three goes on with two.
import type { Maintenance, Member, Members } from '../kv/maintenance.ts'

export interface DefragmentBounds {
  /** The free share of the file, from 0 to 1. */
  readonly freeShare: number
  readonly minBytes: number
}

/** The alarm is disarmed only if this much of the quota is free. Otherwise it would be raised again soon. */
const ENOUGH_SHARE = 0.2

/** After the first try, a member with less free space than this in its file is not defragmented, even if the store has no space left. */
const WORTHWHILE: DefragmentBounds = { freeShare: 0.1, minBytes: 0 }

export type NextDefragmentation =
  | { readonly kind: 'none' }
  | { readonly kind: 'member'; readonly member: Member }
  /** A member needs a defragmentation, but a problem of a member prevents it now. */
  | { readonly kind: 'unwell'; readonly problem: string }

export function isFragmented(
  { size: { bytes, inUseBytes } }: Member,
  { minBytes, freeShare }: DefragmentBounds,
): boolean {
  return bytes >= minBytes && bytes - inUseBytes > bytes * freeShare
}

/** Every server chooses the same member, so that two servers do not stop two members. */
export function nextToDefragment(
  { answering, silent }: Members,
  isDue: (member: Member) => boolean,
): NextDefragmentation {
  const due = answering
    .filter(isDue)
    .toSorted((one, other) => Number(one.isLeader) - Number(other.isLeader) || (one.id < other.id ? -1 : 1))
  const [member] = due
  if (member === undefined) return { kind: 'none' }
  if (silent.length > 0) return { kind: 'unwell', problem: `${silent.join(', ')} does not answer` }
  const sick = answering.find(({ problems }) => problems.length > 0)
  if (sick !== undefined) return { kind: 'unwell', problem: `${sick.url}: ${sick.problems.join('; ')}` }
  return { kind: 'member', member }
}

export type Recovery =
  | { readonly kind: 'recovered'; readonly freedBytes: number }
  | { readonly kind: 'still-full' }
  | { readonly kind: 'unwell'; readonly problem: string }

export interface RecoveryOptions {
  /** The first try defragments every member without room, even if it reports little free space: see `StoreSize`. */
  readonly isFirstTry: boolean
}

/**
 * For a store that has raised the alarm for space: compacts history, defragments, and disarms the alarm if there is enough space then.
 * Clients that still read old revisions get the error that these revisions are compacted.
 */
export async function recoverSpace(
  maintenance: Maintenance,
  { isFirstTry }: RecoveryOptions,
  signal: AbortSignal,
): Promise<Recovery> {
  const before = await maintenance.members(signal)
  await maintenance.forgetHistory(signal)
  let members = await maintenance.members(signal)
  const defragmented = new Set<string>()
  const isDue = (member: Member): boolean =>
    !defragmented.has(member.id) && (isFragmented(member, WORTHWHILE) || (isFirstTry && !hasRoom(member, before)))
  for (;;) {
    const next = nextToDefragment(members, isDue)
    if (next.kind === 'unwell') return next
    if (next.kind === 'none') break
    await maintenance.defragment(next.member, signal)
    defragmented.add(next.member.id)
    members = await maintenance.members(signal)
  }
  if (members.silent.length > 0) return { kind: 'unwell', problem: `${members.silent.join(', ')} does not answer` }
  if (!members.answering.every((member) => hasRoom(member, before))) return { kind: 'still-full' }
  await maintenance.disarmNoSpace(signal)
  return { kind: 'recovered', freedBytes: bytesOf(before) - bytesOf(members) }
}

/**
 * Whether enough of the member's quota is free. If a member does not report its quota, its size before the recovery counts as the quota.
 */
function hasRoom({ id, size }: Member, before: Members): boolean {
  const largest = before.answering.find((member) => member.id === id)?.size.bytes ?? size.bytes
  return size.bytes <= (1 - ENOUGH_SHARE) * (size.limit?.quotaBytes ?? largest)
}

function bytesOf({ answering }: Members): number {
  return answering.reduce((sum, { size }) => sum + size.bytes, 0)
}
