import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readCertificateRequest } from '../../../src/pki/certificate-request.ts'

const FILE = new URL('../../fixtures/pkcs10-requests.json', import.meta.url)
const REQUESTS = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>

const bytesOf = (name: string): Buffer => Buffer.from(REQUESTS[name]!, 'base64')

describe('a request for a certificate', () => {
  it.each([
    ['rsa3072', 'rsa', true],
    ['rsa3072-sha512', 'rsa', true],
    ['rsa3072-pss', 'rsa', true],
    ['rsa3072-pss-sha384', 'rsa', true],
    ['rsa3072-pss-salt-20', 'rsa', false],
    ['rsa3072-md5', 'rsa', false],
    ['p256', 'ec', true],
    ['p256-sha1', 'ec', true],
    ['p521', 'ec', true],
    ['ed25519', 'ed25519', true],
    ['changed signature', 'ec', false],
    ['an unknown algorithm of signatures', 'ec', false],
    ['ed25519 in another algorithm', 'ed25519', false],
    ['an unknown kind of key', undefined, false],
  ])('%s: has a key of type %s, which has signed it: %s', (name, type, isSigned) => {
    const read = readCertificateRequest(bytesOf(name))
    expect([read?.key?.asymmetricKeyType, read?.isSigned()]).toEqual([type, isSigned])
  })

  it.each([
    'p256-compressed',
    'secp256k1',
    'a point off the curve',
    'without attributes',
    'subject of another type',
    'an extension twice',
    'extensions of another type',
    'trailing bytes',
    'cut off',
    'no DER',
    'PEM',
  ])('%s: is not one', (name) => {
    expect(readCertificateRequest(bytesOf(name))).toBeUndefined()
  })

  it('is none where a part of it is cut off at any place', () => {
    const whole = bytesOf('p256-names')
    for (let end = 0; end < whole.length; end++) expect(readCertificateRequest(whole.subarray(0, end))).toBeUndefined()
  })
})
