// Serves an engine by etcd's v3 API, as a cluster of one member. Start here: `serveEtcd`. Calls that are absent (authentication, changes of
// members) get `Unimplemented`.
import { createHash } from 'node:crypto'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { GrpcServerCall } from '../../wire/grpc-server-call.ts'
import { type GrpcAddress, type GrpcTls, listenForGrpc } from '../../wire/grpc-server.ts'
import type { TransactionalKv } from '../transactional.ts'
import { kvMethods } from './kv-service.ts'
import { type Identity, RAFT_TERM } from './identity.ts'
import { leaseMethods } from './lease-service.ts'
import { type Leases, Lessor } from './lessor.ts'
import { maintenanceMethods } from './maintenance-service.ts'
import { failure } from './rpc-failure.ts'
import { answerCall, type Methods } from './service.ts'
import { snapshotMethods } from './snapshot-service.ts'
import { watchMethods } from './watch-service.ts'

export interface ServeEtcdOptions {
  readonly kv: TransactionalKv
  readonly address: GrpcAddress
  /** Absent: plain text. */
  readonly tls?: GrpcTls | undefined
  /** The clock of leases. Absent: the system's clock. */
  readonly clock?: Clock
  /** Called for a fault of this server. */
  readonly onFault: (error: unknown) => void
}

export interface ServedEtcd {
  /** The URL for clients. */
  readonly url: string
  /** Changes the certificate for new connections. Throws if the key does not fit, and changes nothing then. */
  renew(tls: GrpcTls): void
  /** Ends all calls. The engine stays open. */
  close(): Promise<void>
}

/** etcd's limit of a message: 1.5 MiB for the write, and 0.5 MiB for the rest. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024

/** Resolves when the server listens. Throws Node's error if it cannot listen. */
export async function serveEtcd(options: ServeEtcdOptions): Promise<ServedEtcd> {
  const { kv, address, tls, onFault, clock = systemClock } = options
  const identity = identityOf(address)
  const lessor = new Lessor(kv, clock)
  const clientUrls = (): readonly string[] => [urlOf(server.address, tls)]
  const server = await listenForGrpc({
    address,
    tls,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    onCall: answerEtcd({ kv, clock, identity, leases: lessor, clientUrls, onFault }),
    onFault,
  })
  return {
    url: urlOf(server.address, tls),
    renew: (files) => server.renew(files),
    close: async () => {
      const { status, message } = failure('stopped')
      lessor.close()
      await server.close(status, message)
    },
  }
}

export interface EtcdMember extends Pick<ServeEtcdOptions, 'kv' | 'onFault'> {
  readonly clock: Clock
  readonly identity: Identity
  readonly leases: Leases
  readonly clientUrls: () => readonly string[]
}

/** Returns the function that answers the calls of etcd's API. */
export function answerEtcd(member: EtcdMember): (path: string, call: GrpcServerCall) => void {
  const { kv, clock, identity, leases, clientUrls, onFault } = member
  const methods: Methods = {
    ...kvMethods(kv, identity, clock),
    ...watchMethods({ kv, identity, clock }),
    ...leaseMethods(kv, leases, identity),
    ...maintenanceMethods(kv, identity, clientUrls),
    ...snapshotMethods({ kv, identity, clock, clientUrls }),
  }
  return (path, call) => {
    const method = Object.hasOwn(methods, path) ? methods[path] : undefined
    void answerCall(call, method, { path, onFault })
  }
}

/** Derives the identity from the address. */
function identityOf(address: GrpcAddress): Identity {
  const name = address.kind === 'tcp' ? `${address.host}:${address.port}` : address.path
  const hash = createHash('sha256').update(name).digest()
  return {
    name: 'quarterdeck',
    memberId: hash.readBigUInt64BE(0),
    clusterId: hash.readBigUInt64BE(8),
    raftTerm: RAFT_TERM,
  }
}

function urlOf(address: GrpcAddress, tls: GrpcTls | undefined): string {
  if (address.kind === 'unix') return `unix://${address.path}`
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return `${tls === undefined ? 'http' : 'https'}://${host}:${address.port}`
}
