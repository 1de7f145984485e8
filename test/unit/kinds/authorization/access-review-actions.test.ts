import { describe, expect, it } from 'vitest'
import type { User } from '../../../../src/api/user.ts'
import { type Access, type Authorizer, chain, type Decision } from '../../../../src/auth/authorizer.ts'
import { accessReviewActions } from '../../../../src/kinds/kinds.ts'
import { NOW, openWorld } from '../../../rigs/api-world.ts'
import { BUILT_IN } from '../../../corpora/built-in-kinds.ts'
import { actIn } from '../../../rigs/run-action.ts'

const JANE: User = { name: 'jane', uid: 'u', groups: ['dev'], extra: { k: ['v'] } }

const world = await openWorld()

interface Reviewed {
  readonly metadata: object
  readonly spec?: object
  readonly status: Readonly<Record<string, unknown>>
}

async function review(kind: string, body: object, authorizer: Authorizer): Promise<Reviewed> {
  const resource = `${kind.toLowerCase()}s`
  const action = accessReviewActions(BUILT_IN, authorizer).find(({ at }) => at.resource === resource)!
  const namespace = action.at.namespaced ? 'ns' : ''
  const answer = await actIn(world, action, { body: { metadata: {}, ...body }, user: JANE, namespace })
  return (answer as unknown as { object: Reviewed }).object
}

function answering(decision: Decision): Authorizer & { readonly asked: Access[] } {
  const asked: Access[] = []
  return {
    asked,
    authorize: (access) => {
      asked.push(access)
      return decision
    },
  }
}

const pods = { verb: 'list', resource: 'pods', namespace: 'ns' }

describe('a review of access', () => {
  it.each<[Decision, object]>([
    [
      { kind: 'allow', reason: 'because' },
      { allowed: true, reason: 'because' },
    ],
    [{ kind: 'allow' }, { allowed: true }],
    [{ kind: 'no-opinion' }, { allowed: false }],
    [
      { kind: 'no-opinion', problem: 'broken' },
      { allowed: false, evaluationError: 'broken' },
    ],
    [
      { kind: 'deny', reason: 'never' },
      { allowed: false, denied: true, reason: 'never' },
    ],
  ])('tells %o (P-155, P-156)', async (decision, status) => {
    const answer = await review(
      'SubjectAccessReview',
      { spec: { user: 'bob', resourceAttributes: pods } },
      answering(decision),
    )
    expect(answer.status).toEqual(status)
    expect(answer.spec).toEqual({ user: 'bob', resourceAttributes: pods })
  })

  it('asks for the user that it names, with everything that is said of them (P-159)', async () => {
    const authorizer = answering({ kind: 'allow' })
    const spec = { user: 'bob', groups: ['g'], uid: '7', extra: { a: ['b'] }, resourceAttributes: pods }
    await review('SubjectAccessReview', { spec }, authorizer)
    expect(authorizer.asked[0]).toMatchObject({
      kind: 'resource',
      verb: 'list',
      group: '',
      version: '*',
      resource: 'pods',
      namespace: 'ns',
      user: { name: 'bob', uid: '7', groups: ['g'], extra: { a: ['b'] } },
    })
  })

  it('of oneself asks for the caller (P-158)', async () => {
    const authorizer = answering({ kind: 'allow' })
    await review(
      'SelfSubjectAccessReview',
      { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
      authorizer,
    )
    expect(authorizer.asked).toEqual([{ kind: 'path', user: JANE, path: '/x', verb: 'get' }])
  })

  it('hands selectors on, and says what of them could not be read (P-105, P-160)', async () => {
    const authorizer = answering({ kind: 'allow' })
    const attributes = {
      ...pods,
      fieldSelector: { rawSelector: 'spec.nodeName=n1' },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Strange' },
        ],
      },
    }
    const { status } = await review(
      'SubjectAccessReview',
      { spec: { user: 'bob', resourceAttributes: attributes } },
      authorizer,
    )
    expect(status['evaluationError']).toBe('spec.resourceAttributes.labelSelector partially ignored due to parse error')
    const [access] = authorizer.asked
    expect(access?.kind === 'resource' ? access.selectors?.() : undefined).toEqual({
      fields: [{ field: 'spec.nodeName', operator: '=', value: 'n1' }],
      labels: [{ kind: 'exists', key: 'a' }],
    })
  })

  it.each(['SubjectAccessReview', 'LocalSubjectAccessReview', 'SelfSubjectAccessReview'])(
    'refuses a text of more than 64 KB for a selector: %s',
    async (kind) => {
      const rawSelector = 'a'.repeat(64 * 1024 + 1)
      const spec = {
        user: 'bob',
        resourceAttributes: { ...pods, labelSelector: { rawSelector }, fieldSelector: { rawSelector } },
      }
      const metadata = { namespace: 'ns' }
      const asked = review(kind, { spec, ...(kind.startsWith('Local') && { metadata }) }, answering({ kind: 'allow' }))
      await expect(asked).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(
          /fieldSelector.rawSelector: Too long: may not be more than 65536 bytes, .*labelSelector.rawSelector: Too long: /,
        ),
      })
    },
  )

  it('that is not well put is refused without a kind (P-155)', async () => {
    const asked = review('SubjectAccessReview', { spec: { resourceAttributes: pods } }, answering({ kind: 'allow' }))
    await expect(asked).rejects.toMatchObject({
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    })
  })
})

describe('a review of rules (P-161)', () => {
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [], nonResourceURLs: [] }
  const path = { verbs: ['get'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['/x'] }
  const knowing: Authorizer = {
    ...answering({ kind: 'allow' }),
    rulesFor: () => ({ rules: [rule, path], incomplete: false, problem: undefined }),
  }
  const silent: Authorizer = {
    ...answering({ kind: 'allow' }),
    rulesFor: () => ({ rules: [], incomplete: true, problem: 'it does not say' }),
  }

  it('gathers what all deciders tell', async () => {
    const answer = await review('SelfSubjectRulesReview', { spec: { namespace: 'ns' } }, chain([silent, knowing]))
    expect(answer.spec).toEqual({})
    expect(answer.status).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: true,
      evaluationError: 'it does not say',
    })
  })

  it('needs a namespace', async () => {
    await expect(review('SelfSubjectRulesReview', {}, knowing)).rejects.toMatchObject({
      code: 400,
      message: 'no namespace on request',
    })
  })
})

it('who one is (P-061)', async () => {
  const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const answer = (await world.must('POST', reviews, {}, JANE)) as unknown as Reviewed
  expect(answer.metadata).toEqual({ creationTimestamp: NOW })
  expect(answer.status).toEqual({
    userInfo: { username: 'jane', uid: 'u', groups: ['dev', 'system:authenticated'], extra: { k: ['v'] } },
  })
})
