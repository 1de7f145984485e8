// Which addresses the server may connect to on somebody else's word. An address that is not plainly an allowed one is
// refused: link-local ones hold the credentials of cloud machines, loopback ones the machine's own services.
import { BlockList, isIP } from 'node:net'

export interface EgressPolicy {
  /** For an IP address; whatever else it is given is not allowed. */
  allows(address: string): boolean
}

export interface EgressRules {
  /** Whether this machine's own addresses may be called. */
  readonly loopback: boolean
  /** CIDR ranges that are open though they are closed by default; `isAddressRange` says whether a text is one. */
  readonly allow?: readonly string[]
  /** CIDR ranges that are closed. Stronger than `allow`. */
  readonly deny?: readonly string[]
}

/** Unspecified, link-local, multicast and reserved addresses, also where IPv6 carries them to IPv4. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  '64:ff9b::a9fe:0/112',
  '2002:a9fe::/32',
]

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128', '64:ff9b::7f00:0/104', '2002:7f00::/24']

export function egressPolicy({ loopback, allow = [], deny = [] }: EgressRules): EgressPolicy {
  const closed = blockList([...NEVER, ...(loopback ? [] : LOOPBACK)])
  const opened = blockList(allow)
  const shut = blockList(deny)
  return {
    allows(address) {
      const family = isIP(address)
      if (family === 0) return false
      const plain = address.replace(/%.*$/, '')
      const within = (list: BlockList): boolean => list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
      return !within(shut) && (within(opened) || !within(closed))
    },
  }
}

/** `10.0.0.0/8`, `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  const [base = '', bits = '', ...more] = text.split('/')
  const family = isIP(base)
  return more.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits = ''] = range.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
