// Sessions of the console: the user's own credential, sealed in a cookie. The server authenticates it anew with every request, so that a
// session never outlives a token and never has more rights than the token. The server stores only which sessions were ended by a logout.
import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { cookieValue, open, seal, type SessionKey } from './sealed.ts'

/** A certificate is not part of the session: the browser shows it with every connection. */
export type Credential = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'certificate' }

/** The identity of a session. */
export interface SessionId {
  /** A digest of the user's name. */
  readonly owner: string
  readonly id: string
  /** The latest end of the session, in milliseconds since 1970. */
  readonly until: number
}

export interface Session extends SessionId {
  readonly credential: Credential
  /** The name of the user who logged in. Undefined: an older version of the server sealed the cookie. */
  readonly user: string | undefined
}

/** The sessions that were ended before their time, on all replicas. */
export interface EndedSessions {
  has(session: SessionId, signal: AbortSignal): Promise<boolean>
  /** Resolves when the record is stored, and this process refuses the session. False: it was ended before. */
  add(session: SessionId, signal: AbortSignal): Promise<boolean>
}

export interface SessionOptions {
  readonly key: SessionKey
  readonly ended: EndedSessions
  readonly clock: Clock
}

const COOKIE = '__Secure-quarterdeck'
/** The browser sends the cookie only to the console, and scripts cannot read it. */
const ATTRIBUTES = 'Path=/console; Secure; HttpOnly; SameSite=Strict'
const LONGEST_MS = 12 * 60 * 60_000
/** Browsers drop longer cookies. */
const LONGEST_COOKIE = 4096
/** The value of `Set-Cookie` that removes the cookie. */
export const NO_COOKIE = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`

interface Sealed extends SessionId {
  readonly token?: string
  readonly user?: string
}

export class Sessions {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** The value of `Set-Cookie`, with a new id; undefined if the token is longer than a cookie can be. */
  async begin(user: string, credential: Credential, signal: AbortSignal): Promise<string | undefined> {
    const key = await this.#options.key.make(signal)
    const sealed: Sealed = {
      ...(credential.kind === 'token' ? { token: credential.token } : {}),
      user,
      owner: hash('sha256', user).slice(0, 32),
      id: randomBytes(12).toString('base64url'),
      until: Math.floor(this.#options.clock.now()) + LONGEST_MS,
    }
    const pair = `${COOKIE}=${seal(key, COOKIE, JSON.stringify(sealed))}`
    return pair.length > LONGEST_COOKIE ? undefined : `${pair}; ${ATTRIBUTES}`
  }

  /** Ends a session: every copy of its cookie is refused from then on. */
  async end(session: SessionId, signal: AbortSignal): Promise<void> {
    await this.#options.ended.add(session, signal)
  }

  /** The session of a request, by the lines of its cookie header; undefined if none exists, or it is over. */
  async find(cookies: readonly string[], signal: AbortSignal): Promise<Session | undefined> {
    const value = cookieValue(cookies, COOKIE)
    if (value === undefined) return undefined
    const key = await this.#options.key.find(signal)
    const opened = key === undefined ? undefined : open(key, COOKIE, value)
    if (opened === undefined) return undefined
    const { token, user, owner, id, until } = JSON.parse(opened) as Sealed
    // An older version of the server sealed no id.
    if (id === undefined) return undefined
    const credential: Credential = token === undefined ? { kind: 'certificate' } : { kind: 'token', token }
    const session = { credential, user, owner, id, until }
    return (await this.isOver(session, signal)) ? undefined : session
  }

  async isOver(session: SessionId, signal: AbortSignal): Promise<boolean> {
    return session.until <= this.#options.clock.now() || this.#options.ended.has(session, signal)
  }
}
