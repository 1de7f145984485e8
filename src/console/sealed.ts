// Texts that browsers keep for the server and cannot read. They are sealed with AES-256-GCM, each for one purpose.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** 32 bytes, the same on every replica. */
export interface SessionKey {
  /** Undefined before the first login. */
  find(signal: AbortSignal): Promise<Buffer | undefined>
  make(signal: AbortSignal): Promise<Buffer>
}

export function seal(key: Buffer, purpose: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** The text. Undefined: it was not sealed with this key for this purpose, or was changed. */
export function open(key: Buffer, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(bytes.subarray(end))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** The value of a cookie, by the lines of the header. */
export function cookieValue(cookies: readonly string[], name: string): string | undefined {
  const pairs = cookies.flatMap((line) => line.split(';')).map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
