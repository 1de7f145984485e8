// Codes that log a browser in once, for `quarterdeck console`. A code is the sealed token of the client that requested it. Only a client
// with the token can make a code. The user of a code gets the rights of the token. A code is valid for two minutes, for one login, on this
// machine, and for the address that it was made for. The server stores only which codes were used.
import { hash, randomBytes } from 'node:crypto'
import type { User } from '../api/user.ts'
import { ApiError } from '../api/status.ts'
import type { HttpRequest } from '../http/http.ts'
import { isLoopbackHost } from '../lib/loopback-host.ts'
import { open, seal } from './sealed.ts'
import type { SessionId, SessionOptions } from './sessions.ts'

const PURPOSE = 'login code of the console'
/** A browser may show a warning about the certificate first, which takes a person a while. */
const VALID_SECONDS = 120

/** The content of a code. */
export interface LoginCode {
  /** The identity of the code in the record of used codes. */
  readonly use: SessionId
  readonly token: string
}

interface Sealed extends LoginCode {
  readonly host: string
}

export class LoginCodes {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  async make(request: HttpRequest, { name }: User, token: string): Promise<{ code: string; validSeconds: number }> {
    refuseElsewhere(request)
    const { clock, key } = this.#options
    const use = {
      // Codes do not use the user's record of ended sessions: a full record ends every session of its user.
      owner: hash('sha256', `${PURPOSE} ${name}`).slice(0, 32),
      id: randomBytes(12).toString('base64url'),
      until: Math.floor(clock.now()) + VALID_SECONDS * 1000,
    }
    const sealed: Sealed = { use, token, host: request.host }
    const code = seal(await key.make(request.signal), PURPOSE, JSON.stringify(sealed))
    return { code, validSeconds: VALID_SECONDS }
  }

  /** Throws for a code that is not valid at this address. Only `use` checks whether the code was used before. */
  async open(request: HttpRequest, code: string): Promise<LoginCode> {
    refuseElsewhere(request)
    const key = await this.#options.key.find(request.signal)
    const opened = key === undefined ? undefined : open(key, PURPOSE, code)
    if (opened === undefined) throw invalidCode()
    const { host, ...found } = JSON.parse(opened) as Sealed
    if (host !== request.host || found.use.until <= this.#options.clock.now()) throw invalidCode()
    return found
  }

  /** If several logins use one code, on any replica, the first succeeds, and the others throw. */
  async use({ use }: LoginCode, signal: AbortSignal): Promise<void> {
    if (!(await this.#options.ended.add(use, signal))) throw invalidCode()
  }
}

function invalidCode(): ApiError {
  return new ApiError(
    'Unauthorized',
    'the code was used, is too old, or is for another server: run quarterdeck console again',
  )
}

/** A proxy on this machine would be on loopback too. Such a proxy forwards a host name that is not a loopback name. */
function refuseElsewhere({ remote, host }: HttpRequest): void {
  if (!remote.isLoopback || !isLoopbackHost(host))
    throw new ApiError('Forbidden', 'codes are only for browsers on the machine of the server, at its loopback address')
}
