// Where other machines reach this server: the address it listens on, or the first of the machine where it listens on all.
import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Undefined where only this machine can reach it. */
export function advertisedAddress(bindAddress: string): string | undefined {
  if (isOwn(bindAddress)) return undefined
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outer = all.filter(({ internal, address }) => !internal && !isOwn(address))
  return (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address
}

function isOwn(address: string): boolean {
  const own = new BlockList()
  own.addSubnet('127.0.0.0', 8, 'ipv4')
  own.addSubnet('169.254.0.0', 16, 'ipv4')
  own.addAddress('::1', 'ipv6')
  own.addSubnet('fe80::', 10, 'ipv6')
  return own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
