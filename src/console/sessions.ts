// Sessions of the console: the user's own credential, sealed in a cookie and kept nowhere else. It is looked at anew with every request, so
// that a session never outlives a token and never has more rights than it.
import type { Clock } from '../lib/clock.ts'
import { cookieValue, open, seal, type SessionKey } from './sealed.ts'

/** A certificate is no part of the session: the browser shows it with every connection. */
export type Session = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'certificate' }

export interface SessionOptions {
  readonly key: SessionKey
  readonly clock: Clock
}

const COOKIE = '__Secure-quarterdeck'
/** Only pages of the console get it, and never a script. */
const ATTRIBUTES = 'Path=/console; Secure; HttpOnly; SameSite=Strict'
const LONGEST_MS = 12 * 60 * 60_000
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
    const pair = `${COOKIE}=${seal(key, COOKIE, JSON.stringify(sealed))}`
    return pair.length > LONGEST_COOKIE ? undefined : `${pair}; ${ATTRIBUTES}`
  }

  /** The value of `Set-Cookie` that ends it. */
  end(): string {
    return `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`
  }

  /** The session of a request, by the lines of its cookie header; undefined where there is none, or it is over. */
  async find(cookies: readonly string[], signal: AbortSignal): Promise<Session | undefined> {
    const value = cookieValue(cookies, COOKIE)
    if (value === undefined) return undefined
    const key = await this.#options.key.find(signal)
    const opened = key === undefined ? undefined : open(key, COOKIE, value)
    if (opened === undefined) return undefined
    const { token, until } = JSON.parse(opened) as Sealed
    if (until <= this.#options.clock.now()) return undefined
    return token === undefined ? { kind: 'certificate' } : { kind: 'token', token }
  }
}
