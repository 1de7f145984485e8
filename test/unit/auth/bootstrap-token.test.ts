import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { bearerTokens } from '../../../src/auth/bearer-tokens.ts'
import { bootstrapTokens } from '../../../src/auth/bootstrap-token.ts'
import type { LiveObject } from '../../../src/auth/live-objects.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const TOKEN = 'abcdef.0123456789abcdef'
const NOW = Date.parse('2030-01-01T00:00:00Z')
const GOOD = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }

function secret(data: Record<string, string>, more: Partial<LiveObject> & { readonly type?: string } = {}): LiveObject {
  const { type = 'bootstrap.kubernetes.io/token', ...rest } = more
  const encoded = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')]))
  const object = { metadata: {}, type, data: encoded } as unknown as ApiObject
  return { uid: 'u', deletedAtMs: undefined, object, ...rest }
}

interface Kept {
  readonly stored: LiveObject | undefined
  readonly cached: LiveObject | undefined
}

function review(kept: LiveObject | undefined, token = TOKEN): Promise<unknown> {
  return reviewWith({ stored: kept, cached: kept }, token)
}

async function reviewWith({ stored, cached }: Kept, token = TOKEN): Promise<unknown> {
  const live = {
    peek: ({ name }: { name: string }) => (name === 'bootstrap-token-abcdef' ? cached : undefined),
    find: ({ name }: { name: string }) => Promise.resolve(name === 'bootstrap-token-abcdef' ? stored : undefined),
  }
  const tokens = bearerTokens([bootstrapTokens(live, new ManualClock(NOW))], ['api'])
  return tokens.review(token, [], new AbortController().signal)
}

const refused = { kind: 'refused', problem: 'invalid bearer token' }

describe('tokens to join with (P-038)', () => {
  it('are users of their own, in the groups that the secret names', async () => {
    const groups = 'system:bootstrappers:b,system:bootstrappers:a:1'
    expect(await review(secret({ ...GOOD, 'auth-extra-groups': groups }))).toMatchObject({
      user: {
        name: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers', 'system:bootstrappers:a:1', 'system:bootstrappers:b', 'system:authenticated'],
      },
    })
  })

  it('are looked for in the store where the cache does not have them yet', async () => {
    expect(await reviewWith({ stored: secret(GOOD), cached: undefined })).toMatchObject({ kind: 'user' })
    const old = secret({ ...GOOD, 'usage-bootstrap-authentication': 'false' })
    expect(await reviewWith({ stored: secret(GOOD), cached: old })).toMatchObject({ kind: 'user' })
  })

  it('are not looked for in the store where the cache has them', async () => {
    expect(await reviewWith({ stored: undefined, cached: secret(GOOD) })).toMatchObject({ kind: 'user' })
  })

  it.each([
    ['there is no secret', undefined, TOKEN],
    ['the form is another', secret(GOOD), 'abcdef.0123456789ABCDEF'],
    ['the secret is another', secret(GOOD), 'abcdef.0123456789abcdeg'],
    ['the id in it is another', secret({ ...GOOD, 'token-id': 'abcdeg' }), TOKEN],
    ['it is for something else', secret({ ...GOOD, 'usage-bootstrap-authentication': 'false' }), TOKEN],
    ['it is over', secret({ ...GOOD, expiration: '2029-12-31T23:59:59Z' }), TOKEN],
    ['it ends at this moment', secret({ ...GOOD, expiration: '2030-01-01T00:00:00Z' }), TOKEN],
    ['nobody can read its end', secret({ ...GOOD, expiration: 'tomorrow' }), TOKEN],
    ['it is going', secret(GOOD, { deletedAtMs: NOW }), TOKEN],
    ['it is no such secret', secret(GOOD, { type: 'Opaque' }), TOKEN],
    ['a group in it is not for them', secret({ ...GOOD, 'auth-extra-groups': 'system:masters' }), TOKEN],
  ])('are unknown where %s', async (_name, kept, token) => {
    expect(await review(kept, token)).toEqual(refused)
  })

  it('hold until their end', async () => {
    expect(await review(secret({ ...GOOD, expiration: '2030-01-01T00:00:01Z' }))).toMatchObject({ kind: 'user' })
  })
})
