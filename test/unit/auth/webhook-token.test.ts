import { beforeEach, describe, expect, it } from 'vitest'
import { bearerTokens } from '../../../src/auth/bearer-tokens.ts'
import type { ReviewOutcome } from '../../../src/auth/review-webhook.ts'
import { webhookTokens } from '../../../src/auth/webhook-token.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()
let clock: ManualClock
let asked: object[]
let outcomes: ReviewOutcome[]

beforeEach(() => {
  clock = new ManualClock()
  asked = []
  outcomes = []
})

const answered = (status: object): ReviewOutcome => ({ kind: 'answer', review: { kind: 'TokenReview', status } })
const jane = answered({
  authenticated: true,
  user: { username: 'jane', uid: '7', groups: ['dev'], extra: { 'a/b': ['c'] } },
})

function tokens() {
  const method = webhookTokens({
    version: 'v1',
    keepMs: 120_000,
    apiAudiences: ['api'],
    clock,
    ask: (review) => {
      asked.push(review)
      return Promise.resolve(outcomes.shift() ?? jane)
    },
  })
  return bearerTokens([method], ['api'])
}

describe('asking another server whose a token is (P-075)', () => {
  it('believes what it says, and keeps it for a while', async () => {
    const over = tokens()
    for (let i = 0; i < 3; i++) {
      expect(await over.review('t', [], signal)).toMatchObject({
        user: { name: 'jane', uid: '7', groups: ['dev', 'system:authenticated'], extra: { 'a/b': ['c'] } },
        audiences: ['api'],
      })
    }
    expect(asked).toEqual([
      expect.objectContaining({ apiVersion: 'authentication.k8s.io/v1', spec: { token: 't', audiences: ['api'] } }),
    ])
    clock.advance(120_001)
    await over.review('t', [], signal)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a group', { user: { username: 'jane', groups: ['dev', 5] } }],
    ['groups', { user: { username: 'jane', groups: 'dev' } }],
    ['an audience', { user: { username: 'jane' }, audiences: [{ api: true }] }],
    ['more about the user', { user: { username: 'jane', extra: { 'a/b': [['c']] } } }],
  ])('believes nothing where %s is not what it should be', async (_name, status) => {
    outcomes.push(answered({ authenticated: true, ...status }))
    await expect(tokens().review('t', [], signal)).resolves.toEqual({
      kind: 'refused',
      problem: '[invalid bearer token, the webhook did not answer with a TokenReview]',
    })
  })

  it('asks once for all who wait, and anew for every token and audience', async () => {
    const over = tokens()
    await Promise.all([1, 2, 3].map(async () => over.review('t', [], signal)))
    expect(asked).toHaveLength(1)
    await over.review('u', [], signal)
    await over.review('t', ['other'], signal)
    expect(asked).toHaveLength(3)
    // Spaces do not make one audience out of two.
    await over.review('t', ['one two'], signal)
    await over.review('t', ['one', 'two'], signal)
    expect(asked).toHaveLength(5)
  })

  it('keeps a plain no, and not one with a reason', async () => {
    const over = tokens()
    outcomes = [answered({ authenticated: false })]
    for (let i = 0; i < 2; i++) {
      expect(await over.review('t', [], signal)).toEqual({ kind: 'refused', problem: 'invalid bearer token' })
    }
    outcomes = [answered({ error: 'busy' }), answered({ error: 'busy' })]
    for (let i = 0; i < 2; i++) {
      expect(await over.review('u', [], signal)).toEqual({ kind: 'refused', problem: '[invalid bearer token, busy]' })
    }
    expect(asked).toHaveLength(3)
  })

  it('refuses where it cannot be asked', async () => {
    outcomes = [{ kind: 'failed', problem: 'connection refused', mayRetry: false }]
    expect(await tokens().review('t', [], signal)).toMatchObject({ kind: 'refused' })
    outcomes = [{ kind: 'answer', review: 'nonsense' }]
    expect(await tokens().review('t', [], signal)).toMatchObject({ kind: 'refused' })
  })

  it('asks again where it may help, five times at most', async () => {
    const busy: ReviewOutcome = { kind: 'failed', problem: 'busy', mayRetry: true }
    outcomes = Array.from({ length: 9 }, () => busy)
    const answer = tokens().review('t', [], signal)
    for (let i = 0; i < 9; i++) {
      await new Promise(setImmediate)
      clock.advance(5_000)
    }
    expect(await answer).toMatchObject({ kind: 'refused' })
    expect(asked).toHaveLength(5)
  })

  it('heeds the audiences that it names', async () => {
    outcomes = [answered({ authenticated: true, user: { username: 'a' }, audiences: ['b'] })]
    expect(await tokens().review('t', ['a', 'b'], signal)).toMatchObject({ audiences: ['b'] })
    outcomes = [answered({ authenticated: true, user: { username: 'a' }, audiences: ['c'] })]
    expect(await tokens().review('t', [], signal)).toMatchObject({ kind: 'refused' })
  })
})
