// Keeps the database files of a cluster small. An engine with members offers this besides its `Kv`.
import type { StoreSize } from './kv.ts'

export interface Member {
  /** As the operator wrote it. */
  readonly url: string
  /** The same for every client of the cluster. */
  readonly id: string
  readonly isLeader: boolean
  readonly size: StoreSize
  /** What it complains about, the alarm for space excepted: then it is not the time to hold it up. */
  readonly problems: readonly string[]
}

export interface Members {
  readonly answering: readonly Member[]
  /** The URLs of members that cannot be read from now, for any reason: a member that is being defragmented is among them. */
  readonly silent: readonly string[]
}

export interface Maintenance {
  /** Forgets all history. Resolves when the member has freed its space. */
  forgetHistory(signal: AbortSignal): Promise<void>
  members(signal: AbortSignal): Promise<Members>
  /** Gives the free space of the member's file back to the disk. The member does not answer meanwhile. */
  defragment(member: Member, signal: AbortSignal): Promise<void>
  /** Lets writes through again. Members that have no space raise the alarm again with the next of them. */
  disarmNoSpace(signal: AbortSignal): Promise<void>
}
