// Keeps the database files of a cluster small. An engine with members offers this besides its `Kv`.
import type { StoreSize } from './kv.ts'

export interface Member {
  /** The URL as the operator wrote it. */
  readonly url: string
  /** The same for every client of the cluster. */
  readonly id: string
  readonly isLeader: boolean
  readonly size: StoreSize
  /** The member's alarms and errors, except for the alarm for space. A member with problems must not be held up by maintenance. */
  readonly problems: readonly string[]
}

export interface Members {
  readonly answering: readonly Member[]
  /** The URLs of members that cannot be read from now, for any reason: a member that is being defragmented is among them. */
  readonly silent: readonly string[]
}

export interface Maintenance {
  /** Forgets all history. Resolves when the member that took the call has freed its space. */
  forgetHistory(signal: AbortSignal): Promise<void>
  members(signal: AbortSignal): Promise<Members>
  /** Gives the free space of the member's file back to the disk. The member does not answer meanwhile. */
  defragment(member: Member, signal: AbortSignal): Promise<void>
  /** Allows writes again. A member without space raises the alarm again at the next write. */
  disarmNoSpace(signal: AbortSignal): Promise<void>
}
