import { describe, expect, it } from 'vitest'
import { egressPolicy, isAddressRange } from '../../../src/lib/egress-policy.ts'

describe('the egress policy', () => {
  const closed: readonly string[] = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    'localhost',
    '',
  ]
  it.each(closed)('never allows %j by itself', (address) => {
    expect(egressPolicy({ loopback: true }).allows(address)).toBe(false)
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    'allows %s only where loopback is open',
    (address) => {
      expect(egressPolicy({ loopback: false }).allows(address)).toBe(false)
      expect(egressPolicy({ loopback: true }).allows(address)).toBe(true)
    },
  )

  it.each(['10.0.0.1', '192.168.1.1', '8.8.8.8', '2001:db8::1', 'fd12::1'])('allows %s', (address) => {
    expect(egressPolicy({ loopback: false }).allows(address)).toBe(true)
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
