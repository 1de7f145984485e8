// What servers that mean to be compatible often get wrong, one test each. Those about admission and about collection are in
// tests of their own.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const PODS = '/api/v1/namespaces/ns/pods'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/ns/deployments'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases'
const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
})

const send = (method: string, path: string, body?: object, contentType = 'application/json'): Promise<Answer> =>
  api.send({ method, path, contentType, ...(body === undefined ? {} : { body }) })

const map = (name: string, more: object = {}): object => ({ metadata: { name }, ...more })
const pod = (name: string): object => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } })
const deployment = (name: string, more: object = {}): object => ({
  metadata: { name, ...more },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})

interface Meta {
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly labels?: object
  readonly annotations?: object
  readonly finalizers?: readonly string[]
  readonly deletionTimestamp?: string
}

const metaOf = ({ body }: Answer): Meta => body['metadata'] as Meta

describe('what compatible servers get wrong', () => {
  it('a body of a delete silences its query (W-293)', async () => {
    await send('POST', MAPS, map('a'))
    expect((await send('DELETE', `${MAPS}/a?dryRun=All`)).status).toBe(200)
    expect((await send('GET', `${MAPS}/a`)).status).toBe(200)
    await send('DELETE', `${MAPS}/a?dryRun=All`, {})
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
  })

  it('what a delete answers with depends on the kind and on finalizers (W-308, W-309, W-311)', async () => {
    const { uid } = metaOf(await send('POST', MAPS, map('a')))
    expect((await send('DELETE', `${MAPS}/a`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid },
    })
    await send('POST', MAPS, { metadata: { name: 'b', finalizers: ['x.io/held'] } })
    expect((await send('DELETE', `${MAPS}/b`)).body).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'b' } })
    await send('POST', '/api/v1/namespaces/ns/serviceaccounts', map('s'))
    expect((await send('DELETE', '/api/v1/namespaces/ns/serviceaccounts/s')).body).toMatchObject({
      kind: 'ServiceAccount',
    })
  })

  it('202 is for orphanDependents=false alone (W-312)', async () => {
    const held = { metadata: { name: 'a', finalizers: ['x.io/held'] } }
    await send('POST', MAPS, held)
    expect((await send('DELETE', `${MAPS}/a?propagationPolicy=Foreground`)).status).toBe(200)
    await send('POST', MAPS, { metadata: { name: 'b', finalizers: ['x.io/held'] } })
    expect((await send('DELETE', `${MAPS}/b?orphanDependents=false`)).status).toBe(202)
  })

  it('whether an update must name a version is the kind’s (W-107, W-108, D22)', async () => {
    await send('POST', MAPS, map('a'))
    expect((await send('PUT', `${MAPS}/a`, map('a', { data: { x: '1' } }))).status).toBe(200)
    await send('POST', LEASES, map('a'))
    expect(await send('PUT', `${LEASES}/a`, map('a'))).toMatchObject({
      status: 422,
      body: {
        message:
          'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
        details: { kind: 'leases' },
      },
    })
  })

  it('a version that is none is the client’s fault, in the reference’s words (W-002, W-072, W-073, W-112, D20)', async () => {
    const numbered = await send('POST', MAPS, { metadata: { name: 'a', resourceVersion: '5' } })
    expect(numbered).toMatchObject({
      status: 400,
      body: { message: 'resourceVersion should not be set on objects to be created' },
    })
    await send('POST', MAPS, { metadata: { name: 'a', resourceVersion: 'word' } })
    const worded = await send('PUT', `${MAPS}/a`, { metadata: { name: 'a', resourceVersion: 'abc' } })
    expect(worded).toMatchObject({ status: 400, body: { message: 'strconv.ParseUint: parsing "abc": invalid syntax' } })
  })

  it('a write that changes nothing moves nothing (W-140, W-141)', async () => {
    const made = await send('POST', MAPS, map('a', { data: { x: '1' } }))
    await api.clock.advance('100s')
    const same = await send('PUT', `${MAPS}/a`, made.body)
    expect(same.body).toEqual(made.body)
    const patched = await send('PATCH', `${MAPS}/a`, { data: { x: '1' } }, MERGE)
    expect(metaOf(patched).resourceVersion).toBe(metaOf(made).resourceVersion)
  })

  it('generation is the kind’s own (W-075, W-076, W-132, W-137)', async () => {
    expect(metaOf(await send('POST', MAPS, { metadata: { name: 'a', generation: 7 } })).generation).toBe(7)
    expect(metaOf(await send('PATCH', `${MAPS}/a`, { data: { x: '1' } }, MERGE)).generation).toBe(7)
    expect(metaOf(await send('POST', DEPLOYMENTS, deployment('d', { generation: 9 }))).generation).toBe(1)
    const noted = await send('PATCH', `${DEPLOYMENTS}/d`, { metadata: { annotations: { n: '1' } } }, MERGE)
    expect(metaOf(noted).generation).toBe(2)
    const labeled = await send('PATCH', `${DEPLOYMENTS}/d`, { metadata: { labels: { n: '1' } } }, MERGE)
    expect(metaOf(labeled).generation).toBe(2)
  })

  it('status is not status alone (W-126)', async () => {
    await send('POST', PODS, pod('p'))
    const body = { metadata: { labels: { l: '1' }, annotations: { n: '1' } } }
    expect(metaOf(await send('PATCH', `${PODS}/p/status`, body, MERGE))).toMatchObject(body.metadata)
    await send('POST', DEPLOYMENTS, deployment('d'))
    const status = metaOf(await send('PATCH', `${DEPLOYMENTS}/d/status`, body, MERGE))
    expect(status.annotations).toEqual({ n: '1' })
    expect(status.labels).toBeUndefined()
  })

  it('a node keeps the status that it was made with (W-088, W-089)', async () => {
    const node = { metadata: { name: 'n' }, status: { capacity: { cpu: '4' } } }
    expect((await send('POST', '/api/v1/nodes', node)).body).toMatchObject({ status: { capacity: { cpu: '4' } } })
    const made = await send('POST', DEPLOYMENTS, { ...deployment('d'), status: { replicas: 3 } })
    expect(made.body['status']).toEqual({})
  })

  it('taking the last finalizer away is an update that answers with the object (W-147)', async () => {
    await send('POST', MAPS, { metadata: { name: 'a', finalizers: ['x.io/held'] } })
    await send('DELETE', `${MAPS}/a`)
    const last = await send('PATCH', `${MAPS}/a`, { metadata: { finalizers: null } }, MERGE)
    expect(last).toMatchObject({ status: 200, body: { kind: 'ConfigMap' } })
    expect(metaOf(last).finalizers).toBeUndefined()
    expect(metaOf(last).deletionTimestamp).toBeDefined()
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
  })

  it('JSON patches that cannot be applied are 422 and say nothing (W-174, W-175)', async () => {
    await send('POST', MAPS, map('a', { data: { x: '1' } }))
    for (const operation of [
      { op: 'test', path: '/data/x', value: '2' },
      { op: 'remove', path: '/data/none' },
      { op: 'add', path: '/none/x', value: '1' },
      { op: 'unheard', path: '/data/x' },
    ]) {
      expect(await send('PATCH', `${MAPS}/a`, [operation], JSON_PATCH)).toMatchObject({
        status: 422,
        body: {
          message: 'the server rejected our request due to an error in our request',
          reason: 'Invalid',
          details: {},
        },
      })
    }
    const replace = [{ op: 'replace', path: '/data/absent', value: '1' }]
    expect((await send('PATCH', `${MAPS}/a`, replace, JSON_PATCH)).body['data']).toEqual({ x: '1', absent: '1' })
  })

  it('strict field validation has two codes (W-214, W-406, W-637)', async () => {
    const unknown = { ...deployment('d'), unknown: 1 }
    expect((await send('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, unknown)).status).toBe(400)
    await send('POST', DEPLOYMENTS, deployment('d'))
    const patched = await send('PATCH', `${DEPLOYMENTS}/d?fieldValidation=Strict`, { spec: { foo: 1 } }, MERGE)
    expect(patched.status).toBe(422)
    expect(patched.body['message']).toMatch(
      /^ "" is invalid: patch: .*strict decoding error: unknown field "spec.foo"$/,
    )
  })

  it('a patch of no known type is refused in the router’s words (W-155)', async () => {
    await send('POST', MAPS, map('a'))
    expect(await send('PATCH', `${MAPS}/a`, {})).toMatchObject({
      status: 415,
      body: { message: '415: Unsupported Media Type', details: {} },
    })
  })

  it('an apply of an unknown field fails before field validation is asked (W-224, D20)', async () => {
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, unknown: 1 }
    const answer = await send('PATCH', `${MAPS}/a?fieldManager=m&fieldValidation=Ignore`, applied, APPLY)
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message:
          'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .unknown: field not declared in schema',
      },
    })
  })

  it('updates repeat causes at level 1.36, and messages do not (W-006, W-007)', async () => {
    const older = await openWorld({ flags: ['--emulated-version=1.36'] })
    await older.send({ method: 'POST', path: MAPS, body: map('a') })
    const bad = { metadata: { name: 'a', labels: { x: 'not valid' } } }
    const { body } = await older.send({ method: 'PUT', path: `${MAPS}/a`, body: bad })
    const { causes, kind } = body['details'] as { causes: readonly object[]; kind: string }
    expect(kind).toBe('ConfigMap')
    expect(causes.length).toBeGreaterThan(1)
    expect(String(body['message']).match(/metadata\.labels/g)).toHaveLength(1)
  })

  it('an object that is wrong in two ways has one right answer (W-022)', async () => {
    await send('POST', MAPS, map('a'))
    const wrong = { metadata: { name: 'a', labels: { x: 'not valid' } } }
    expect((await send('POST', MAPS, wrong)).status).toBe(422)
    expect((await send('POST', MAPS, map('a'))).status).toBe(409)
    expect((await send('POST', `${MAPS}?dryRun=x`, wrong)).body['message']).toContain('CreateOptions')
    expect((await send('POST', MAPS, { ...map('a'), data: 5 })).status).toBe(400)
  })

  it('a name and a prefix together: the name counts, the words are the prefix’s (W-048)', async () => {
    await send('POST', MAPS, map('a'))
    expect(await send('POST', MAPS, { metadata: { name: 'a', generateName: 'x-' } })).toMatchObject({
      status: 409,
      body: {
        message: 'configmaps "a" already exists, the server was not able to generate a unique name for the object',
        details: { retryAfterSeconds: 1 },
      },
    })
  })

  it('a collection is deleted one by one, and answered as it was (W-338, W-342)', async () => {
    await send('POST', MAPS, { metadata: { name: 'a', labels: { s: '1' } } })
    await send('POST', MAPS, { metadata: { name: 'b', labels: { s: '1' }, finalizers: ['x.io/held'] } })
    await send('POST', MAPS, map('c'))
    const { body } = await send('DELETE', `${MAPS}?labelSelector=s%3D1`)
    const items = body['items'] as readonly { metadata: Meta & { name: string } }[]
    expect(body['kind']).toBe('ConfigMapList')
    expect(items.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
    expect(metaOf(await send('GET', `${MAPS}/b`)).deletionTimestamp).toBeDefined()
    expect((await send('GET', `${MAPS}/c`)).status).toBe(200)
  })
})

describe('an object that is too large with its owners', () => {
  const data = Object.fromEntries(
    Array.from({ length: 4_000 }, (_, index) => [`${'k'.repeat(200)}${String(index).padStart(5, '0')}`, '']),
  )

  it('is stored without them, but not where it is applied (W-029, W-236)', async () => {
    const made = await send('POST', MAPS, map('a', { data }))
    expect(made.status).toBe(201)
    expect(made.body['metadata']).not.toHaveProperty('managedFields')
    expect((await send('GET', `${MAPS}/a`)).body).toEqual(made.body)
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data }
    expect((await send('PATCH', `${MAPS}/b?fieldManager=m`, applied, APPLY)).status).toBe(413)
  })
})
