// The addresses that the server may connect to for users, in webhooks and API services. Link-local ones and cloud metadata
// services hold credentials, those of the host other services: both are denied by default.
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface EgressPolicy {
  /** For an IP address; whatever else it is given is not allowed. */
  allows(address: string): boolean
}

export interface EgressRules {
  /** Whether this machine's own addresses may be called, those of all of its interfaces. */
  readonly loopback: boolean
  /** CIDR ranges that are open though they are closed by default; `isAddressRange` says whether a text is one. */
  readonly allow?: readonly string[]
  /** CIDR ranges that are closed. Stronger than `allow`. */
  readonly deny?: readonly string[]
}

/** Unspecified, link-local, multicast and reserved addresses, and cloud metadata services. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Alibaba Cloud and Oracle Cloud; most others have a link-local one.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // AWS and Google Cloud.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128']

/** `own` gives the addresses of this machine at the time: interfaces come and go. */
export function egressPolicy({ loopback, allow = [], deny = [] }: EgressRules, own = ownAddresses): EgressPolicy {
  const listsOnce = (): Record<'closed' | 'opened' | 'shut', BlockList> => ({
    closed: blockList([...NEVER, ...(loopback ? [] : LOOPBACK)]),
    opened: blockList(allow),
    shut: blockList(deny),
  })
  // Most servers never call anybody.
  let lists: ReturnType<typeof listsOnce> | undefined
  return {
    allows(address) {
      lists ??= listsOnce()
      const { closed, opened, shut } = lists
      const family = isIP(address)
      if (family === 0) return false
      const plain = address.replace(/%.*$/, '')
      const within = (list: BlockList): boolean => list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
      if (within(shut)) return false
      if (within(opened)) return true
      return !within(closed) && (loopback || !within(blockList(own().map(aloneIn))))
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

/** `10.0.0.0/8`, `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  const [base = '', bits = '', ...more] = text.split('/')
  const family = isIP(base)
  return more.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

/** A range of IPv4 stands for its addresses in IPv6 too. Those that begin with `::ffff:` are known to the list itself. */
function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', length = ''] = range.split('/')
    const bits = Number(length)
    if (isIP(base) === 6) {
      list.addSubnet(base, bits, 'ipv6')
      continue
    }
    list.addSubnet(base, bits, 'ipv4')
    // Translated (RFC 6052), tunnelled (6to4) and, long deprecated, as it is: there `::1` is no address of IPv4.
    list.addSubnet(`64:ff9b::${base}`, 96 + bits, 'ipv6')
    list.addSubnet(`2002:${inHex(base)}::`, 16 + bits, 'ipv6')
    if (!base.startsWith('0.')) list.addSubnet(`::${base}`, 96 + bits, 'ipv6')
  }
  return list
}

/** `7f00:1`. */
function inHex(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
