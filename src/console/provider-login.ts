// Login at an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636). The state of the login
// is sealed in a cookie of its own, which lasts for ten minutes.
import { hash, randomBytes } from 'node:crypto'
import { ApiError } from '../api/status.ts'
import type { HttpRequest } from '../http/http.ts'
import { cookieValue, open, seal, type SessionKey } from './sealed.ts'
import type { SessionId } from './sessions.ts'

export interface Provider {
  readonly issuer: string
  readonly clientId: string
  /** Both functions throw an `Error` with a message for the log. */
  readonly readJson: (url: string, signal: AbortSignal) => Promise<unknown>
  readonly postForm: (url: string, form: string, signal: AbortSignal) => Promise<unknown>
}

const COOKIE = '__Secure-quarterdeck-login'
/** The browser comes back by a link of another site: a strict cookie would not be sent. */
const ATTRIBUTES = 'Path=/console/provider; Secure; HttpOnly; SameSite=Lax'
const LASTS_SECONDS = 600
const SCOPE = 'openid profile email groups'

export const BEGIN = '/console/provider/login'
export const COME_BACK = '/console/provider/callback'

interface Attempt {
  /** The session of the browser. When the browser comes back from another site, it does not send the strict cookie of the session. */
  readonly before: SessionId | undefined
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface Endpoints {
  readonly authorization: string
  readonly token: string
}

export class ProviderLogin {
  readonly #provider: Provider
  readonly #key: SessionKey
  #endpoints: Endpoints | undefined

  constructor(provider: Provider, key: SessionKey) {
    this.#provider = provider
    this.#key = key
  }

  get issuer(): string {
    return this.#provider.issuer
  }

  /** The URL of the provider, and the value of `Set-Cookie`. `before`: the session that the login ends. */
  async begin(
    { host, signal }: HttpRequest,
    before: SessionId | undefined,
  ): Promise<{ readonly location: string; readonly cookie: string }> {
    const { authorization } = await this.#find(signal)
    const attempt: Attempt = { before, state: secret(), nonce: secret(), verifier: secret() }
    const location = new URL(authorization)
    const asked = {
      response_type: 'code',
      client_id: this.#provider.clientId,
      redirect_uri: comeBackTo(host),
      scope: SCOPE,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: hash('sha256', attempt.verifier, 'base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
    const sealed = seal(await this.#key.make(signal), COOKIE, JSON.stringify(attempt))
    return { location: location.href, cookie: `${COOKIE}=${sealed}; ${ATTRIBUTES}; Max-Age=${LASTS_SECONDS}` }
  }

  /** The provider's token for the code in the request, and the session before the login. The caller checks the token. */
  async finish(request: HttpRequest): Promise<{ readonly token: string; readonly before: SessionId | undefined }> {
    const { query, host, signal } = request
    const attempt = await this.#attemptOf(request)
    if (attempt === undefined || query.get('state') !== attempt.state)
      throw refused('this login began in another browser, or too long ago')
    const code = query.get('code')
    if (code === undefined)
      throw refused(
        `the provider refused the login: ${query.get('error_description') ?? query.get('error') ?? 'it gave no reason'}`,
      )
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: this.#provider.clientId,
      redirect_uri: comeBackTo(host),
      code,
      code_verifier: attempt.verifier,
    })
    const { token: endpoint } = await this.#find(signal)
    const answer = await reached(this.#provider.postForm(endpoint, form.toString(), signal))
    const token = textIn(answer, 'id_token')
    if (token === undefined) throw refused('the provider gave no token')
    if (nonceOf(token) !== attempt.nonce) throw refused('the token of the provider was made for another login')
    return { token, before: attempt.before }
  }

  async #attemptOf(request: HttpRequest): Promise<Attempt | undefined> {
    const value = cookieValue(request.takeHeader('cookie'), COOKIE)
    const key = await this.#key.find(request.signal)
    const opened = value === undefined || key === undefined ? undefined : open(key, COOKIE, value)
    return opened === undefined ? undefined : (JSON.parse(opened) as Attempt)
  }

  async #find(signal: AbortSignal): Promise<Endpoints> {
    if (this.#endpoints !== undefined) return this.#endpoints
    const { issuer, readJson } = this.#provider
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const document = await reached(readJson(url, signal))
    const [authorization, token] = ['authorization_endpoint', 'token_endpoint'].map((name) => textIn(document, name))
    if (authorization?.startsWith('https://') !== true || token?.startsWith('https://') !== true) {
      throw refused('the provider has no https endpoints')
    }
    return (this.#endpoints = { authorization, token })
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

function comeBackTo(host: string): string {
  return `https://${host}${COME_BACK}`
}

/** Users do not see the error of the provider. */
async function reached(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (cause) {
    throw new ApiError('ServiceUnavailable', 'the provider sent no valid answer', { cause })
  }
}

function refused(why: string): ApiError {
  return new ApiError('Unauthorized', why)
}

/** The nonce in a token. The authenticator checks the signature. */
function nonceOf(token: string): string | undefined {
  try {
    return textIn(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()), 'nonce')
  } catch {
    return undefined
  }
}

function textIn(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}
