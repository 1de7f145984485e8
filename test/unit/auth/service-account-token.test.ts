import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { NO_HEADERS } from '../../fakes/no-headers.ts'
import { bearerTokens, type TokenReview } from '../../../src/auth/bearer-tokens.ts'
import { signJwt } from '../../../src/auth/jwt.ts'
import type { LiveObject, LiveObjects, ObjectName } from '../../../src/auth/live-objects.ts'
import { issueToken, serviceAccountTokens, type TokenOrder } from '../../../src/auth/service-account-token.ts'
import { readSigningKeys } from '../../../src/auth/signing-keys.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { systemRandom } from '../../../src/lib/random.ts'

const ISSUER = 'https://issuer.example'
const { signal } = new AbortController()
const pem = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
const keys = readSigningKeys(pem(), [])
const otherKeys = readSigningKeys(pem(), [])
const issuer = { url: ISSUER, key: keys.signing! }
const order: TokenOrder = {
  account: { namespace: 'ns', name: 'robot', uid: 'u1' },
  audiences: [ISSUER],
  lifetimeSeconds: 3600,
}

/** Objects that can be taken away; what is at hand may lag behind what is there. */
class Objects implements LiveObjects {
  readonly present = new Map<string, LiveObject>()
  readonly atHand = new Map<string, LiveObject>()
  finds = 0

  put(key: string, uid: string, more: Partial<LiveObject> & { readonly lagging?: boolean } = {}): void {
    const live = { uid, deletedAtMs: undefined, object: {} as ApiObject, ...more }
    this.present.set(key, live)
    if (more.lagging !== true) this.atHand.set(key, live)
  }

  remove(key: string): void {
    this.present.delete(key)
    this.atHand.delete(key)
  }

  peek = (name: ObjectName): LiveObject | undefined => this.atHand.get(keyOf(name))

  find = (name: ObjectName): Promise<LiveObject | undefined> => {
    this.finds++
    return Promise.resolve(this.present.get(keyOf(name)))
  }
}

function keyOf({ kind, namespace, name }: ObjectName): string {
  return `${kind}/${namespace}/${name}`
}

let clock: ManualClock
let objects: Objects
let used: LiveObject[]
let uses: string[]

beforeEach(() => {
  clock = new ManualClock(1_900_000_000_000)
  objects = new Objects()
  used = []
  uses = []
  objects.put('serviceaccounts/ns/robot', 'u1')
})

function tokens(issuers = [ISSUER]) {
  const method = serviceAccountTokens({
    issuers,
    keys: keys.verification,
    apiAudiences: [ISSUER],
    live: objects,
    clock,
    onUse: (use) => void uses.push(use),
    onLegacyUse: (secret) => void used.push(secret),
  })
  return bearerTokens([method], [ISSUER])
}

async function review(token: string, audiences: readonly string[] = [], over = tokens()): Promise<TokenReview> {
  return over.review(token, audiences, signal)
}

const at = (nowMs: number) => ({ nowMs, random: systemRandom })
const issue = (more: Partial<TokenOrder> = {}): string =>
  issueToken(issuer, { ...order, ...more }, at(clock.now())).token

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
}

describe('tokens of service accounts', () => {
  it('are those of the account, with what the token says of itself (P-042)', async () => {
    const pod = { name: 'p', uid: 'pu' }
    objects.put('pods/ns/p', 'pu')
    const token = issue({ pod, node: { name: 'n', uid: 'nu' } })
    const { jti } = claimsOf(token)
    expect(await review(token)).toEqual({
      kind: 'user',
      audiences: [ISSUER],
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${String(jti)}`],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['nu'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['pu'],
        },
      },
    })
  })

  it('say what they are bound to, and always list their audiences (P-040)', () => {
    const token = issue({ secret: { name: 's', uid: 'su' }, warnAfterSeconds: 60 })
    const now = 1_900_000_000
    expect(claimsOf(token)).toMatchObject({
      aud: [ISSUER],
      exp: now + 3600,
      iat: now,
      nbf: now,
      iss: ISSUER,
      sub: 'system:serviceaccount:ns:robot',
      'kubernetes.io': {
        namespace: 'ns',
        secret: { name: 's', uid: 'su' },
        serviceaccount: { name: 'robot', uid: 'u1' },
        warnafter: now + 60,
      },
    })
  })

  const wrong: readonly (readonly [string, () => string, string])[] = [
    [
      'the account is gone',
      () => (objects.remove('serviceaccounts/ns/robot'), issue()),
      'serviceaccounts "robot" not found',
    ],
    [
      'the account was made anew',
      () => (objects.put('serviceaccounts/ns/robot', 'u2'), issue()),
      'service account UID (u2) does not match claim (u1)',
    ],
    [
      'the account has been going for longer than a minute',
      () => (objects.put('serviceaccounts/ns/robot', 'u1', { deletedAtMs: clock.now() - 60_001 }), issue()),
      'service account has been deleted',
    ],
    ['its pod is gone', () => issue({ pod: { name: 'p', uid: 'x' } }), 'service account token has been invalidated'],
    [
      'its pod is another',
      () => (objects.put('pods/ns/p', 'y'), issue({ pod: { name: 'p', uid: 'x' } })),
      'pod UID (y) does not match service account pod ref claim (x)',
    ],
    [
      'its secret is gone',
      () => issue({ secret: { name: 's', uid: 'x' } }),
      'service account token has been invalidated',
    ],
    ['its node is gone', () => issue({ node: { name: 'n', uid: 'x' } }), 'service account token has been invalidated'],
    [
      'it is for others',
      () => issue({ audiences: ['x', 'y'] }),
      `token audiences ["x" "y"] is invalid for the target audiences ["${ISSUER}"]`,
    ],
    [
      'it is too old',
      () => {
        const token = issue()
        clock.advance(3_661_000)
        return token
      },
      'service account token has expired',
    ],
    [
      'it is from the future',
      () => issueToken(issuer, order, at(clock.now() + 62_000)).token,
      'service account token is not valid yet',
    ],
    [
      'it was signed by another',
      () => issueToken({ url: ISSUER, key: otherKeys.signing! }, order, at(clock.now())).token,
      'go-jose/go-jose: error in cryptographic primitive',
    ],
    [
      'the account in it is not the subject',
      () => signJwt(keys.signing!, { ...claimsOf(issue()), sub: 'system:serviceaccount:kube-system:default' }),
      'service account token claims could not be validated due to unexpected error',
    ],
    [
      'it has no end',
      () => signJwt(keys.signing!, { ...claimsOf(issue()), exp: undefined }),
      'service account token claims could not be validated due to unexpected error',
    ],
  ]
  it.each(wrong)('are refused where %s (P-041)', async (_name, token, problem) => {
    expect(await review(token())).toEqual({ kind: 'refused', problem: `[invalid bearer token, ${problem}]` })
  })

  it('end when what they are bound to goes, though their signature was checked before', async () => {
    objects.put('pods/ns/p', 'pu')
    const token = issue({ pod: { name: 'p', uid: 'pu' } })
    const over = tokens()
    expect((await review(token, [], over)).kind).toBe('user')
    objects.remove('pods/ns/p')
    expect((await review(token, [], over)).kind).toBe('refused')
  })

  it('hold for a minute after their time, and while their pod is going (P-041)', async () => {
    objects.put('pods/ns/p', 'pu', { deletedAtMs: clock.now() - 30_000 })
    const token = issue({ pod: { name: 'p', uid: 'pu' } })
    expect((await review(token)).kind).toBe('user')
    const plain = issue()
    clock.advance(3_659_000)
    expect((await review(plain)).kind).toBe('user')
  })

  it('are refused on what is there, not on what is at hand: that may be older than the token', async () => {
    objects.put('pods/ns/new', 'pu', { lagging: true })
    expect((await review(issue({ pod: { name: 'new', uid: 'pu' } }))).kind).toBe('user')
    expect(objects.finds).toBe(2)
  })

  it('ask the store nothing while all is at hand', async () => {
    const over = tokens()
    const token = issue()
    for (let i = 0; i < 3; i++) expect((await review(token, [], over)).kind).toBe('user')
    expect(objects.finds).toBe(0)
  })

  it('of an issuer that is not ours are not ours (P-043, P-044)', async () => {
    const token = issueToken({ url: 'https://other.example', key: keys.signing! }, order, at(clock.now())).token
    expect(await review(token)).toEqual({ kind: 'refused', problem: 'invalid bearer token' })
    expect((await review(token, [], tokens([ISSUER, 'https://other.example']))).kind).toBe('user')
  })

  it('name no audience: then they are for this server (P-043)', async () => {
    const token = signJwt(keys.signing!, { ...claimsOf(issue()), aud: undefined })
    expect(await review(token)).toMatchObject({ kind: 'user', audiences: [ISSUER] })
    expect(await review(token, ['x'])).toMatchObject({ kind: 'refused' })
    expect(uses).toEqual(['valid'])
  })

  it('are reported where they should have been replaced, and go on working (P-049)', async () => {
    const token = issue({ warnAfterSeconds: 60 })
    const ask = async (): Promise<unknown> =>
      tokens().authenticator.authenticate({ bearerToken: token, certificate: undefined, sent: NO_HEADERS }, signal)
    expect(await ask()).not.toHaveProperty('annotations')
    clock.advance(100_000)
    expect(await ask()).toMatchObject({
      kind: 'user',
      annotations: {
        'authentication.k8s.io/stale-token':
          'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 40',
      },
    })
    expect(uses).toEqual(['valid', 'stale'])
  })

  it('are reviewed for the audiences that are asked for, in their order (P-059)', async () => {
    const token = issue({ audiences: ['a', 'b', ISSUER] })
    expect(await review(token, ['c', 'b', 'a'])).toMatchObject({ kind: 'user', audiences: ['b', 'a'] })
  })

  it.each([
    ['no algorithm', 'none'],
    ['a shared secret for an algorithm', 'HS256'],
    ['an algorithm of other keys', 'RS256'],
  ])('with %s are refused', async (_name, alg) => {
    const [, body = '', signature = ''] = issue().split('.')
    const head = Buffer.from(JSON.stringify({ alg, kid: keys.signing!.id })).toString('base64url')
    for (const end of [signature, 'AA']) expect((await review(`${head}.${body}.${end}`)).kind).toBe('refused')
  })
})

describe('tokens that are kept in secrets (P-051, P-052)', () => {
  const claims = {
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io/serviceaccount/namespace': 'ns',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': 'u1',
  }
  const token = signJwt(
    { ...keys.signing!, key: createPrivateKey(keys.signing!.key.export({ type: 'pkcs8', format: 'pem' })) },
    claims,
  )

  function keep(text: string, labels: Record<string, string> = {}, more: Partial<LiveObject> = {}): void {
    const object = { metadata: { labels }, data: { token: Buffer.from(text).toString('base64') } }
    objects.put('secrets/ns/s', 'su', { object: object as unknown as ApiObject, ...more })
  }

  it('are good while the secret holds them, and their use is told', async () => {
    keep(token)
    expect(await review(token)).toMatchObject({
      kind: 'user',
      user: { name: 'system:serviceaccount:ns:robot', uid: 'u1' },
    })
    expect(used).toHaveLength(1)
  })

  it.each([
    ['holds another', () => keep(`${token}x`), "Token does not match server's copy"],
    ['is gone', () => {}, 'service account token has been invalidated'],
    ['is going', () => keep(token, {}, { deletedAtMs: clock.now() }), 'Token has been invalidated'],
    ['was marked', () => keep(token, { 'kubernetes.io/legacy-token-invalid-since': '2030-01-01' }), 'marked invalid'],
  ])('are refused where the secret %s', async (_name, prepare, problem) => {
    prepare()
    expect(await review(token)).toMatchObject({ kind: 'refused', problem: expect.stringContaining(problem) })
    expect(used).toHaveLength(0)
  })

  it('that nobody asked for are warned of', async () => {
    keep(token)
    const account = { metadata: {}, secrets: [{ name: 's' }] } as unknown as ApiObject
    objects.put('serviceaccounts/ns/robot', 'u1', { object: account })
    const answer = await tokens().authenticator.authenticate(
      { bearerToken: token, certificate: undefined, sent: NO_HEADERS },
      signal,
    )
    expect(answer).toMatchObject({ warnings: [expect.stringContaining('auto-generated')] })
  })
})
