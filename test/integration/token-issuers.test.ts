// Tokens of others on the whole server: an OpenID Connect issuer and a webhook as they are in the world, over TLS, and what the
// AuthenticationConfiguration says of strangers.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signJwt } from '../../src/auth/jwt.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const authority = makeAuthority(3_600_000)
const { certificate, key } = makeServing(authority, { dns: ['localhost'], addresses: ['127.0.0.1'] }, 3_600_000)
const signer = generateKeyPairSync('rsa', { modulusLength: 2048 })

type Answering = (
  url: string,
  body: string,
  authorization: string | undefined,
) => { status?: number; json: unknown; headers?: Record<string, string> }

/** An https server; where it listens. A text is sent as it is. */
async function listening(answer: Answering): Promise<string> {
  const server: Server = createServer({ cert: certificate, key }, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { status = 200, json, headers } = answer(request.url ?? '', body, request.headers.authorization)
      const text = typeof json === 'string' ? json : JSON.stringify(json)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function issuer(): Promise<string> {
  const url: string = await listening((target) => {
    if (target === '/.well-known/openid-configuration') return { json: { issuer: url, jwks_uri: `${url}/keys` } }
    return { json: { keys: [{ ...signer.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] } }
  })
  return url
}

function token(iss: string, claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const all = { iss, aud: 'cluster', sub: 'jane', exp: now + 600, iat: now, ...claims }
  return signJwt({ key: signer.privateKey, id: 'one', algorithm: 'RS256' }, all)
}

async function started(args: readonly string[]): Promise<OpenServer> {
  const server = await openServer(args)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function whoami(server: OpenServer, bearer: string): Promise<unknown> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const request = { method: 'POST', token: bearer, body }
  const answer = await server.request('/apis/authentication.k8s.io/v1/selfsubjectreviews', request)
  if (answer.status !== 201) return answer.status
  const { username, groups } = (answer.json() as { status: { userInfo: { username: string; groups: string[] } } })
    .status.userInfo
  return [username, ...groups]
}

async function file(name: string, text: string): Promise<string> {
  const place = path.join(await tempFolder(), name)
  writeFileSync(place, text)
  return place
}

describe('an issuer', () => {
  it('named by flags (P-071)', async () => {
    const url = await issuer()
    const ca = await file('ca.crt', authority.certificate)
    const flags = [
      `--oidc-issuer-url=${url}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${ca}`,
      '--oidc-groups-claim=roles',
    ]
    const server = await started(flags)
    await expect
      .poll(() => whoami(server, token(url, { roles: ['dev'] })))
      .toEqual([`${url}#jane`, 'dev', 'system:authenticated'])
    expect(await whoami(server, token(url, { aud: 'other' }))).toBe(401)
    expect(await whoami(server, token('https://elsewhere.example'))).toBe(401)
  })

  it('named by a file, with expressions; strangers may look where it says (P-065, P-067, P-069, P-081)', async () => {
    const url = await issuer()
    const config = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url, audiences: ['cluster'], certificateAuthority: authority.certificate },
          claimMappings: {
            username: { expression: '"u:" + claims.sub' },
            groups: { expression: 'claims.roles.map(r, "g:" + r)' },
          },
          claimValidationRules: [{ expression: 'claims.level >= 3', message: 'too low' }],
          userValidationRules: [{ expression: "!user.username.startsWith('u:system')" }],
        },
      ],
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    }
    const server = await started([`--authentication-config=${await file('config.yaml', JSON.stringify(config))}`])
    await expect
      .poll(() => whoami(server, token(url, { level: 3, roles: ['a'] })))
      .toEqual(['u:jane', 'g:a', 'system:authenticated'])
    expect(await whoami(server, token(url, { level: 2, roles: [] }))).toBe(401)
    expect(await whoami(server, token(url, { level: 3, roles: [], sub: 'system:x' }))).toBe(401)
    expect((await server.request('/livez', { token: '' })).status).toBe(200)
    expect((await server.request('/version', { token: '' })).status).toBe(401)
    expect((await server.request('/livez/ping', { token: '' })).status).toBe(401)
  })

  it('that keeps groups elsewhere is asked for them, and nobody whom the operator keeps out (P-068, D25)', async () => {
    const asked: string[] = []
    const url: string = await listening((target, _body, authorization) => {
      if (target === '/.well-known/openid-configuration') return { json: { issuer: url, jwks_uri: `${url}/keys` } }
      if (target === '/keys') {
        return { json: { keys: [{ ...signer.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] } }
      }
      asked.push(`${target} ${authorization}`)
      if (target === '/moved') return { status: 302, json: '', headers: { location: `${url}/groups` } }
      return { json: token(url, { roles: ['many', 'more'] }) }
    })
    const ca = await file('ca.crt', authority.certificate)
    const flags = [
      `--oidc-issuer-url=${url}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${ca}`,
      '--oidc-groups-claim=roles',
    ]
    const pointing = (endpoint: string): string =>
      token(url, { _claim_names: { roles: 's' }, _claim_sources: { s: { endpoint, access_token: 'secret' } } })
    const server = await started(flags)
    await expect
      .poll(() => whoami(server, pointing(`${url}/groups`)))
      .toEqual([`${url}#jane`, 'many', 'more', 'system:authenticated'])
    expect(asked).toEqual(['/groups Bearer secret'])
    expect(await whoami(server, pointing(`${url}/moved`))).toBe(401)
    expect(asked).toEqual(['/groups Bearer secret', '/moved Bearer secret'])
    expect(await whoami(server, pointing('https://169.254.169.254/latest'))).toBe(401)

    // Open to other machines, it does not let tokens lead it to what listens on this one alone.
    const closed = await started([...flags, '--bind-address=0.0.0.0'])
    await expect.poll(() => whoami(closed, token(url))).toEqual([`${url}#jane`, 'system:authenticated'])
    expect(await whoami(closed, pointing(`${url}/groups`))).toBe(401)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a misspelt word', { jwt: [{ isuer: {} }] }, [], 'unknown field "jwt[0].isuer"'],
    ['flags beside it', {}, ['--oidc-issuer-url=https://x', '--oidc-client-id=y'], 'mutually exclusive'],
    [
      'a flag about strangers beside it',
      { anonymous: { enabled: true } },
      ['--anonymous-auth=true'],
      'mutually exclusive',
    ],
  ])('in a file with %s keeps the server from starting (P-065, P-081)', async (_name, content, flags, problem) => {
    const text = JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      ...content,
    })
    const args = [`--authentication-config=${await file('config.yaml', text)}`, ...flags]
    await expect(openServer(args)).rejects.toThrow(problem)
  })
})

describe('a webhook', () => {
  it('is asked whose a token is that nobody here knows, once for a while (P-075)', async () => {
    const asked: string[] = []
    const url = await listening((target, body) => {
      const review = JSON.parse(body) as { apiVersion: string; spec: { token: string } }
      asked.push(`${target} ${review.apiVersion} ${review.spec.token}`)
      const isKnown = review.spec.token === 'good'
      return {
        json: {
          ...review,
          status: isKnown ? { authenticated: true, user: { username: 'jane', groups: ['dev'] } } : {},
        },
      }
    })
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: `${url}/review`,
            'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
          },
        },
      ],
      users: [{ name: 'u', user: {} }],
    }
    const place = await file('webhook.kubeconfig', JSON.stringify(kubeconfig))
    const server = await started([
      `--authentication-token-webhook-config-file=${place}`,
      '--authentication-token-webhook-version=v1',
    ])
    for (let i = 0; i < 3; i++) expect(await whoami(server, 'good')).toEqual(['jane', 'dev', 'system:authenticated'])
    expect(await whoami(server, 'bad')).toBe(401)
    expect(asked).toEqual([
      '/review?timeout=30s authentication.k8s.io/v1 good',
      '/review?timeout=30s authentication.k8s.io/v1 bad',
    ])
  })
})
