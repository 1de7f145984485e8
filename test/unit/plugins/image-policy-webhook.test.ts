import { beforeEach, describe, expect, it } from 'vitest'
import type { ReviewOutcome } from '../../../src/auth/review-webhook.ts'
import { type ImagePolicyOptions, imagePolicy } from '../../../src/plugins/image-policy-webhook.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { requestFor } from '../admission/request-for.ts'

const { signal } = new AbortController()
const OPTIONS: ImagePolicyOptions = { allowedMs: 5000, refusedMs: 1000, backoffMs: 0, failsOpen: false }

let clock: ManualClock
let asked: unknown[]
let answers: ReviewOutcome[]

beforeEach(() => {
  clock = new ManualClock(1_900_000_000_000)
  asked = []
  answers = []
})

const said = (status: object): ReviewOutcome => ({ kind: 'answer', review: { kind: 'ImageReview', status } })
const failed = (mayRetry: boolean): ReviewOutcome => ({ kind: 'failed', problem: 'nobody there', mayRetry })

const POD: ApiObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p', namespace: 'ns', annotations: { 'a.image-policy.k8s.io/b': 'c', other: 'x' } },
  spec: {
    containers: [{ name: 'a', image: 'one' }],
    initContainers: [{ name: 'b', image: 'two' }],
    ephemeralContainers: [{ name: 'c', image: 'three' }],
  },
}

function plugin(options: Partial<ImagePolicyOptions> = {}) {
  const ask = (review: object): Promise<ReviewOutcome> => {
    asked.push((review as { spec: unknown }).spec)
    return Promise.resolve(answers.shift() ?? said({ allowed: true }))
  }
  const made = imagePolicy(ask, { ...OPTIONS, ...options }, clock)
  const notes: Record<string, string> = {}
  return {
    notes,
    judge: async (subresource = ''): Promise<string | undefined> => {
      const annotate = (key: string, value: string): void => void (notes[key] = value)
      const request = requestFor('pods', POD, { operation: 'UPDATE', subresource, annotate })
      try {
        await made.validate!(request, signal)
        return undefined
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return `${error.reason} ${error.message}`
      }
    },
  }
}

describe('a server that is asked about images', () => {
  it('is told the images, the annotations that are meant for it and the namespace', async () => {
    expect(await plugin().judge()).toBeUndefined()
    expect(asked).toEqual([
      {
        containers: [{ image: 'one' }, { image: 'two' }],
        annotations: { 'a.image-policy.k8s.io/b': 'c' },
        namespace: 'ns',
      },
    ])
  })

  it('is asked about containers that are added, and not about other parts of a pod', async () => {
    const { judge } = plugin()
    await judge('ephemeralcontainers')
    await judge('status')
    expect(asked).toMatchObject([{ containers: [{ image: 'three' }] }])
  })

  it.each([
    [{ allowed: false, reason: 'too old' }, 'image policy webhook backend denied one or more images: too old'],
    [{}, 'one or more images rejected by webhook backend'],
  ])('refuses: %j', async (status, why) => {
    answers = [said(status)]
    expect(await plugin().judge()).toBe(`Forbidden pods "p" is forbidden: ${why}`)
  })

  it('is not asked again for a while, longer where it allowed', async () => {
    const { judge } = plugin()
    answers = [said({ allowed: false }), said({ allowed: true })]
    expect(await judge()).toContain('rejected')
    clock.advance(999)
    expect(await judge()).toContain('rejected')
    clock.advance(2)
    expect(await judge()).toBeUndefined()
    clock.advance(4_999)
    expect(await judge()).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  it('notes what is to stand in the audit log', async () => {
    answers = [said({ allowed: true, auditAnnotations: { by: 'x', bad: 7 } })]
    const { judge, notes } = plugin()
    await judge()
    expect(notes).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/by': 'x' })
  })

  it('that is away is asked a few times, and then the operator decides', async () => {
    answers = Array.from({ length: 10 }, () => failed(true))
    const closed = plugin()
    const judged = closed.judge()
    for (let i = 0; i < 20; i++) {
      clock.advance(1)
      await new Promise(setImmediate)
    }
    expect(await judged).toBe('Forbidden pods "p" is forbidden: nobody there')
    expect(asked).toHaveLength(5)
    answers = [failed(false)]
    const open = plugin({ failsOpen: true })
    expect(await open.judge()).toBeUndefined()
    expect(asked).toHaveLength(6)
    expect(open.notes).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' })
  })
})
