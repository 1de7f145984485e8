// Encrypts a backup, chunk by chunk: AES-256-GCM with a key that is derived for each file. The nonce is the number of the chunk, and the
// header is authenticated with each chunk. So a chunk from another place or another file cannot be decrypted. The record of the end is
// inside the last chunk.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { BackupError } from './backup-error.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 32
const TAG_BYTES = 16
const NONCE_BYTES = 12

/** The description of the encryption in the header. */
export interface SealParameters {
  readonly cipher: typeof CIPHER
  /** Base64. */
  readonly salt: string
  /** Identifies the key without disclosing it. Base64. */
  readonly keyId: string
}

/** Parses the file of a key: 32 random bytes in base64. Throws a `BackupError` for any other text. */
export function parseKey(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new BackupError('it must hold 32 bytes in base64 (head -c 32 /dev/urandom | base64)')
  }
  return key
}

export function newSeal(key: Buffer): SealParameters {
  const salt = randomBytes(SALT_BYTES)
  return { cipher: CIPHER, salt: salt.toString('base64'), keyId: derive(key, salt, 'id').toString('base64') }
}

export class Seal {
  readonly #key: Buffer
  readonly #headerDigest: Buffer

  /** Throws if the file was sealed with another key. */
  constructor(key: Buffer, parameters: SealParameters, header: Buffer) {
    const salt = Buffer.from(parameters.salt, 'base64')
    if (derive(key, salt, 'id').toString('base64') !== parameters.keyId) {
      throw new BackupError('it is encrypted with another key')
    }
    this.#key = derive(key, salt, 'key')
    this.#headerDigest = createHash('sha256').update(header).digest()
  }

  seal(chunk: Buffer, index: number): Buffer {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(index)).setAAD(this.#headerDigest)
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined: the chunk was not sealed for this place in this file. */
  open(sealed: Buffer, index: number): Buffer | undefined {
    if (sealed.length < TAG_BYTES) return undefined
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(index), { authTagLength: TAG_BYTES })
    decipher.setAAD(this.#headerDigest).setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      return undefined
    }
  }
}

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(index), NONCE_BYTES - 8)
  return nonce
}

function derive(key: Buffer, salt: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `quarterdeck backup, ${purpose}`, KEY_BYTES))
}
