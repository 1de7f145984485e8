// The socket that connections come to.
import { once } from 'node:events'
import type { Server } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** SO_REUSEPORT. */
  readonly sharesPort?: boolean
}

/** Node's 511 would drop the connections of a thousand clients that come back at once, each for a second or more. */
const LISTEN_BACKLOG = 4096

/** The options of every accepted connection. */
export const TCP_OPTIONS = Object.freeze({
  // The kernel detects a client that has vanished.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
})

/** Throws Node's error if it cannot listen. */
export async function listenAt(server: Server, address: ListenAddress): Promise<{ host: string; port: number }> {
  const { host, port, sharesPort: reusePort = false } = address
  server.listen({ host, port, backlog: LISTEN_BACKLOG, reusePort })
  await once(server, 'listening')
  return addressOf(server, address)
}

function addressOf(server: Server, { host, port }: ListenAddress): { host: string; port: number } {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? { host: bound.address, port: bound.port } : { host, port }
}
