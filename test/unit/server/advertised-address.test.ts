import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { advertisedAddress } from '../../../src/server/advertised-address.ts'

describe('where other machines reach the server', () => {
  test.each(['127.0.0.1', '127.9.9.9', '::1', 'fe80::1'])('is nowhere when it listens on %s', (address) => {
    expect(advertisedAddress(address)).toBeUndefined()
  })

  test.each(['192.0.2.1', 'fd00::1'])('is %s when it listens there', (address) => {
    expect(advertisedAddress(address)).toBe(address)
  })

  test('is an address of the machine when it listens on all of them', () => {
    const address = advertisedAddress('0.0.0.0')
    expect(address === undefined || (isIP(address) !== 0 && address !== '0.0.0.0')).toBe(true)
  })
})
