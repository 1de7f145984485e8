// Sessions of the console: the user's own credential, sealed in a cookie and kept nowhere else. It is looked at anew with every request, so
// that a session never outlives a token and never has more rights than it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'

/** A certificate is no part of the session: the browser shows it with every connection. */
export type Session = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'certificate' }

/** 32 bytes, the same on every replica. */
export interface SessionKey {
  /** Undefined where nobody has logged in yet. */
  find(signal: AbortSignal): Promise<Buffer | undefined>
  make(signal: AbortSignal): Promise<Buffer>
}

export interface SessionOptions {
  readonly key: SessionKey
  readonly clock: Clock
}

const COOKIE = '__Secure-quarterdeck'
/** Only pages of the console get it, and never a script. */
const ATTRIBUTES = 'Path=/console; Secure; HttpOnly; SameSite=Strict'
const LONGEST_MS = 12 * 60 * 60_000
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Browsers drop cookies that are longer. */
const LONGEST_COOKIE = 4096

interface Sealed {
  readonly token?: string
  /** In milliseconds since 1970. */
  readonly until: number
}

export class Sessions {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** The value of `Set-Cookie`; undefined where the token is longer than a cookie can be. */
  async begin(session: Session, signal: AbortSignal): Promise<string | undefined> {
    const key = await this.#options.key.make(signal)
    const until = this.#options.clock.now() + LONGEST_MS
    const sealed: Sealed = session.kind === 'token' ? { token: session.token, until } : { until }
    const pair = `${COOKIE}=${seal(key, Buffer.from(JSON.stringify(sealed))).toString('base64url')}`
    return pair.length > LONGEST_COOKIE ? undefined : `${pair}; ${ATTRIBUTES}`
  }

  /** The value of `Set-Cookie` that ends it. */
  end(): string {
    return `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`
  }

  /** The session of a request, by the lines of its cookie header; undefined where there is none, or it is over. */
  async find(cookies: readonly string[], signal: AbortSignal): Promise<Session | undefined> {
    const value = cookieValue(cookies)
    if (value === undefined) return undefined
    const key = await this.#options.key.find(signal)
    const opened = key === undefined ? undefined : open(key, Buffer.from(value, 'base64url'))
    if (opened === undefined) return undefined
    const { token, until } = JSON.parse(opened.toString()) as Sealed
    if (until <= this.#options.clock.now()) return undefined
    return token === undefined ? { kind: 'certificate' } : { kind: 'token', token }
  }
}

function cookieValue(cookies: readonly string[]): string | undefined {
  const pairs = cookies.flatMap((line) => line.split(';')).map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))
  return found?.slice(COOKIE.length + 1)
}

function seal(key: Buffer, bytes: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Undefined where it was not sealed with the key, or was changed. */
function open(key: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(end))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()])
  } catch {
    return undefined
  }
}
