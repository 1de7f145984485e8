import { describe, expect, it } from 'vitest'
import { type Access, allowAll, chain } from '../../../src/auth/authorizer.ts'
import type { ReviewOutcome } from '../../../src/auth/review-webhook.ts'
import { webhookAuthorizer, type WebhookAuthorizerOptions } from '../../../src/auth/webhook-authorizer.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()

const asked: Access = {
  kind: 'resource',
  user: { name: 'jane', uid: 'u', groups: ['dev'], extra: { k: ['v'] } },
  verb: 'list',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: undefined,
  namespace: 'ns',
  name: undefined,
  selectors: () => ({
    fields: [{ field: 'metadata.name', operator: '!=', value: 'x' }],
    labels: [
      { kind: 'in', key: 'a', values: ['b', 'c'] },
      { kind: 'absent', key: 'd' },
      { kind: 'greater', key: 'e', bound: 1n },
    ],
  }),
}

function answering(...statuses: readonly (object | string)[]) {
  const reviews: object[] = []
  const clock = new ManualClock()
  const ask: WebhookAuthorizerOptions['ask'] = (review) => {
    const status = statuses[Math.min(reviews.length, statuses.length - 1)]!
    reviews.push(review)
    const outcome: ReviewOutcome =
      typeof status === 'string'
        ? { kind: 'failed', problem: status, mayRetry: false }
        : { kind: 'answer', review: { status } }
    return Promise.resolve(outcome)
  }
  const open = (more: Partial<WebhookAuthorizerOptions> = {}) =>
    webhookAuthorizer({
      ask,
      version: 'v1',
      allowedMs: 1_000,
      refusedMs: 100,
      onFailure: 'no-opinion',
      clock,
      ...more,
    })
  return { reviews, clock, open }
}

describe('a webhook that decides', () => {
  it.each<[object | string, object]>([
    [
      { allowed: true, reason: 'fine' },
      { kind: 'allow', reason: 'fine' },
    ],
    [{ allowed: false }, { kind: 'no-opinion' }],
    [
      { allowed: false, denied: true, reason: 'no' },
      { kind: 'deny', reason: 'no' },
    ],
    [
      { allowed: true, denied: true },
      { kind: 'deny', problem: 'webhook subject access review returned both allow and deny response' },
    ],
    ['down', { kind: 'no-opinion', problem: 'down' }],
  ])('%o (P-172)', async (status, decision) => {
    expect(await answering(status).open().authorize(asked, signal)).toEqual(decision)
  })

  it('is told everything about the question (P-105, P-172)', async () => {
    const { reviews, open } = answering({ allowed: true })
    await open().authorize(asked, signal)
    await open({ version: 'v1beta1' }).authorize({ kind: 'path', user: asked.user, verb: 'get', path: '/x' }, signal)
    const who = { user: 'jane', extra: { k: ['v'] }, uid: 'u' }
    expect(reviews).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        spec: {
          resourceAttributes: {
            namespace: 'ns',
            verb: 'list',
            group: 'apps',
            version: 'v1',
            resource: 'deployments',
            fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'NotIn', values: ['x'] }] },
            labelSelector: {
              requirements: [
                { key: 'a', operator: 'In', values: ['b', 'c'] },
                { key: 'd', operator: 'DoesNotExist' },
              ],
            },
          },
          ...who,
          groups: ['dev'],
        },
        status: { allowed: false },
      },
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1beta1',
        metadata: {},
        spec: { nonResourceAttributes: { path: '/x', verb: 'get' }, ...who, group: ['dev'] },
        status: { allowed: false },
      },
    ])
  })

  it('is not asked again for a while, for a yes longer than for a no (P-172)', async () => {
    const { reviews, clock, open } = answering({ allowed: true }, { allowed: false })
    const authorizer = open()
    const ask = async (): Promise<string> => (await authorizer.authorize(asked, signal)).kind
    expect([await ask(), await ask(), reviews.length]).toEqual(['allow', 'allow', 1])
    clock.advance(1_000)
    expect([await ask(), await ask(), reviews.length]).toEqual(['no-opinion', 'no-opinion', 2])
    clock.advance(100)
    await ask()
    expect(reviews).toHaveLength(3)
    const long = { ...asked, name: 'x'.repeat(10_000) }
    await authorizer.authorize(long, signal)
    await authorizer.authorize(long, signal)
    expect(reviews).toHaveLength(5)
  })

  it('is asked again after a failure, and what comes after it can still allow (P-172, P-175)', async () => {
    const { reviews, open } = answering('down')
    const authorizer = open()
    await authorizer.authorize(asked, signal)
    expect(await chain([authorizer, allowAll()]).authorize(asked, signal)).toMatchObject({ kind: 'allow' })
    expect(reviews).toHaveLength(2)
    expect(await chain([open({ onFailure: 'deny' }), allowAll()]).authorize(asked, signal)).toEqual({
      kind: 'deny',
      problem: 'down',
    })
  })

  it('is asked only what matches it (P-173)', async () => {
    const { reviews, open } = answering({ allowed: true })
    expect(await open({ matches: () => ({ kind: 'no' }) }).authorize(asked, signal)).toEqual({ kind: 'no-opinion' })
    const broken = open({ onFailure: 'deny', matches: () => ({ kind: 'broken', problem: 'p' }) })
    expect(await broken.authorize(asked, signal)).toEqual({ kind: 'deny', problem: 'p' })
    expect(reviews).toEqual([])
    expect(open().rulesFor?.(asked.user, 'ns').incomplete).toBe(true)
  })
})
