// The advertised address. It is the address that the server listens on. If the server listens on all interfaces or only on loopback, it is the
// address of the default route: a proxy may forward to it (W-624).
import { readFileSync } from 'node:fs'
import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

import type { Config } from './config.ts'
import type { Log } from '../lib/log.ts'

type Interfaces = ReturnType<typeof networkInterfaces>

export interface Machine {
  readonly interfaces: Interfaces
  /** The names of the interfaces of default routes, in order. */
  readonly wayOut: { readonly IPv4: readonly string[]; readonly IPv6: readonly string[] }
}

/** Undefined: the machine has no address that another machine could use. */
export function advertisedAddress(bindAddress: string, machine = thisMachine()): string | undefined {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::' && isReachable(bindAddress)) return bindAddress
  const families = isIPv6(bindAddress) ? (['IPv6', 'IPv4'] as const) : (['IPv4', 'IPv6'] as const)
  for (const family of families) {
    const names = new Set([...machine.wayOut[family], ...Object.keys(machine.interfaces)])
    for (const name of names) {
      const found = machine.interfaces[name]?.find((one) => one.family === family && isReachable(one.address))
      if (found !== undefined) return found.address
    }
  }
  return undefined
}

/** The address in the endpoints of the service `kubernetes`. Undefined: there is no such endpoint. */
export function ownAddress({ cluster, bindAddress }: Config, log: Log): string | undefined {
  const { advertiseAddress: asked } = cluster
  if (asked === undefined) return advertisedAddress(bindAddress)
  if (isReachable(asked)) return asked
  log.warn(
    { address: asked },
    '--advertise-address cannot be used as an endpoint; the kubernetes service has no endpoints',
  )
  return undefined
}

/**
 * The address at which other replicas reach this replica, whose URL is `listening`. Empty: this replica does not listen yet. Undefined:
 * other replicas cannot reach it.
 */
export function peerAddress({ cluster, bindAddress }: Config, listening: string): string | undefined {
  const { peers, advertiseAddress } = cluster
  const isUnspecified = bindAddress === '0.0.0.0' || bindAddress === '::'
  const host = peers.address ?? advertiseAddress ?? (isUnspecified ? advertisedAddress(bindAddress) : bindAddress)
  // A URL does not name the default port of its scheme.
  const port = peers.port ?? /:(\d+)$/.exec(listening)?.[1] ?? 443
  if (host === undefined) return undefined
  return listening === '' ? '' : `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** False if only this machine, or the machines on its link, can reach the address. Endpoints must not have such an address. */
export function isReachable(address: string): boolean {
  return !OWN_ADDRESSES.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const OWN_ADDRESSES = new BlockList()
OWN_ADDRESSES.addSubnet('127.0.0.0', 8, 'ipv4')
OWN_ADDRESSES.addSubnet('169.254.0.0', 16, 'ipv4')
OWN_ADDRESSES.addAddress('::1', 'ipv6')
OWN_ADDRESSES.addSubnet('fe80::', 10, 'ipv6')

function thisMachine(): Machine {
  const [v4, v6] = [routes('/proc/net/route'), routes('/proc/net/ipv6_route')]
  const noGateway = '0'.repeat(32)
  return {
    interfaces: networkInterfaces(),
    wayOut: {
      IPv4: v4.flatMap(([name = '', destination]) => (destination === '00000000' ? [name] : [])),
      IPv6: v6.flatMap(([destination, , , , gateway, ...rest]) =>
        destination === noGateway && gateway !== noGateway ? [rest.at(-1) ?? ''] : [],
      ),
    },
  }
}

/** The rows of a table of the kernel, each with its columns. Empty: there is no such table. */
function routes(file: string): readonly (readonly string[])[] {
  try {
    const lines = readFileSync(file, 'latin1').trim().split('\n')
    return lines.map((line) => line.trim().split(/\s+/))
  } catch {
    return []
  }
}
