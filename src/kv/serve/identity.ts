// The member and the cluster in the headers of answers.
import type { Header } from '../gen/rpc.ts'
import type { Revision } from '../kv.ts'
import type { Given } from '../rpc.ts'

export interface Identity {
  readonly clusterId: bigint
  readonly memberId: bigint
  readonly name: string
  /** The number of elections so far. */
  readonly raftTerm: number
}

/** There is one member, so there was one election. */
export const RAFT_TERM = 1

export function headerOf({ clusterId, memberId, raftTerm }: Identity, revision: Revision | undefined): Given<Header> {
  return { clusterId, memberId, revision, raftTerm }
}
