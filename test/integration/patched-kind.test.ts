// A patch that takes away or changes what an object says it is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const MAP = '/api/v1/namespaces/default/configmaps/a'
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/a'
const CUSTOM = '/apis/example.com/v1/namespaces/default/crons/a'

let server: OpenServer
afterAll(() => server[Symbol.asyncDispose]())

beforeAll(async () => {
  server = await openServer()
  const integer = { type: 'object', properties: { n: { type: 'integer' } } }
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: integer, status: integer } } },
  }
  const names = { plural: 'crons', kind: 'Cron' }
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] }
  await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'crons.example.com' },
    spec,
  })
  await make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { k: 'v' } })
  const labels = { a: 'b' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const selected = { selector: { matchLabels: labels }, template }
  await make('/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'a' }, spec: selected })
  const cron = { apiVersion: 'example.com/v1', kind: 'Cron', metadata: { name: 'a' }, spec: { n: 1 } }
  await make(CUSTOM.replace(/\/a$/, ''), cron)
})

async function make(path: string, body: object): Promise<void> {
  await server.must(path, { method: 'POST', body })
}

interface Told {
  readonly status: number
  readonly message: unknown
  readonly warnings: readonly string[]
}

async function patch(path: string, body: object, contentType = MERGE): Promise<Told> {
  const answer = await server.request(path, { method: 'PATCH', body, headers: { 'content-type': contentType } })
  const warnings = [answer.headers['warning'] ?? []].flat().flatMap((text) => text.split(/, (?=299 )/))
  // The object that was to be is told in it.
  const told = answer.json()['message']
  const message = (typeof told === 'string' ? told : '').replace(/"\{.*\}"/, 'OBJECT')
  return { status: answer.status, message, warnings }
}

const unknown = (...fields: readonly string[]): string[] =>
  fields.map((field) => `299 - "unknown field \\"${field}\\""`)
const nameless = 'the name of the object (a based on URL) was undeterminable: name must be provided'

describe('a built-in object', () => {
  it.each([
    ['both, by a merge patch', { kind: null, apiVersion: null }, MERGE],
    ['its version, by a merge patch', { apiVersion: null }, MERGE],
    ['its version, to nothing', { apiVersion: '' }, MERGE],
    ['its version, by a JSON patch', [{ op: 'remove', path: '/apiVersion' }], JSON_PATCH],
  ])('cannot lose %s', async (_, body, contentType) => {
    expect(await patch(MAP, body, contentType)).toEqual({
      status: 400,
      message: nameless,
      warnings: unknown('data', 'metadata'),
    })
    const fields = unknown('metadata', 'spec', 'status')
    for (const path of [DEPLOYMENT, `${DEPLOYMENT}/status`, `${DEPLOYMENT}/scale`])
      expect(await patch(path, body, contentType)).toEqual({ status: 400, message: nameless, warnings: fields })
  })

  it('is told what is odd about it where that is an error', async () => {
    expect(await patch(`${MAP}?fieldValidation=Strict`, { apiVersion: null })).toEqual({
      status: 422,
      message: ` "" is invalid: patch: Invalid value: OBJECT: strict decoding error: unknown field "data", unknown field "metadata"`,
      warnings: [],
    })
    expect(await patch(`${MAP}?fieldValidation=Ignore`, { apiVersion: null })).toMatchObject({ warnings: [] })
  })

  it.each([
    ['Other', 'no kind "Other" is registered for the internal version of group "apps"'],
    ['ReplicaSet', 'converting (apps.ReplicaSet) to (apps.Deployment): unknown conversion'],
  ])('does not become a %s for want of a version', async (kind, problem) => {
    expect(await patch(DEPLOYMENT, { apiVersion: null, kind })).toEqual({
      status: 422,
      message: ` "" is invalid: patch: Invalid value: OBJECT: ${problem}`,
      warnings: [],
    })
  })

  it('may lose its kind, and both where fields are merged by their strategies', async () => {
    expect((await patch(MAP, { kind: null })).status).toBe(200)
    expect((await patch(MAP, { kind: null, apiVersion: null }, STRATEGIC)).status).toBe(200)
  })

  it.each([
    [{ kind: 1 }, 'cannot convert int64 to string'],
    [{ apiVersion: [] }, 'unrecognized type: string'],
  ])('is not merged with %o', async (body, problem) => {
    expect(await patch(MAP, body, STRATEGIC)).toMatchObject({
      status: 422,
      message: expect.stringContaining(`: ${problem}`),
    })
  })
})

describe('a custom object', () => {
  it('cannot lose its kind or its version', async () => {
    const kindless = expect.stringContaining("Object 'Kind' is missing in")
    const message = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    for (const path of [CUSTOM, `${CUSTOM}/status`]) {
      expect(await patch(path, { kind: null, apiVersion: null })).toMatchObject({ status: 422, message: kindless })
      expect(await patch(path, { apiVersion: null })).toMatchObject({ status: 400, message })
      expect(await patch(path, [{ op: 'remove', path: '/apiVersion' }], JSON_PATCH)).toMatchObject({
        status: 400,
        message,
      })
    }
  })

  it('stays what it is, and nothing but the status is looked at where only that is meant', async () => {
    expect(await patch(CUSTOM, { kind: 'Other' })).toMatchObject({
      status: 422,
      message: 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Cron',
    })
    expect((await patch(`${CUSTOM}/status`, { kind: 'Other', apiVersion: 'v9', status: { n: 5 } })).status).toBe(200)
    expect((await patch(`${CUSTOM}/scale`, { kind: null, apiVersion: null })).status).toBe(200)
    const stored = await server.must(CUSTOM)
    expect(stored).toMatchObject({ kind: 'Cron', apiVersion: 'example.com/v1', spec: { n: 1 }, status: { n: 5 } })
  })
})
