// Parts that a worker gets from its supervisor and does not make itself.
import type { Candidacy } from '../controllers/leader-election.ts'
import type { HandedSockets } from '../http/listener.ts'
import type { TlsRenewal } from '../http/tls-server.ts'
import type { Authority } from './past.ts'
import type { WorkerPeers } from '../workers/peers.ts'

/** A store that the supervisor serves on a Unix socket. */
export interface StoreLink {
  readonly path: string
  /** The version of the protocol. */
  readonly level: number
}

export interface WorkerParts extends WorkerPeers {
  /** The number of workers. Each gets an equal share of all limits. */
  readonly count: number
  /** Whether this worker does the work that only one may do. */
  readonly isFirst: boolean
  /** The address of the store that the supervisor serves and manages. Absent: each worker uses the configured store. */
  readonly store: StoreLink | undefined
  readonly authority: Authority
  readonly sockets: HandedSockets
  /** The keys by which all workers seal session tickets, so that a session resumes at any worker. */
  readonly ticketKeys: string
  /** Call this once. The function gets new certificates and ticket keys. */
  readonly onRenewed: (use: (renewal: TlsRenewal) => void) => void
  readonly candidate: Candidacy
}
