// OpenID discovery for the tokens of service accounts: the issuer and its public keys (P-054, P-055). These paths are served only if the
// issuer is an https URL, because clients could not trust another issuer.
import { methodNotAllowedError, refuseOtherTypes } from '../http/errors.ts'
import type { Handler } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import type { Route } from '../http/router.ts'

export interface OpenIdOptions {
  readonly issuer: string
  /** Called at each request: the server's own address is known only then. */
  readonly jwksUri: () => string
  readonly algorithms: readonly string[]
  readonly jwks: object
}

const FOR_AN_HOUR = { 'cache-control': 'public, max-age=3600' } as const

export function openIdRoutes(options: OpenIdOptions): readonly Route[] {
  if (!isPlainHttps(options.issuer)) return []
  const keys = Buffer.from(JSON.stringify(options.jwks))
  return [
    { path: '/.well-known/openid-configuration', handler: show('application/json', () => describe(options)) },
    { path: '/openid/v1/jwks', handler: show('application/jwk-set+json', () => keys) },
  ]
}

function isPlainHttps(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash } = new URL(text)
  return protocol === 'https:' && search === '' && hash === ''
}

function describe({ issuer, jwksUri, algorithms }: OpenIdOptions): Buffer {
  return Buffer.from(
    JSON.stringify({
      issuer,
      jwks_uri: jwksUri(),
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(algorithms)].sort(),
    }),
  )
}

function show(contentType: string, bytes: () => Buffer): Handler {
  return (request) => {
    if (request.method !== 'GET') throw methodNotAllowedError()
    refuseOtherTypes(request, contentType)
    return bytesOf(contentType, bytes(), FOR_AN_HOUR)
  }
}
