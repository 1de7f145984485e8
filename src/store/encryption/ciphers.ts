// The ciphers of values, in the reference's layouts: kube-apiserver and this server can decrypt each other's values (P-442). GCM also
// authenticates the storage key, so that a value that was moved to another key cannot be decrypted (P-443).
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { salsa } from '../../lib/late-packages.ts'

/** `open` throws an `Error` whose message may be shown to clients. */
export interface Cipher {
  seal(bytes: Buffer, key: string): Buffer
  open(sealed: Buffer, key: string): Buffer
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const TOO_SHORT = 'the stored data was shorter than the required size'

/** Nonce, sealed bytes, tag. The storage key is authenticated. */
export function aesGcm(secret: Buffer): Cipher {
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm'
  return {
    seal(bytes, key) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(algorithm, secret, nonce)
      cipher.setAAD(Buffer.from(key))
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, key) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error(TOO_SHORT)
      const end = sealed.length - TAG_BYTES
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(key))
      decipher.setAuthTag(sealed.subarray(end))
      const start = decipher.update(sealed.subarray(NONCE_BYTES, end))
      try {
        return Buffer.concat([start, decipher.final()])
      } catch {
        throw new Error('cipher: message authentication failed')
      }
    },
  }
}

const BLOCK_BYTES = 16

/** Initialization vector, then padded blocks, without authentication. For old data only. */
export function aesCbc(secret: Buffer): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`
  return {
    seal(bytes) {
      const vector = randomBytes(BLOCK_BYTES)
      const cipher = createCipheriv(algorithm, secret, vector)
      return Buffer.concat([vector, cipher.update(bytes), cipher.final()])
    },
    open(sealed) {
      if (sealed.length < BLOCK_BYTES) throw new Error(TOO_SHORT)
      if (sealed.length % BLOCK_BYTES !== 0) throw new Error('the stored data is not a multiple of the block size')
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, BLOCK_BYTES))
      const start = decipher.update(sealed.subarray(BLOCK_BYTES))
      try {
        return Buffer.concat([start, decipher.final()])
      } catch {
        throw new Error('invalid padding on input')
      }
    },
  }
}

const LONG_NONCE_BYTES = 24

/** Nonce, tag, sealed bytes. The storage key is not authenticated. */
export function secretbox(secret: Buffer): Cipher {
  return {
    seal(bytes) {
      const nonce = randomBytes(LONG_NONCE_BYTES)
      return Buffer.concat([nonce, salsa().xsalsa20poly1305(secret, nonce).encrypt(bytes)])
    },
    open(sealed) {
      if (sealed.length < LONG_NONCE_BYTES + TAG_BYTES) throw new Error(TOO_SHORT)
      const nonce = sealed.subarray(0, LONG_NONCE_BYTES)
      try {
        return Buffer.from(salsa().xsalsa20poly1305(secret, nonce).decrypt(sealed.subarray(LONG_NONCE_BYTES)))
      } catch {
        throw new Error('the stored data cannot be decrypted with this key')
      }
    },
  }
}

const INFO_BYTES = 32

/** Every value has a key of its own, derived from a seed and the random bytes before the value. So no key is used often. */
export function seededGcm(seed: Buffer): Cipher {
  const keyFor = (info: Buffer): Cipher => aesGcm(expand(seed, info))
  return {
    seal(bytes, key) {
      const info = randomBytes(INFO_BYTES)
      return Buffer.concat([info, keyFor(info).seal(bytes, key)])
    },
    open(sealed, key) {
      if (sealed.length < INFO_BYTES) throw new Error(TOO_SHORT)
      return keyFor(sealed.subarray(0, INFO_BYTES)).open(sealed.subarray(INFO_BYTES), key)
    },
  }
}

/** The expand step of HKDF with SHA-256, for one block. The seed is uniformly random, so it needs no extract step. */
function expand(seed: Buffer, info: Buffer): Buffer {
  return createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest()
}
