import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { advertisedAddress, type Machine } from '../../../src/server/advertised-address.ts'

const one = (address: string): NonNullable<Machine['interfaces'][string]>[number] =>
  ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4', internal: address === '127.0.0.1' }) as never

const MACHINE: Machine = {
  interfaces: {
    lo: [one('127.0.0.1'), one('::1')],
    bridge: [one('172.17.0.1'), one('fe80::2')],
    outer: [one('169.254.1.1'), one('192.0.2.2'), one('fe80::1'), one('fd00::2')],
  },
  wayOut: { IPv4: ['outer'], IPv6: [] },
}

describe('where other machines are told to find the server', () => {
  test.each(['192.0.2.1', 'fd00::1'])('is %s when it listens there', (address) => {
    expect(advertisedAddress(address, MACHINE)).toBe(address)
  })

  test.each([
    ['0.0.0.0', '192.0.2.2'],
    ['127.0.0.1', '192.0.2.2'],
    ['127.9.9.9', '192.0.2.2'],
    ['::', 'fd00::2'],
    ['::1', 'fd00::2'],
  ])('is the address by which the machine calls others when it listens on %s', (address, found) => {
    expect(advertisedAddress(address, MACHINE)).toBe(found)
  })

  test('is the first that others could use where there is no way out', () => {
    expect(advertisedAddress('0.0.0.0', { ...MACHINE, wayOut: { IPv4: [], IPv6: [] } })).toBe('172.17.0.1')
  })

  test('is nowhere on a machine that nobody can reach', () => {
    const interfaces = { lo: MACHINE.interfaces['lo']! }
    expect(advertisedAddress('127.0.0.1', { interfaces, wayOut: { IPv4: [], IPv6: [] } })).toBeUndefined()
  })

  test('is an address of this machine, where it has one', () => {
    const address = advertisedAddress('127.0.0.1') ?? '192.0.2.1'
    expect([isIP(address) !== 0, address.startsWith('127.')]).toEqual([true, false])
  })
})
