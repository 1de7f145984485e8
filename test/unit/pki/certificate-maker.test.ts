import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addressBytes, makeAuthority, makeServing, makeSigned } from '../../../src/pki/certificate-maker.ts'
import * as der from '../../../src/pki/der-writer.ts'

describe('certificates', () => {
  const authority = makeAuthority(1000 * 60 * 60)
  const serving = makeServing(authority, { dns: ['a.example', 'b'], addresses: ['127.0.0.1', '::1'] }, 1000 * 60)
  const ca = new X509Certificate(authority.certificate)
  const leaf = new X509Certificate(serving.certificate)

  it('come from an authority that signs itself', () => {
    expect(ca.ca).toBe(true)
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(leaf.checkIssued(ca)).toBe(true)
    expect(leaf.verify(ca.publicKey)).toBe(true)
  })

  it('are good for their names and addresses only', () => {
    expect(leaf.checkHost('a.example')).toBe('a.example')
    expect(leaf.checkHost('c')).toBeUndefined()
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(leaf.checkIP('::1')).toBe('::1')
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined()
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  it('of users name them and their groups', () => {
    const subject = { commonName: 'jane', organizations: ['dev', 'system:masters'], usages: ['client'] } as const
    const user = new X509Certificate(makeSigned(authority, subject, 60_000).certificate)
    expect(user.subject).toBe('O=dev\nO=system:masters\nCN=jane')
    expect(user.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(user.verify(ca.publicKey)).toBe(true)
  })

  it('are good from a little before now', () => {
    expect(Date.parse(leaf.validFrom)).toBeLessThan(Date.now())
    expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now())
  })

  it.each([
    ['10.96.0.1', '0a600001'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['fe80::', `fe80${'0'.repeat(28)}`],
    ['::ffff:1.2.3.4', `${'0'.repeat(20)}ffff01020304`],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ])('hold the address %s', (address, hex) => {
    expect(addressBytes(address).toString('hex')).toBe(hex)
  })

  it('write years with two digits until 2049', () => {
    expect(der.time(new Date('2049-12-31T23:59:59.999Z')).toString('latin1').slice(2)).toBe('491231235959Z')
    expect(der.time(new Date('2050-01-01T00:00:00Z')).toString('latin1').slice(2)).toBe('20500101000000Z')
  })

  it('write lengths of every size', () => {
    expect(der.octetString(Buffer.alloc(127)).subarray(0, 2).toString('hex')).toBe('047f')
    expect(der.octetString(Buffer.alloc(128)).subarray(0, 3).toString('hex')).toBe('048180')
    expect(der.octetString(Buffer.alloc(70_000)).subarray(0, 5).toString('hex')).toBe('0483011170')
  })
})
