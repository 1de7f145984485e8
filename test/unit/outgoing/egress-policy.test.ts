import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { egressPolicy, isAddressRange } from '../../../src/outgoing/egress-policy.ts'

describe('the egress policy', () => {
  const closed: readonly string[] = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    'fe80::1%eth0',
    '2002:a9fe:a9fe::1',
    '::169.254.169.254',
    'fd00:ec2::254',
    'fd00:0ec2:0:0:0:0:0:0254',
    'fd20:ce::254',
    '100.100.100.200',
    '::ffff:100.100.100.200',
    '::ffff:6464:64c8',
    '64:ff9b::100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '::ffff:a83f:8110',
    '::168.63.129.16',
    '64:ff9b::168.63.129.16',
    '64:ff9b:0:0:0:0:A83F:8110',
    '2002:a83f:8110::1',
    // NAT64 prefixes of a network's own, whatever is behind them.
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a83f:81:1000::',
    '64:ff9b:1:ffff::1',
    // Translated.
    '::ffff:0:169.254.169.254',
    '::ffff:0:a83f:8110',
    '::ffff:0:8.8.8.8',
    // Teredo.
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    // ISATAP, behind any prefix.
    '2001:db8::5efe:169.254.169.254',
    '2001:db8::200:5efe:a83f:8110',
    'fd12:0:0:0:0:5efe:6464:64c8%eth0',
    'fd00:ec2::23',
    'fd00:ec2::253',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    '169.254.169.253',
    '169.254.170.2',
    '::2',
    '::0.1.2.3',
    '0.0.0.0',
    '::ffff:0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    'localhost',
    // No resolver gives these. They are no addresses.
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.169.254.',
    '[fe80::1]',
    '',
  ]
  it.each(closed)('never allows %j by itself', (address) => {
    expect(egressPolicy({ loopback: true }).allows(address)).toBe(false)
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '::127.0.0.1'])(
    'allows %s only where loopback is open',
    (address) => {
      expect(egressPolicy({ loopback: false }).allows(address)).toBe(false)
      expect(egressPolicy({ loopback: true }).allows(address)).toBe(true)
    },
  )

  it.each([
    '10.0.0.1',
    '192.168.1.1',
    '8.8.8.8',
    '168.63.129.17',
    '2001:db8::1',
    '2001:4860:4860::8888',
    '2001:1::1',
    'fd12::1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:2::1',
    '2002:808:808::1',
    '2001:db8::5efe:8.8.8.8',
    '2001:db8::5efe:0:8.8.8.8',
    '::ffff:8.8.8.8',
  ])('allows %s', (address) => {
    expect(egressPolicy({ loopback: false }).allows(address)).toBe(true)
  })

  const OWN: readonly string[] = ['192.0.2.7', '2001:db8::7', 'fe80::7%eth0']
  it.each([
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::ffff:c000:207',
    '64:ff9b::192.0.2.7',
    '2002:c000:207::1',
    '2001:db8::7',
    '2001:db8:0:0:0:0:0:7%eth0',
  ])('allows %s, which is this machine’s, only where loopback is open', (address) => {
    expect(egressPolicy({ loopback: false }, () => OWN).allows(address)).toBe(false)
    expect(egressPolicy({ loopback: true }, () => OWN).allows(address)).toBe(true)
    expect(egressPolicy({ loopback: false }, () => []).allows(address)).toBe(true)
    const allow = ['192.0.2.0/24', '2001:db8::/32']
    expect(egressPolicy({ loopback: false, allow }, () => OWN).allows(address)).toBe(true)
  })

  it('follows the interfaces of the machine as they come and go', () => {
    let own: readonly string[] = []
    const policy = egressPolicy({ loopback: false }, () => own)
    expect(policy.allows('192.0.2.7')).toBe(true)
    own = OWN
    expect(policy.allows('192.0.2.7')).toBe(false)
    own = []
    expect(policy.allows('192.0.2.7')).toBe(true)
  })

  it('knows all interfaces of this very machine', () => {
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
    expect(all.length).toBeGreaterThan(0)
    const policy = egressPolicy({ loopback: false })
    expect(all.filter((address) => policy.allows(address))).toEqual([])
  })

  it('opens the metadata service of a cloud where the operator says so', () => {
    const policy = egressPolicy({ loopback: false, allow: ['169.254.169.254/32', 'fd20:ce::254/128'] }, () => OWN)
    expect([policy.allows('169.254.169.254'), policy.allows('fd20:ce::254')]).toEqual([true, true])
    expect([policy.allows('169.254.169.253'), policy.allows('100.100.100.200')]).toEqual([false, false])
  })

  it('opens a tunnel for the addresses behind it that are open', () => {
    const allow = ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '::ffff:0:0:0/96']
    const policy = egressPolicy({ loopback: false, allow }, () => OWN)
    for (const open of ['64:ff9b::8.8.8.8', '64:ff9b:1::8.8.8.8', '2001::1', '::ffff:0:8.8.8.8'])
      expect([open, policy.allows(open)]).toEqual([open, true])
    for (const shut of ['64:ff9b::169.254.169.254', '64:ff9b::192.0.2.7', '::ffff:0:127.0.0.1'])
      expect([shut, policy.allows(shut)]).toEqual([shut, false])
  })

  it('closes what the operator closes also behind translators and tunnels', () => {
    const policy = egressPolicy({ loopback: false, deny: ['10.0.0.0/8'] })
    for (const shut of ['::ffff:10.0.0.1', '::10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', 'fd12::5efe:10.0.0.1'])
      expect([shut, policy.allows(shut)]).toEqual([shut, false])
  })

  it('opens and closes what the operator says, closing being stronger', () => {
    const policy = egressPolicy({ loopback: false, allow: ['127.0.0.0/30', '10.0.0.0/8'], deny: ['10.1.0.0/16'] })
    expect(policy.allows('127.0.0.1')).toBe(true)
    expect(policy.allows('127.0.0.9')).toBe(false)
    expect(policy.allows('10.0.0.1')).toBe(true)
    expect(policy.allows('10.1.0.1')).toBe(false)
  })

  it.each([
    ['10.0.0.0/8', true],
    ['fd00::/8', true],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['10.0.0.0', false],
    ['x/8', false],
    ['10.0.0.0/8/8', false],
  ])('says whether %s is a range', (text, is) => {
    expect(isAddressRange(text)).toBe(is)
  })
})
