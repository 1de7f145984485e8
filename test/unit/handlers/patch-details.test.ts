// Small print of the patches: bodies that are odd or no patch, options, versions, and what applies find and leave.
import { beforeEach, describe, expect, it } from 'vitest'
import { encodeCborValue } from '../../../src/codec/cbor-encode.ts'
import { encodeEnvelope } from '../../../src/codec/protobuf.ts'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases'
const SERVICES = '/api/v1/namespaces/ns/services'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/ns/deployments'
const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const APPLY = 'application/apply-patch+yaml'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
})

const send = (method: string, path: string, body?: object | string, contentType = MERGE): Promise<Answer> =>
  api.send({ method, path, contentType, ...(body === undefined ? {} : { body }) })
const make = (path: string, body: object): Promise<Answer> => send('POST', path, body, 'application/json')
const map = (data: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
})

describe('a patch of a missing object', () => {
  it.each([MERGE, JSON_PATCH, STRATEGIC])('is read first: %s', async (type) => {
    expect((await send('PATCH', `${MAPS}/none`, '{', type)).status).toBe(400)
    expect((await send('PATCH', `${MAPS}/none`, '[]', type)).status).toBe(404)
  })
})

describe('a merge patch that is none', () => {
  const UNREAD = 'Invalid JSON Patch'

  it.each([
    [
      '[] (W-192)',
      '[]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['null (W-193)', 'null', UNREAD],
    ['an open brace (W-194)', '{', 'error decoding patch: unexpected end of JSON input'],
    ['nothing (W-194)', '', 'error decoding patch: unexpected end of JSON input'],
  ])('%s', async (_name, body, message) => {
    await make(MAPS, map({}))
    expect(await send('PATCH', `${MAPS}/a`, body)).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message },
    })
  })

  it('is told in other words where nobody asks for odd fields (W-192 to W-194)', async () => {
    await make(MAPS, map({}))
    const patch = (body: string): Promise<Answer> => send('PATCH', `${MAPS}/a?fieldValidation=Ignore`, body)
    expect(await patch('[]')).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining(' "" is invalid: patch: Invalid value: "[]": couldn\'t get version/kind'),
      },
    })
    for (const body of ['null', '{', ''])
      expect(await patch(body)).toMatchObject({ status: 400, body: { message: UNREAD } })
  })
})

it('a merge patch has no form in CBOR (W-158)', async () => {
  await make(MAPS, map({}))
  const body = encodeCborValue({ data: { x: '1' } })
  expect((await api.send({ method: 'PATCH', path: `${MAPS}/a`, contentType: MERGE, body })).status).toBe(400)
})

it('a body in protobuf is never odd (W-417)', async () => {
  // A name, and a field of a number that config maps do not have.
  const raw = Buffer.of(0x0a, 3, 0x0a, 1, 0x61, 0x9a, 0x06, 1, 0x78)
  const body = encodeEnvelope({ apiVersion: 'v1', kind: 'ConfigMap' }, raw, '')
  const contentType = 'application/vnd.kubernetes.protobuf'
  const answer = await api.send({ method: 'POST', path: `${MAPS}?fieldValidation=Strict`, contentType, body })
  expect(answer).toMatchObject({ status: 201, body: { metadata: { name: 'a' } }, warnings: [] })
})

describe('options of a write', () => {
  it.each(['?dryRun', '?dryRun='])('%s is no dry run (W-388, W-635, D21)', async (query) => {
    expect((await make(`${MAPS}${query}`, map({}))).status).toBe(201)
    expect((await send('GET', `${MAPS}/a`)).status).toBe(200)
  })

  it.each(['force', 'force=true', 'force=false'])('%s is for applies alone (W-168)', async (option) => {
    await make(MAPS, map({}))
    expect(await send('PATCH', `${MAPS}/a?${option}`, {})).toMatchObject({
      status: 422,
      body: {
        message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
        details: { kind: 'PatchOptions' },
      },
    })
  })
})

describe('a patch', () => {
  it('may replace the whole document, if it stays the same object (W-177)', async () => {
    await make(MAPS, map({ x: '1' }))
    const replace = (value: object): Promise<Answer> =>
      send('PATCH', `${MAPS}/a`, [{ op: 'replace', path: '', value }], JSON_PATCH)
    expect((await replace(map({ y: '2' }))).body['data']).toEqual({ y: '2' })
    expect(await replace(map({}, { name: 'b' }))).toMatchObject({
      status: 400,
      body: { message: 'the name of the object (b) does not match the name on the URL (a)' },
    })
  })

  it.each([
    ['no version', null, 422, 200],
    ['an empty version', '', 422, 200],
    ['a word for a version', 'abc', 400, 400],
  ])('with %s is judged by the kind (W-164)', async (_name, resourceVersion, ofLease, ofMap) => {
    await make(MAPS, map({}))
    await make(LEASES, { metadata: { name: 'a' } })
    const patch = { metadata: { resourceVersion, labels: { a: 'b' } } }
    expect((await send('PATCH', `${LEASES}/a`, patch)).status).toBe(ofLease)
    expect((await send('PATCH', `${MAPS}/a`, patch)).status).toBe(ofMap)
  })

  it('finds the port of a service by its number alone (W-212)', async () => {
    await make(SERVICES, { metadata: { name: 's' }, spec: { ports: [{ name: 'dns', port: 53, protocol: 'TCP' }] } })
    const { body } = await send(
      'PATCH',
      `${SERVICES}/s`,
      { spec: { ports: [{ port: 53, protocol: 'UDP' }] } },
      STRATEGIC,
    )
    expect(body['spec']).toMatchObject({ ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })
  })
})

describe('an apply', () => {
  const apply = (who: string, body: object | string): Promise<Answer> =>
    send('PATCH', `${MAPS}/a?fieldManager=${who}`, body, APPLY)

  it('tells of conflicts before it tells of odd fields (W-232)', async () => {
    await apply('one', map({ x: '1' }))
    const twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"3","x":"2"}}'
    expect((await apply('two&fieldValidation=Strict', twice)).status).toBe(409)
  })

  it('that is only tried merges, conflicts, and stores nothing (W-234)', async () => {
    expect(await apply('one&dryRun=All', map({ x: '1' }))).toMatchObject({ status: 201, body: { data: { x: '1' } } })
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
    await apply('one', map({ x: '1' }))
    expect((await apply('two&dryRun=All', map({ x: '2' }))).status).toBe(409)
    expect((await apply('one&dryRun=All', map({ x: '3' }))).body['data']).toEqual({ x: '3' })
    expect((await send('GET', `${MAPS}/a`)).body['data']).toEqual({ x: '1' })
  })

  it('by kubectl writes down what it applied, where there is room for it (W-288, W-289)', async () => {
    const before = { annotations: { [LAST_APPLIED]: JSON.stringify(map({ x: '1' })) } }
    await make(`${MAPS}?fieldManager=kubectl-client-side-apply`, map({ x: '1' }, before))
    const annotations = ({ body }: Answer): unknown => (body['metadata'] as { annotations?: object }).annotations
    expect(annotations(await apply('kubectl', map({ x: '2' })))).toEqual({
      [LAST_APPLIED]: '{"apiVersion":"v1","data":{"x":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    })
    expect(annotations(await apply('kubectl', map({ x: '2', large: 'y'.repeat(270_000) })))).toBeUndefined()
  })
})

it('of many who write the status the oldest are folded into one who writes the object (W-285)', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await make(DEPLOYMENTS, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } })
  const conditions: object[] = []
  for (let i = 0; i < 12; i++) {
    await api.clock.advance('60s')
    conditions.push({ type: `T${i}`, status: 'True' })
    await send('PATCH', `${DEPLOYMENTS}/d/status?fieldManager=m${i}`, { status: { conditions } })
  }
  const { metadata } = (await send('GET', `${DEPLOYMENTS}/d`)).body as unknown as {
    readonly metadata: { readonly managedFields: readonly { manager: string; subresource?: string }[] }
  }
  const [oldest, ...others] = metadata.managedFields.map(({ manager, subresource = '' }) => `${manager} ${subresource}`)
  expect(oldest).toBe('ancient-changes ')
  expect(others).toEqual(Array.from({ length: 9 }, (_, i) => `m${i + 3} status`))
})
