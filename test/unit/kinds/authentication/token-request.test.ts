import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { TokenOrder } from '../../../../src/auth/service-account-token.ts'
import { tokenRequestAction, type TokenRequestOptions } from '../../../../src/kinds/authentication/token-request.ts'
import { tokenReviewAction } from '../../../../src/kinds/authentication/token-review.ts'
import { type ApiWorld, openWorld } from '../../../rigs/api-world.ts'
import { BUILT_IN } from '../../../corpora/built-in-kinds.ts'
import { actIn } from '../../../rigs/run-action.ts'

const API = 'https://api.example'
let orders: TokenOrder[]
let options: TokenRequestOptions
let world: ApiWorld
let account: ApiObject

beforeEach(async () => {
  orders = []
  options = {
    apiAudiences: [API],
    maxLifetimeSeconds: undefined,
    extend: true,
    issue: (order) => {
      orders.push(order)
      return { token: 'made', id: 'id' }
    },
  }
  world = await openWorld()
  account = await world.create(world.resource('serviceaccounts'), { metadata: { name: 'robot' } })
})

/** The options as they are when somebody asks. */
const lately: TokenRequestOptions = {
  get apiAudiences() {
    return options.apiAudiences
  },
  get maxLifetimeSeconds() {
    return options.maxLifetimeSeconds
  },
  get extend() {
    return options.extend
  },
  issue: (order) => options.issue(order),
}

async function ask(spec: object, metadata: object = {}): Promise<ApiObject> {
  const answer = await actIn(world, tokenRequestAction(BUILT_IN, lately), { name: 'robot', body: { metadata, spec } })
  if (answer.kind !== 'object') throw new Error('no object')
  return answer.object
}

const uid = (object: ApiObject): unknown => object.metadata['uid']

async function pod(more: object = {}): Promise<ApiObject> {
  const spec = { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }], ...more }
  return world.create(world.resource('pods'), { metadata: { name: 'p' }, spec })
}

describe('asking for a token', () => {
  it('gives one that is for this server and lasts an hour (P-045, W-562)', async () => {
    const answer = await ask({})
    expect(answer).toMatchObject({
      metadata: { name: 'robot', namespace: 'ns', uid: uid(account), creationTimestamp: '2030-01-02T03:04:05Z' },
      spec: { audiences: [API], expirationSeconds: 3600 },
      status: { token: 'made', expirationTimestamp: '2030-01-02T04:04:05Z' },
    })
    expect(answer.metadata['managedFields']).toMatchObject([{ subresource: 'token', manager: 'test' }])
    expect(orders).toEqual([
      {
        account: { namespace: 'ns', name: 'robot', uid: uid(account) },
        audiences: [API],
        lifetimeSeconds: 3600,
      },
    ])
  })

  it('binds it to a pod, and tells the node of a pod that has one (P-046, P-047)', async () => {
    const made = await pod({ nodeName: 'n' })
    await ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } })
    expect(orders[0]).toMatchObject({ pod: { name: 'p', uid: uid(made) }, node: { name: 'n', uid: '' } })
    const node = await world.create(world.resource('nodes'), { metadata: { name: 'n' } })
    await ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: uid(made) } })
    expect(orders[1]).toMatchObject({ node: { name: 'n', uid: uid(node) } })
    await ask({ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'n' } })
    expect(orders[2]).toMatchObject({ node: { name: 'n', uid: uid(node) } })
    expect(orders[2]).not.toHaveProperty('pod')
  })

  it('is told which object is meant', async () => {
    const bound = (name: string) => ask({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name } })
    await expect(bound('')).rejects.toThrow('Name parameter required.')
    await expect(bound('a/b')).rejects.toThrow('Name parameter invalid: "a/b": may not contain \'/\'')
  })

  it.each([
    ['for this server, and asked for in the words of kubelets', {}, 365 * 24 * 3600],
    ['for others', { audiences: ['x'] }, 3607],
    ['for a little longer', { expirationSeconds: 3608 }, 3608],
  ])('gives a pod one of a year only if it is %s (P-048)', async (_name, more, lifetimeSeconds) => {
    await pod()
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p' }
    const answer = await ask({ expirationSeconds: 3607, boundObjectRef, ...more })
    expect(orders[0]).toMatchObject({ lifetimeSeconds })
    expect(Object.hasOwn(orders[0]!, 'warnAfterSeconds')).toBe(lifetimeSeconds > 4000)
    expect(answer['status']).toMatchObject({ expirationTimestamp: expect.stringMatching(/T04:04:1[23]Z/) })
  })

  it('gives nobody a year where that is switched off', async () => {
    options = { ...options, extend: false }
    await pod()
    await ask({ expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } })
    expect(orders[0]).toMatchObject({ lifetimeSeconds: 3607 })
  })

  it('shortens what is longer than allowed, and says so (P-050, W-563)', async () => {
    options = { ...options, maxLifetimeSeconds: 7200 }
    expect(await ask({ expirationSeconds: 10_000 })).toMatchObject({ spec: { expirationSeconds: 7200 } })
    expect(world.warnings).toEqual(['requested expiration of 10000 seconds shortened to 7200 seconds'])
  })

  it.each([
    ['less than ten minutes', { expirationSeconds: 599 }, {}, 'Invalid', 'less than 10 minutes'],
    ['another name', {}, { name: 'x' }, 'Invalid', 'must match the service account name if specified'],
    ['another account', {}, { uid: 'x' }, 'Conflict', 'does not match the UID of the service account'],
    ['another namespace', {}, { namespace: 'x' }, 'BadRequest', 'does not match the namespace sent'],
    [
      'a kind that tokens are not bound to',
      { boundObjectRef: { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', name: 'r' } },
      {},
      'BadRequest',
      'cannot bind token to object of type rbac.authorization.k8s.io/v1, Kind=Role',
    ],
    [
      'a secret that is not there',
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } },
      {},
      'NotFound',
      'secrets "s" not found',
    ],
  ])('for %s is refused', async (_name, spec, metadata, reason, message) => {
    await expect(ask(spec, metadata)).rejects.toMatchObject({ reason, message: expect.stringContaining(message) })
    expect(orders).toEqual([])
  })
})

describe('asking whose a token is (P-058)', () => {
  const reviewed = (body: object, known: boolean): Promise<unknown> => {
    const action = tokenReviewAction(BUILT_IN, (_token, audiences) =>
      known
        ? { kind: 'user', user: { name: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } }, audiences }
        : { kind: 'refused', problem: 'invalid bearer token' },
    )
    return actIn(world, action, { body, namespace: '' })
  }

  it('tells the user and whom the token is for', async () => {
    expect(await reviewed({ spec: { token: 't', audiences: ['a'] } }, true)).toMatchObject({
      object: {
        status: {
          authenticated: true,
          user: { username: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } },
          audiences: ['a'],
        },
      },
    })
  })

  it('tells what is wrong with a bad one', async () => {
    expect(await reviewed({ spec: { token: 't' } }, false)).toMatchObject({
      object: { status: { user: {}, error: 'invalid bearer token' } },
    })
  })

  it('needs a token', async () => {
    await expect(reviewed({ spec: {} }, true)).rejects.toMatchObject({
      reason: 'BadRequest',
      message: 'token is required for TokenReview in authentication',
    })
  })
})
