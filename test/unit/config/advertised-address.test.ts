import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { advertisedAddress, type Machine, peerAddress } from '../../../src/config/advertised-address.ts'

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

describe('where other replicas are told to find the server', () => {
  test.each([
    ['where it listens', '', '127.0.0.1:6443', '127.0.0.1:6443'],
    ['at the port of its scheme', '', '127.0.0.1', '127.0.0.1:443'],
    ['in brackets', '--bind-address=fd00::1', '[fd00::1]:7443', '[fd00::1]:7443'],
    ['where it is advertised', '--advertise-address=192.0.2.7', '127.0.0.1:6443', '192.0.2.7:6443'],
    [
      'where it says',
      '--advertise-address=192.0.2.7 --peer-advertise-ip=192.0.2.8 --peer-advertise-port=1234',
      '127.0.0.1:6443',
      '192.0.2.8:1234',
    ],
    ['nowhere until it listens', '', '', ''],
  ])('is %s', async (_title, flags, listening, found) => {
    const config = await readConfig(['--in-memory', ...flags.split(' ').filter(Boolean)], {})
    expect(peerAddress(config, listening)).toBe(found)
  })

  test.each([
    ['--peer-advertise-ip=here', '"here" is not an IP address'],
    ['--peer-advertise-port=0', '--peer-advertise-port'],
    ['--hostname-override=-a', '"-a" is not the name of a host'],
  ])('cannot be %s', async (flag, message) => {
    await expect(readConfig(['--in-memory', flag], {})).rejects.toThrow(message)
  })
})
