// What admission is asked about, and when; and which other rights a write takes.
import { beforeEach, describe, expect, it } from 'vitest'
import type { KubernetesObject } from '../../../src/client/client.ts'
import type { AdmissionRequest } from '../../../src/extensions/extensions.ts'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases'
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

let asked: AdmissionRequest[]
/** What is refused from now on. */
let refuses: (request: AdmissionRequest) => boolean
/** What every object gets. */
let adds: object | undefined
let mayNot: Set<string>
let api: ApiWorld

const JANE = { name: 'jane', uid: undefined, groups: [], extra: {} }
const EVERYTHING = [
  { operations: ['*'], apiGroups: ['', 'coordination.k8s.io'], apiVersions: ['*'], resources: ['*'] },
] as const

beforeEach(async () => {
  asked = []
  refuses = () => false
  adds = undefined
  mayNot = new Set()
  api = await openWorld({ gates: ['AllowUnsafeMalformedObjectDeletion'], controllersOff: ['garbage-collector'] })
  api.extensible.admit({ name: 'a.example.com', type: 'mutating', rules: EVERYTHING }, (request) => {
    if (refuses(request)) return { allowed: false, code: 403, message: 'not by admission' }
    return adds === undefined ? undefined : { object: { ...request.object!, ...adds } as KubernetesObject }
  })
  api.extensible.admit({ name: 'b.example.com', rules: EVERYTHING }, (request) => {
    // The server writes too.
    if (request.userInfo.username === JANE.name) asked.push(request)
  })
  api.extensible.authorize(({ resourceAttributes }) => {
    const verb = resourceAttributes?.verb ?? ''
    return mayNot.has(verb) ? { denied: true, reason: `may not ${verb}` } : { allowed: true }
  })
})

const send = (method: string, path: string, body?: object, contentType = 'application/json'): Promise<Answer> =>
  api.send({ method, path, contentType, user: JANE, ...(body === undefined ? {} : { body }) })

const told = (): readonly string[] => asked.map(({ operation, name }) => `${operation} ${name}`)

describe('admission', () => {
  it('is asked about a create where a PUT creates (W-098)', async () => {
    await send('PUT', `${LEASES}/new?fieldManager=me&dryRun=All`, { metadata: { name: 'new' } })
    expect(asked).toMatchObject([
      { operation: 'CREATE', name: 'new', options: { fieldManager: 'me', dryRun: ['All'] } },
    ])
  })

  it('owns nothing of what it adds (W-093)', async () => {
    adds = { immutable: true }
    const { body } = await send('POST', MAPS, { metadata: { name: 'a' }, data: { x: '1' } })
    const { managedFields } = body['metadata'] as { managedFields: readonly { fieldsV1: object }[] }
    expect(body['immutable']).toBe(true)
    expect(managedFields.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ 'f:data': { '.': {}, 'f:x': {} } }])
  })

  it('refuses before versions are compared (W-115)', async () => {
    await send('POST', MAPS, { metadata: { name: 'a' } })
    refuses = ({ operation }) => operation === 'UPDATE'
    const stale = { metadata: { name: 'a', resourceVersion: '1' } }
    expect(await send('PUT', `${MAPS}/a`, stale)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('not by admission') },
    })
    refuses = () => false
    expect((await send('PUT', `${MAPS}/a`, stale)).status).toBe(409)
  })

  it('is asked about writes that change nothing (W-143)', async () => {
    await send('POST', MAPS, { metadata: { name: 'a' } })
    await send('PATCH', `${MAPS}/a`, {}, MERGE)
    expect(told()).toEqual(['CREATE a', 'UPDATE a'])
  })

  it('is not asked about a deletion where the last finalizer goes (W-151)', async () => {
    await send('POST', MAPS, { metadata: { name: 'a', finalizers: ['a/b'] } })
    await send('DELETE', `${MAPS}/a`)
    await send('PATCH', `${MAPS}/a`, { metadata: { finalizers: null } }, MERGE)
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
    expect(told()).toEqual(['CREATE a', 'DELETE a', 'UPDATE a'])
  })

  it('is shown each object of a collection that is deleted, and no name (W-317, W-343)', async () => {
    for (const name of ['a', 'b']) await send('POST', MAPS, { metadata: { name } })
    asked = []
    await send('DELETE', `${MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt`)
    expect(asked).toMatchObject(
      ['a', 'b'].map((name) => ({
        operation: 'DELETE',
        object: null,
        oldObject: { metadata: { name } },
      })),
    )
  })
})

describe('who may change but not create', () => {
  beforeEach(() => void mayNot.add('create'))

  it('does not create by a PUT (W-097)', async () => {
    expect(await send('PUT', `${LEASES}/new`, { metadata: { name: 'new' } })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('may not create') },
    })
  })

  it('does not create by an apply (W-230)', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
    expect((await send('PATCH', `${MAPS}/a?fieldManager=me`, body, APPLY)).status).toBe(403)
    mayNot.clear()
    expect((await send('PATCH', `${MAPS}/a?fieldManager=me`, body, APPLY)).status).toBe(201)
    mayNot.add('create')
    expect((await send('PATCH', `${MAPS}/a?fieldManager=me`, { ...body, data: { x: '1' } }, APPLY)).status).toBe(200)
  })
})

it('what cannot be read is deleted by those alone who may (W-349)', async () => {
  await send('POST', MAPS, { metadata: { name: 'a' } })
  mayNot.add('unsafe-delete-ignore-read-errors')
  expect(await send('DELETE', `${MAPS}/a`, { ignoreStoreReadErrorWithClusterBreakingPotential: true })).toMatchObject({
    status: 403,
    body: {
      message: expect.stringContaining(
        'configmaps "a" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors"',
      ),
    },
  })
})
