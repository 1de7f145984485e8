import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { bearerTokens, type TokenReview } from '../../../src/auth/bearer-tokens.ts'
import { DistributedClaims } from '../../../src/auth/distributed-claims.ts'
import { IssuerKeys } from '../../../src/auth/issuer-keys.ts'
import { type JwtIssuerRules, jwtIssuer } from '../../../src/auth/jwt-issuer.ts'
import { signJwt } from '../../../src/auth/jwt.ts'
import { readAuthenticationConfig } from '../../../src/config/authentication-file.ts'
import { cancellable } from '../../../src/lib/cancellable.ts'
import type { MaybePromise } from '../../../src/lib/maybe-promise.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const ISSUER = 'https://issuer.example'
const { signal } = new AbortController()
const newKey = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const first = newKey()
const second = newKey()

let clock: ManualClock
let published: { id: string; key: KeyObject }[]
let fetched: string[]
let isDown: boolean
/** Until it resolves the issuer does not answer; whoever asked may give up before. */
let held: Promise<void>

beforeEach(() => {
  clock = new ManualClock(1_900_000_000_000)
  published = [{ id: 'one', key: first.publicKey }]
  fetched = []
  isDown = false
  held = Promise.resolve()
})

/** What the issuer publishes. */
const fetch = async (url: string, until: AbortSignal): Promise<unknown> => {
  fetched.push(url)
  await cancellable(held, until)
  if (isDown) return Promise.reject(new Error('connection refused'))
  if (url.endsWith('/.well-known/openid-configuration')) {
    return Promise.resolve({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` })
  }
  const keys = published.map(({ id, key }) => ({ ...key.export({ format: 'jwk' }), kid: id, use: 'sig' }))
  return Promise.resolve({ keys: [...keys, { kty: 'new', kid: 'unknown' }] })
}

function token(claims: object = {}, signer = { id: 'one', key: first.privateKey }): string {
  const now = clock.now() / 1000
  const all = { iss: ISSUER, aud: 'me', sub: 'jane', exp: now + 600, iat: now, ...claims }
  return signJwt({ ...signer, algorithm: 'ES256' }, all)
}

/** Rules as the operator writes them. */
function rules(entry: object = {}, mappings: object = { username: { claim: 'sub', prefix: '' } }): JwtIssuerRules {
  const { issuers } = readAuthenticationConfig(
    {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [{ issuer: { url: ISSUER, audiences: ['me'] }, claimMappings: mappings, ...entry } as never],
    },
    [],
  )
  return issuers[0]!.rules
}

async function opened(using: JwtIssuerRules = rules()) {
  const keys = new IssuerKeys({ issuer: ISSUER, discoveryUrl: undefined, fetch, clock })
  const loading = keys.load(signal)
  if (!isDown) await loading
  return { ...bearerTokens([jwtIssuer(using, { keys, clock })], ['api']), keys }
}

const review = async (text: string, using?: JwtIssuerRules): Promise<TokenReview> =>
  (await opened(using)).review(text, [], signal)

describe('tokens that somebody else issues', () => {
  it('make a user of what they claim (P-067, P-068)', async () => {
    const using = rules(
      {},
      {
        username: { claim: 'sub', prefix: 'oidc:' },
        groups: { claim: 'roles', prefix: 'g:' },
        uid: { claim: 'id' },
        extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
      },
    )
    expect(await review(token({ roles: ['a', 'b'], id: '7', tenant: 'x', jti: 'j' }), using)).toMatchObject({
      user: {
        name: 'oidc:jane',
        uid: '7',
        groups: ['g:a', 'g:b', 'system:authenticated'],
        extra: { 'example.com/tenant': ['x'], 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
    })
  })

  it('make a user by expressions (P-067)', async () => {
    const using = rules(
      {},
      {
        username: { expression: "claims.sub + '@' + claims.org" },
        groups: { expression: "claims.roles.split(',')" },
      },
    )
    expect(await review(token({ org: 'acme', roles: 'a,b' }), using)).toMatchObject({
      user: { name: 'jane@acme', groups: ['a', 'b', 'system:authenticated'] },
    })
    expect(await review(token({ org: 'acme' }), using)).toMatchObject({ kind: 'refused' })
  })

  it('may have no groups, or one (P-068)', async () => {
    const using = rules({}, { username: { claim: 'sub', prefix: '' }, groups: { claim: 'roles', prefix: '' } })
    expect(await review(token(), using)).toMatchObject({ user: { groups: ['system:authenticated'] } })
    expect(await review(token({ roles: 'a' }), using)).toMatchObject({
      user: { groups: ['a', 'system:authenticated'] },
    })
    expect(await review(token({ roles: [1] }), using)).toMatchObject({ kind: 'refused' })
  })

  const byEmail = (): JwtIssuerRules => rules({}, { username: { claim: 'email', prefix: '' } })
  it.each<readonly [string, () => string, () => JwtIssuerRules]>([
    ['it is for somebody else', () => token({ aud: 'you' }), rules],
    ['it is over', () => token({ exp: clock.now() / 1000 - 1 }), rules],
    ['it has no end', () => token({ exp: undefined }), rules],
    ['it has not begun', () => token({ nbf: clock.now() / 1000 + 301 }), rules],
    ['somebody else signed it', () => token({}, { id: 'one', key: second.privateKey }), rules],
    ['its key is not published', () => token({}, { id: 'two', key: second.privateKey }), rules],
    ['it names nobody', () => token({ sub: undefined }), rules],
    ['it names a number', () => token({ sub: 7 }), rules],
    ['its address was not checked', () => token({ email: 'a@b', email_verified: false }), byEmail],
    ['the name comes out empty', () => token(), () => rules({}, { username: { expression: "''" } })],
    [
      'a claim is not what it has to be',
      () => token({ hd: 'other' }),
      () => rules({ claimValidationRules: [{ claim: 'hd', requiredValue: 'acme' }] }),
    ],
    [
      'a rule about claims is broken',
      () => token({ level: 1 }),
      () => rules({ claimValidationRules: [{ expression: 'claims.level > 1', message: 'too low' }] }),
    ],
    [
      'a rule about users is broken',
      () => token({ sub: 'system:admin' }),
      () => rules({ userValidationRules: [{ expression: "!user.username.startsWith('system:')" }] }),
    ],
  ])('are refused where %s (P-068, P-069)', async (_name, text, using) => {
    expect(await review(text(), using())).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('oidc: verify token'),
    })
  })

  it('may be meant for several, one of which is enough', async () => {
    expect(await review(token({ aud: ['you', 'me'] }))).toMatchObject({ kind: 'user' })
    expect(await review(token({ aud: ['you', 'they'] }))).toMatchObject({ kind: 'refused' })
    expect(await review(token({ aud: { me: 'me' } }))).toMatchObject({
      problem: expect.stringContaining('oidc: expected audience in ["me"] got []'),
    })
  })

  it('of other issuers are not looked at (P-044)', async () => {
    expect(await review(token({ iss: 'https://other.example' }))).toEqual({
      kind: 'refused',
      problem: 'invalid bearer token',
    })
  })

  it('with another algorithm than is allowed are refused (P-071)', async () => {
    expect(await review(token(), { ...rules(), algorithms: ['RS256'] })).toMatchObject({
      problem: expect.stringContaining('unsupported algorithm'),
    })
  })

  it('are refused until the keys are there, which are tried for every ten seconds (P-070)', async () => {
    isDown = true
    const over = await opened()
    await new Promise(setImmediate)
    expect(await over.review(token(), [], signal)).toMatchObject({
      problem: expect.stringContaining('not initialized'),
    })
    isDown = false
    clock.advance(10_001)
    await new Promise(setImmediate)
    expect(await over.review(token(), [], signal)).toMatchObject({ kind: 'user' })
  })

  it('are good with keys that came later, which are looked for every ten seconds at most', async () => {
    const over = await opened()
    published.push({ id: 'two', key: second.publicKey })
    const later = token({}, { id: 'two', key: second.privateKey })
    expect(await over.review(later, [], signal)).toMatchObject({ kind: 'refused' })
    clock.advance(10_001)
    expect(await over.review(later, [], signal)).toMatchObject({ kind: 'user' })
    const before = fetched.length
    for (let i = 0; i < 5; i++) await over.review(token({}, { id: `no-${i}`, key: second.privateKey }), [], signal)
    expect(fetched.length).toBe(before)
  })

  it('are good with new keys also where a client leaves that made the server look for them, again and again', async () => {
    const over = await opened()
    published.push({ id: 'two', key: second.publicKey })
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    for (let i = 0; i < 3; i++) {
      clock.advance(10_001)
      const stranger = new AbortController()
      const refused = over.review(token({}, { id: `no-${i}`, key: second.privateKey }), [], stranger.signal)
      stranger.abort()
      expect(await refused).toMatchObject({ kind: 'refused' })
    }
    // It is looked for already: who comes meanwhile waits for what comes of it.
    const good = over.review(token({}, { id: 'two', key: second.privateKey }), [], signal)
    resolve()
    expect(await good).toMatchObject({ kind: 'user' })
    expect(fetched.filter((url) => url.endsWith('/keys')).length).toBe(2)
  })

  it('may be signed with a key that is published without a name, and with no other than they name', async () => {
    published = [
      { id: '', key: first.publicKey },
      { id: 'two', key: second.publicKey },
    ]
    expect(await review(token())).toMatchObject({ kind: 'user' })
    expect(await review(token({}, { id: 'one', key: second.privateKey }))).toMatchObject({ kind: 'refused' })
  })

  it('that name a known key and are not signed by it have nobody look for others', async () => {
    const over = await opened()
    clock.advance(10_001)
    const before = fetched.length
    expect(await over.review(token({}, { id: 'one', key: second.privateKey }), [], signal)).toMatchObject({
      kind: 'refused',
    })
    expect(fetched.length).toBe(before)
  })

  it('are checked once, and end in time all the same', async () => {
    const over = await opened()
    const text = token()
    expect(await over.review(text, [], signal)).toMatchObject({ kind: 'user' })
    published = []
    clock.advance(599_000)
    expect(await over.review(text, [], signal)).toMatchObject({ kind: 'user' })
    clock.advance(2_000)
    expect(await over.review(text, [], signal)).toMatchObject({ kind: 'refused' })
  })
})

describe('claims that stand elsewhere (P-068)', () => {
  const ELSEWHERE = 'https://groups.example/of/jane'
  const names = { _claim_names: { roles: 'src' }, _claim_sources: { src: { endpoint: ELSEWHERE, access_token: 't' } } }
  const using = (): JwtIssuerRules =>
    rules({}, { username: { claim: 'sub', prefix: '' }, groups: { claim: 'roles', prefix: 'g:' } })
  let asked: string[]
  let answer: () => string

  beforeEach(() => {
    asked = []
    answer = () => token({ roles: ['a', 'b'] })
  })

  async function reviewing(): Promise<(text: string) => MaybePromise<TokenReview>> {
    const it = using()
    const fetchText = (url: string, accessToken: string | undefined): Promise<string> => {
      asked.push(`${url} ${accessToken}`)
      return Promise.resolve(answer())
    }
    const keys = new IssuerKeys({ issuer: ISSUER, discoveryUrl: undefined, fetch, clock })
    await keys.load(signal)
    const distributedClaims = new DistributedClaims({ rules: it, fetchText, fetchJson: fetch, clock })
    const tokens = bearerTokens([jwtIssuer(it, { keys, clock, distributedClaims })], ['api'])
    return (text) => tokens.review(text, [], signal)
  }

  it('are asked for with the token that is for it, and anew after ten seconds', async () => {
    const ask = await reviewing()
    const text = token(names)
    for (let i = 0; i < 3; i++) {
      expect(await ask(text)).toMatchObject({ user: { groups: ['g:a', 'g:b', 'system:authenticated'] } })
    }
    expect(asked).toEqual([`${ELSEWHERE} t`])
    answer = () => token({ roles: 'c' })
    clock.advance(10_001)
    expect(await ask(text)).toMatchObject({ user: { groups: ['g:c', 'system:authenticated'] } })
  })

  it.each<readonly [string, object]>([
    ['the token holds the claim itself', { ...names, roles: ['own'] }],
    ['it is another claim that stands elsewhere', { ...names, _claim_names: { other: 'src' }, roles: ['own'] }],
    ['it came with the token', { ...names, _claim_sources: { src: { JWT: 'x' } }, roles: ['own'] }],
  ])('are not asked for where %s', async (_name, claims) => {
    expect(await (await reviewing())(token(claims))).toMatchObject({
      user: { groups: ['g:own', 'system:authenticated'] },
    })
    expect(asked).toEqual([])
  })

  it.each<readonly [string, () => string, object]>([
    ['there are no sources', answerOf({ roles: ['a'] }), { ...names, _claim_sources: undefined }],
    ['the source is missing', answerOf({ roles: ['a'] }), { ...names, _claim_names: { roles: 'other' } }],
    ['the names are none', answerOf({ roles: ['a'] }), { ...names, _claim_names: 'roles' }],
    ['the answer is no token', () => 'nope', names],
    ['the answer does not have it', answerOf({ other: 1 }), names],
    ['the answer is for somebody else', answerOf({ roles: ['a'], aud: 'you' }), names],
    ['the answer is over', () => token({ roles: ['a'], exp: clock.now() / 1000 - 1 }), names],
    ['nobody known signed the answer', () => token({ roles: ['a'] }, { id: 'one', key: second.privateKey }), names],
    ['the answer is by somebody who cannot be asked', answerOf({ roles: ['a'], iss: 'http://x.example' }), names],
  ])('make the token no good where %s', async (_name, said, claims) => {
    answer = said
    expect(await (await reviewing())(token(claims))).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('oidc: verify token'),
    })
  })

  function answerOf(claims: object): () => string {
    return () => token(claims)
  }
})
