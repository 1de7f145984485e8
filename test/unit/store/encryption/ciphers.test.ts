import { createHmac, webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aesCbc, aesGcm, type Cipher, secretbox, seededGcm } from '../../../../src/store/encryption/ciphers.ts'

const KEY = '/registry/secrets/ns/name'
const text = Buffer.from('{"kind":"Secret"}')
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const counted = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => i))

const ciphers: readonly (readonly [string, Cipher, boolean])[] = [
  ['aes-gcm, 16 bytes', aesGcm(counted(16)), true],
  ['aes-gcm, 24 bytes', aesGcm(counted(24)), true],
  ['aes-gcm, 32 bytes', aesGcm(counted(32)), true],
  ['aes-cbc', aesCbc(counted(32)), false],
  ['secretbox', secretbox(counted(32)), false],
  ['seeded', seededGcm(counted(32)), true],
]

describe('ciphers', () => {
  it.each(ciphers)('%s opens what it sealed, and seals differently every time', (_name, cipher) => {
    for (const value of [text, Buffer.alloc(0), counted(10_000)]) {
      expect(cipher.open(cipher.seal(value, KEY), KEY).equals(value)).toBe(true)
    }
    expect(cipher.seal(text, KEY).equals(cipher.seal(text, KEY))).toBe(false)
  })

  it.each(ciphers)('%s is bound to the key or not as the reference has it (P-443)', (_name, cipher, isBound) => {
    const sealed = cipher.seal(text, KEY)
    if (isBound) expect(() => cipher.open(sealed, `${KEY}2`)).toThrow('message authentication failed')
    else expect(cipher.open(sealed, `${KEY}2`).equals(text)).toBe(true)
  })

  it.each(ciphers)('%s does not open what was cut', (_name, cipher) => {
    const sealed = cipher.seal(text, KEY)
    for (let length = 0; length < sealed.length; length += 3) {
      expect(() => cipher.open(sealed.subarray(0, length), KEY)).toThrow()
    }
  })

  it.each(ciphers.filter(([name]) => name !== 'aes-cbc'))('%s does not open what was changed', (_name, cipher) => {
    const sealed = cipher.seal(text, KEY)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      expect(() => cipher.open(changed, KEY)).toThrow()
    }
  })
})

describe('layouts, opened by hand (P-442)', () => {
  const gcm = async (secret: Buffer, sealed: Buffer): Promise<Buffer> => {
    const key = await webcrypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['decrypt'])
    const algorithm = { name: 'AES-GCM', iv: sealed.subarray(0, 12), additionalData: Buffer.from(KEY) }
    return Buffer.from(await webcrypto.subtle.decrypt(algorithm, key, sealed.subarray(12)))
  }

  it('aes-gcm: nonce, sealed bytes, tag, with the storage key beside', async () => {
    expect((await gcm(counted(32), aesGcm(counted(32)).seal(text, KEY))).equals(text)).toBe(true)
  })

  it('aes-cbc: vector and padded blocks', async () => {
    const sealed = aesCbc(counted(32)).seal(text, KEY)
    const key = await webcrypto.subtle.importKey('raw', counted(32), 'AES-CBC', false, ['decrypt'])
    const algorithm = { name: 'AES-CBC', iv: sealed.subarray(0, 16) }
    const opened = Buffer.from(await webcrypto.subtle.decrypt(algorithm, key, sealed.subarray(16)))
    expect(opened.equals(text)).toBe(true)
  })

  it('seeded: 32 bytes that make the key, then aes-gcm', async () => {
    const sealed = seededGcm(counted(32)).seal(text, KEY)
    const secret = createHmac('sha256', counted(32)).update(sealed.subarray(0, 32)).update(Buffer.of(1)).digest()
    expect((await gcm(secret, sealed.subarray(32))).equals(text)).toBe(true)
  })

  it('secretbox: the vector that NaCl is tested with', () => {
    const secret = bytes('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389')
    const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'
    const box =
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5'
    const message =
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705'
    expect(
      secretbox(secret)
        .open(bytes(nonce + box), KEY)
        .toString('hex'),
    ).toBe(message)
  })
})
