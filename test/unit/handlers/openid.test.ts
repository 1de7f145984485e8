import { describe, expect, it } from 'vitest'
import { openIdRoutes } from '../../../src/handlers/openid.ts'
import { ANYBODY, fakeRequest } from '../http/fake-request.ts'

const routes = openIdRoutes({
  issuer: 'https://issuer.example',
  jwksUri: () => 'https://issuer.example/openid/v1/jwks',
  algorithms: ['RS256'],
  jwks: { keys: [] },
})
const handlers = new Map(routes.map(({ path, handler }) => [path, handler]))

const CONFIGURATION = '/.well-known/openid-configuration'
const KEYS = '/openid/v1/jwks'

const rows: readonly (readonly [line: string, accept: string | undefined, outcome: string])[] = [
  [`GET ${CONFIGURATION}`, undefined, 'application/json'],
  [`GET ${CONFIGURATION}`, 'application/json', 'application/json'],
  [`GET ${CONFIGURATION}`, 'application/yaml', '406: Not Acceptable\n\nAvailable representations: application/json'],
  [`GET ${KEYS}`, '*/*', 'application/jwk-set+json'],
  [`GET ${KEYS}`, 'application/jwk-set+json', 'application/jwk-set+json'],
  [`GET ${KEYS}`, 'application/json', '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json'],
  [`POST ${KEYS}`, 'application/json', 'the server does not allow this method on the requested resource'],
]

describe('what others check tokens by (R-316, P-054)', () => {
  it.each(rows)('%s, accepting %s', async (line, accept, outcome) => {
    const request = fakeRequest(line, { headers: accept === undefined ? {} : { accept } })
    const told = await Promise.resolve()
      .then(() => handlers.get(request.path)!(request, ANYBODY))
      .then(
        ({ headers }) => headers['content-type'],
        (error: Error) => error.message,
      )
    expect(told).toBe(outcome)
  })
})
