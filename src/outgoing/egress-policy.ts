// The addresses that the server may connect to for users, in webhooks and API services. Link-local addresses and cloud
// metadata services give out credentials, and the host's own addresses lead to other services. Both are denied by default.
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { bitsOf, parseCidr } from '../lib/ip-bits.ts'

export interface EgressPolicy {
  /** Takes an IP address. Any other text is not allowed. An IPv6 address with an embedded IPv4 address is allowed if both addresses are. */
  allows(address: string): boolean
}

export interface EgressRules {
  /** Whether the addresses of all interfaces of this machine may be called. */
  readonly loopback: boolean
  /** CIDR ranges that are open, although they are closed by default. `isAddressRange` tells whether a text is a valid range. */
  readonly allow?: readonly string[]
  /** CIDR ranges that are closed. Stronger than `allow`. */
  readonly deny?: readonly string[]
}

/** Unspecified, link-local, multicast and reserved addresses, cloud metadata services, and tunnels to unknown IPv4 addresses. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Alibaba Cloud, Oracle Cloud and Azure. Most other clouds have a link-local address.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // AWS, Google Cloud, Oracle Cloud, Scaleway and Akamai (Linode).
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::/48',
  // Local-use NAT64 prefixes (RFC 8215), IPv4-translated addresses (RFC 2765) and Teredo.
  '64:ff9b:1::/48',
  '::ffff:0:0:0/96',
  '2001::/32',
]

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128']

/** `own` returns the current addresses of this machine: interfaces come and go. */
export function egressPolicy({ loopback, allow = [], deny = [] }: EgressRules, own = ownAddresses): EgressPolicy {
  const listsOnce = (): Record<'closed' | 'opened' | 'shut', BlockList> => ({
    closed: blockList([...NEVER, ...(loopback ? [] : LOOPBACK)]),
    opened: blockList(allow),
    shut: blockList(deny),
  })
  // The lists are made at the first call: most servers make no call.
  let lists: ReturnType<typeof listsOnce> | undefined
  return {
    allows(address) {
      lists ??= listsOnce()
      const { closed, opened, shut } = lists
      if (isIP(address) === 0) return false
      const plain = address.replace(/%.*$/, '')
      return [plain, ...embeddedAddresses(plain)].every((each) => {
        const within = (list: BlockList): boolean => list.check(each, isIP(each) === 4 ? 'ipv4' : 'ipv6')
        if (within(shut)) return false
        if (within(opened)) return true
        return !within(closed) && (loopback || !within(blockList(own().map(aloneIn))))
      })
    },
  }
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

function aloneIn(address: string): string {
  const plain = address.replace(/%.*$/, '')
  return `${plain}/${isIP(plain) === 4 ? 32 : 128}`
}

/** Whether a text is a CIDR range, such as `10.0.0.0/8` or `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  return parseCidr(text)?.address.padded === false
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits = ''] = range.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** IPv6 addresses that end with an IPv4 address, in 32 digits: compatible, mapped, translated, NAT64 (RFC 6052), ISATAP (RFC 5214). */
const BEFORE_IPV4 = /^(?:0{24}|0{20}ffff|0{16}ffff0000|0064ff9b0{16}|.{16}0[02]005efe)/

/** The IPv4 addresses to which a translator or a tunnel forwards packets for this IPv6 address. */
function embeddedAddresses(address: string): readonly string[] {
  if (isIP(address) === 4) return []
  const bits = bitsOf(address)
  const digits = bits.toString(16).padStart(32, '0')
  // `::` and `::1` have no embedded IPv4 address.
  const last = bits > 1n && BEFORE_IPV4.test(digits) ? [digits.slice(24)] : []
  const of6to4 = digits.startsWith('2002') ? [digits.slice(4, 12)] : []
  return [...last, ...of6to4].map((hex) => Buffer.from(hex, 'hex').join('.'))
}
