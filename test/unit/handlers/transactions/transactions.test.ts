// Transactions: operations on several objects, which are stored in one revision or not at all.
import { beforeEach, describe, expect, it } from 'vitest'
import type { User } from '../../../../src/api/user.ts'
import { type Answer, type ApiWorld, openWorld } from '../../../rigs/api-world.ts'

const PATH = '/apis/transactions.quarterdeck.io/v1/transactions'
const MAPS = '/api/v1/namespaces/ns/configmaps'
const SERVICES = '/api/v1/namespaces/ns/services'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
})

type Operation = Readonly<Record<string, unknown>>

function send(operations: readonly Operation[], query = '', user?: User): Promise<Answer> {
  const body = { kind: 'Transaction', apiVersion: 'transactions.quarterdeck.io/v1', operations }
  return api.send({ method: 'POST', path: PATH + query, body, ...(user === undefined ? {} : { user }) })
}

function map(name: string, more: object = {}): Operation {
  const { metadata, ...rest } = more as { metadata?: object }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns', ...metadata }, ...rest }
}

function targetOf(name: string): Operation {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name }
}

async function read(path: string): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await api.send({ method: 'GET', path })
  return status === 404 ? undefined : body
}

function resultsOf(answer: Answer): readonly Record<string, unknown>[] {
  return (answer.body['status'] as { results: readonly Record<string, unknown>[] }).results
}

async function versionOf(path: string): Promise<string> {
  return ((await read(path))!['metadata'] as { resourceVersion: string }).resourceVersion
}

const refusedAt = (at: number): object => ({
  details: { causes: expect.arrayContaining([expect.objectContaining({ field: `operations[${at}]` })]) },
})

describe('a transaction', () => {
  it('writes all that it names in one revision, and tells what became of each operation', async () => {
    await api.must('POST', MAPS, map('updated', { data: { a: '1' } }))
    await api.must('POST', MAPS, map('patched', { data: { a: '1' } }))
    await api.must('POST', MAPS, map('removed'))
    const answer = await send([
      { create: map('created') },
      { create: { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 's-', namespace: 'ns' } } },
      { update: map('updated', { data: { a: '2' } }) },
      { apply: map('applied', { data: { a: '2' } }), fieldManager: 'me' },
      { patch: { target: targetOf('patched'), type: 'merge', patch: { data: { a: '2' } } } },
      { delete: { target: targetOf('removed') } },
    ])
    expect(answer).toMatchObject({ status: 200, body: { kind: 'Transaction' } })
    const { resourceVersion } = answer.body['status'] as { resourceVersion: string }
    const results = resultsOf(answer)
    expect(results.map(({ operation, result }) => [operation, result])).toEqual([
      ['create', 'created'],
      ['create', 'created'],
      ['update', 'updated'],
      ['apply', 'created'],
      ['patch', 'updated'],
      ['delete', 'deleted'],
    ])
    for (const result of results) expect(result).toMatchObject({ resourceVersion, uid: expect.any(String) })
    expect(results[1]).toMatchObject({ kind: 'Secret', name: expect.stringMatching(/^s-/) })
    for (const name of ['created', 'updated', 'applied', 'patched']) {
      expect(await versionOf(`${MAPS}/${name}`)).toBe(resourceVersion)
    }
    expect(await read(`${MAPS}/patched`)).toMatchObject({ data: { a: '2' } })
    expect(await read(`${MAPS}/applied`)).toMatchObject({ metadata: { managedFields: [{ manager: 'me' }] } })
    expect(await read(`${MAPS}/removed`)).toBeUndefined()
  })

  it.each([
    ['an object that is there already', { create: map('there') }, 409, 'AlreadyExists'],
    ['an object that is not there', { delete: { target: targetOf('missing') } }, 404, 'NotFound'],
    ['an old version', { update: map('there', { metadata: { resourceVersion: '1' } }) }, 409, 'Conflict'],
    ['a namespace that is not there', { create: map('x', { metadata: { namespace: 'nowhere' } }) }, 404, 'NotFound'],
    ['a name that is none', { create: map('NO') }, 422, 'Invalid'],
    [
      'a patch that does not fit',
      { patch: { target: targetOf('there'), type: 'json', patch: [{ op: 'remove', path: '/x' }] } },
      422,
      'Invalid',
    ],
    [
      'a kind that is not there',
      { create: { apiVersion: 'v9', kind: 'Nothing', metadata: { name: 'x' } } },
      404,
      'NotFound',
    ],
    [
      'a precondition of a delete',
      { delete: { target: targetOf('there'), options: { preconditions: { uid: 'other' } } } },
      409,
      'Conflict',
    ],
  ])('is refused for %s, as the operation alone would be, and writes nothing', async (_, operation, status, reason) => {
    await api.must('POST', MAPS, map('there'))
    const before = await versionOf(MAPS)
    const answer = await send([{ create: map('first') }, operation, { create: map('last') }])
    expect(answer).toMatchObject({ status, body: { reason, ...refusedAt(1) } })
    expect(await versionOf(MAPS)).toBe(before)
    expect(await read(`${MAPS}/first`)).toBeUndefined()
  })

  it('sees namespaces, objects and accounts that its earlier operations have made', async () => {
    const inNew = { metadata: { namespace: 'new' } }
    const answer = await send([
      { create: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } } },
      { create: map('a', inNew) },
      { create: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner', namespace: 'new' } } },
      {
        create: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p', namespace: 'new' },
          spec: { serviceAccountName: 'runner', containers: [{ name: 'c', image: 'i' }] },
        },
      },
      { patch: { target: { ...targetOf('a'), namespace: 'new' }, type: 'merge', patch: { data: { k: 'v' } } } },
    ])
    expect(answer.status).toBe(200)
    expect(await read('/api/v1/namespaces/new/configmaps/a')).toMatchObject({ data: { k: 'v' } })
    expect(await read('/api/v1/namespaces/new/pods/p')).toMatchObject({ spec: { serviceAccountName: 'runner' } })
  })

  it('refuses objects in a namespace that it deletes', async () => {
    const answer = await send([
      { delete: { target: { apiVersion: 'v1', kind: 'Namespace', name: 'other' } } },
      { create: map('a', { metadata: { namespace: 'other' } }) },
    ])
    expect(answer).toMatchObject({ status: 403, body: refusedAt(1) })
    expect(await read('/api/v1/namespaces/other')).toMatchObject({ status: { phase: 'Active' } })
  })

  it('makes one write of all operations on one object', async () => {
    const first = await versionOf(MAPS)
    const answer = await send([
      { create: map('a', { data: { a: '1' } }) },
      { patch: { target: targetOf('a'), type: 'json', patch: [{ op: 'add', path: '/data/b', value: '2' }] } },
      { apply: map('a', { data: { c: '3' } }), fieldManager: 'me' },
      { create: map('gone') },
      { delete: { target: targetOf('gone') } },
    ])
    expect(answer.status).toBe(200)
    expect(await read(`${MAPS}/a`)).toMatchObject({ data: { a: '1', b: '2', c: '3' } })
    expect(await read(`${MAPS}/gone`)).toBeUndefined()
    expect(Number(await versionOf(MAPS))).toBe(Number(first) + 1)
  })

  it('does not make an object again that it deletes', async () => {
    await api.must('POST', MAPS, map('a'))
    const answer = await send([{ delete: { target: targetOf('a') } }, { create: map('a') }])
    expect(answer).toMatchObject({ status: 422, body: refusedAt(1) })
    expect(await read(`${MAPS}/a`)).toBeDefined()
  })

  it('can expect objects to be as they were', async () => {
    const { metadata } = await api.must('POST', MAPS, map('a'))
    const { resourceVersion } = metadata
    const expects = (name: string, more: object): Operation => ({ expect: { target: targetOf(name), ...more } })
    expect(
      await send([expects('a', { resourceVersion }), expects('none', { absent: true }), { create: map('b') }]),
    ).toMatchObject({ status: 200, body: { status: { results: [{ result: 'expected' }, {}, {}] } } })
    for (const [broken, at] of [
      [[expects('a', { resourceVersion: '1' })], 0],
      [[{ create: map('c') }, expects('a', { absent: true })], 1],
      [[{ create: map('c') }, expects('none', { resourceVersion })], 1],
    ] as const) {
      expect(await send(broken)).toMatchObject({ status: 409, body: { reason: 'Conflict', ...refusedAt(at) } })
    }
    expect(await read(`${MAPS}/c`)).toBeUndefined()
  })

  it('writes nothing where nothing changes', async () => {
    const { metadata } = await api.must('POST', MAPS, map('a', { data: { a: '1' } }))
    const before = await versionOf(MAPS)
    const answer = await send([{ patch: { target: targetOf('a'), type: 'merge', patch: { data: { a: '1' } } } }])
    expect(resultsOf(answer)).toMatchObject([{ result: 'unchanged', resourceVersion: metadata.resourceVersion }])
    expect(await versionOf(MAPS)).toBe(before)
  })

  it('marks objects with finalizers, and removes an object with its last one', async () => {
    const held = { metadata: { finalizers: ['x/y'] } }
    await api.must('POST', MAPS, map('held', held))
    await api.must('POST', MAPS, map('freed', held))
    const answer = await send([
      { delete: { target: targetOf('held') } },
      { delete: { target: targetOf('freed') } },
      { patch: { target: targetOf('freed'), type: 'merge', patch: { metadata: { finalizers: null } } } },
    ])
    expect(resultsOf(answer).map(({ result }) => result)).toEqual(['deleting', 'deleting', 'deleted'])
    expect(await read(`${MAPS}/held`)).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } })
    expect(await read(`${MAPS}/freed`)).toBeUndefined()
  })

  it('does everything but write as a dry run', async () => {
    await api.must('POST', MAPS, map('there'))
    const before = await versionOf(MAPS)
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace: 'ns' },
      spec: { ports: [{ port: 1 }] },
    }
    const addresses = await read('/apis/networking.k8s.io/v1/ipaddresses')
    const operations = [{ create: map('a') }, { create: service }, { delete: { target: targetOf('there') } }]
    const answer = await send(operations, '?dryRun=All')
    expect(answer.status).toBe(200)
    expect(answer.body['status']).not.toHaveProperty('resourceVersion')
    expect(resultsOf(answer).map(({ result }) => result)).toEqual(['created', 'created', 'deleted'])
    expect(await send([...operations, { create: map('a') }], '?dryRun=All')).toMatchObject({ status: 409 })
    expect(await versionOf(MAPS)).toBe(before)
    expect(await read('/apis/networking.k8s.io/v1/ipaddresses')).toEqual(addresses)
    expect(await send([{ delete: { target: targetOf('there'), options: { dryRun: ['All'] } } }])).toMatchObject({
      status: 400,
    })
  })
})

describe('what a transaction reserves', () => {
  const service = (name: string, more: object = {}): Operation => ({
    create: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'ns' },
      spec: { type: 'NodePort', ports: [{ port: 80 }], ...more },
    },
  })
  const addresses = async (): Promise<readonly unknown[]> =>
    (await read('/apis/networking.k8s.io/v1/ipaddresses'))!['items'] as readonly unknown[]

  it('is kept where it is stored', async () => {
    const before = (await addresses()).length
    expect((await send([service('a'), service('b')])).status).toBe(200)
    expect(await addresses()).toHaveLength(before + 2)
    const { clusterIP } = (await read(`${SERVICES}/a`))!['spec'] as { clusterIP: string }
    expect(clusterIP).toMatch(/^10\./)
  })

  it('is given back where it is refused', async () => {
    const before = (await addresses()).length
    const port = { ports: [{ port: 80, nodePort: 30_123 }] }
    expect(await send([service('a', port), service('b'), { create: map('NO') }])).toMatchObject({ status: 422 })
    expect(await addresses()).toHaveLength(before)
    expect((await send([service('a', port)])).status).toBe(200)
  })

  it('goes with services that it deletes', async () => {
    const before = (await addresses()).length
    await send([service('a')])
    const target = { apiVersion: 'v1', kind: 'Service', namespace: 'ns', name: 'a' }
    expect(await send([{ delete: { target } }, { create: map('NO') }])).toMatchObject({ status: 422 })
    expect(await addresses()).toHaveLength(before + 1)
    expect((await send([{ delete: { target } }])).status).toBe(200)
    expect(await addresses()).toHaveLength(before)
  })

  it('counts for quotas, all of it or nothing', async () => {
    await api.must('POST', '/api/v1/namespaces/ns/resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': '3' } },
    })
    const used = async (): Promise<unknown> => {
      const quota = (await read('/api/v1/namespaces/ns/resourcequotas/q')) as { status?: { used?: object } }
      return quota.status?.used
    }
    await api.clock.advance(10_000)
    const { 'count/configmaps': before } = (await used()) as { 'count/configmaps': string }
    const room = 3 - Number(before)
    const maps = Array.from({ length: room + 1 }, (_, i) => ({ create: map(`m${i}`) }))
    expect(await send(maps)).toMatchObject({ status: 403, body: refusedAt(room) })
    expect(await used()).toEqual({ 'count/configmaps': before })
    expect((await send(maps.slice(1))).status).toBe(200)
    expect(await used()).toEqual({ 'count/configmaps': '3' })
  })
})

describe('who may send a transaction', () => {
  const bob: User = { name: 'bob', uid: undefined, groups: ['system:authenticated'], extra: {} }

  beforeEach(async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/ns'
    await api.must('POST', `${rbac}/roles`, {
      metadata: { name: 'maps' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }],
    })
    await api.must('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'maps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maps' },
      subjects: [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    await api.must('POST', MAPS, map('there'))
  })

  it('is any user, for what the user may do anyway', async () => {
    expect(await send([{ create: map('a') }, { apply: map('b'), fieldManager: 'bob' }], '', bob)).toMatchObject({
      status: 200,
    })
  })

  it.each([
    ['another verb', { delete: { target: targetOf('there') } }],
    ['another resource', { create: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'ns' } } }],
    ['another namespace', { create: map('x', { metadata: { namespace: 'other' } }) }],
    ['a look at an object', { expect: { target: targetOf('there'), absent: true } }],
  ])('is refused for %s', async (_, operation) => {
    const answer = await send([{ create: map('a') }, operation], '', bob)
    expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden', ...refusedAt(1) } })
    expect(await read(`${MAPS}/a`)).toBeUndefined()
  })

  it('is nobody without a name', async () => {
    const anonymous: User = { name: 'system:anonymous', uid: undefined, groups: ['system:unauthenticated'], extra: {} }
    expect(await send([{ create: map('a') }], '', anonymous)).toMatchObject({
      status: 403,
      body: { details: { kind: 'transactions' } },
    })
  })

  it('is not anybody for rights that the transaction itself would give', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'more', namespace: 'ns' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }],
    }
    expect(await send([{ create: role }], '', bob)).toMatchObject({ status: 403 })
  })
})

describe('the body of a transaction', () => {
  const post = (body: string | object, contentType = 'application/json'): Promise<Answer> =>
    api.send({ method: 'POST', path: PATH, body, contentType })
  const one = { create: map('a') }

  it.each([
    ['nothing', ''],
    ['no JSON', 'kind: Transaction'],
    ['cut off', '{"kind":"Transaction","operations":[{"create":{"apiVersion":"v1"'],
    ['more behind it', `${JSON.stringify({ kind: 'Transaction', operations: [one] })} {}`],
    ['a list', '[]'],
    ['another kind', { kind: 'List', operations: [one] }],
    ['another version', { kind: 'Transaction', apiVersion: 'v1', operations: [one] }],
    ['no operations', { kind: 'Transaction', operations: [] }],
    ['operations that are no list', { kind: 'Transaction', operations: one }],
    ['an unknown member', { kind: 'Transaction', operations: [one], dryRun: true }],
    ['a member twice', '{"kind":"Transaction","operations":[],"operations":[]}'],
    ['an operation of nothing', { kind: 'Transaction', operations: [{}] }],
    ['an operation of two verbs', { kind: 'Transaction', operations: [{ ...one, update: map('b') }] }],
    ['an unknown option', { kind: 'Transaction', operations: [{ ...one, forced: true }] }],
    ['an object without a kind', { kind: 'Transaction', operations: [{ create: { apiVersion: 'v1', metadata: {} } }] }],
    ['an object that is none', { kind: 'Transaction', operations: [{ create: 5 }] }],
    [
      'an object without a namespace',
      { kind: 'Transaction', operations: [{ create: { ...map('a'), metadata: { name: 'a' } } }] },
    ],
    ['a target without a name', { kind: 'Transaction', operations: [{ delete: { target: targetOf('') } }] }],
    [
      'a target with more',
      { kind: 'Transaction', operations: [{ delete: { target: { ...targetOf('a'), uid: 'x' } } }] },
    ],
    ['a patch of no type', { kind: 'Transaction', operations: [{ patch: { target: targetOf('a'), patch: {} } }] }],
    ['an expectation of nothing', { kind: 'Transaction', operations: [{ expect: { target: targetOf('a') } }] }],
    [
      'an expectation of both',
      { kind: 'Transaction', operations: [{ expect: { target: targetOf('a'), absent: true, resourceVersion: '1' } }] },
    ],
    ['force without apply', { kind: 'Transaction', operations: [{ ...one, force: true }] }],
    ['options that are none', { kind: 'Transaction', operations: [{ delete: { target: targetOf('a'), options: 5 } }] }],
  ])('is refused with 400: %s', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { kind: 'Status', reason: 'BadRequest' } })
  })

  it('has at most 100 operations and 1 MB', async () => {
    const maps = (count: number): object => ({
      kind: 'Transaction',
      operations: Array.from({ length: count }, (_, i) => ({ create: map(`m${i}`) })),
    })
    expect(await post(maps(101))).toMatchObject({ status: 413, body: { reason: 'RequestEntityTooLarge' } })
    expect((await post(maps(100))).status).toBe(200)
    const large = {
      kind: 'Transaction',
      operations: [{ create: map('large', { data: { a: 'x'.repeat(1024 * 1024) } }) }],
    }
    expect(await post(large)).toMatchObject({ status: 413 })
  })

  it('is JSON', async () => {
    expect(await post('kind: Transaction', 'application/yaml')).toMatchObject({ status: 415 })
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('is not sent with %s', async (method) => {
    expect(await api.send({ method, path: PATH })).toMatchObject({ status: 405 })
    expect(await api.send({ method: 'POST', path: `${PATH}/a`, body: {} })).toMatchObject({ status: 404 })
  })
})
