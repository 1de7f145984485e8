// The forms that lists, watches and single objects have, and what is told where they have none.
import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const STATE = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
  await api.send({ method: 'POST', path: MAPS, body: { metadata: { name: 'a' } } })
})

describe('a watch that ends at once', () => {
  it('tells in the stream that the version is not there yet', async () => {
    const { status, body } = await api.send({ method: 'GET', path: `${MAPS}?${STATE}&resourceVersion=999999` })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      type: 'ERROR',
      object: { reason: 'Timeout', code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    })
  })

  it('has no event in the form of a list of metadata', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
    const answer = await api.send({ method: 'GET', path: `${MAPS}?${STATE}`, accept })
    expect(answer).toMatchObject({ status: 200, body: {} })
  })

  it.each([
    ['resourceVersion=abc', 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
    ['labelSelector=%3D', "found '=', expected: !, identifier, or 'end of string'"],
    ['timeoutSeconds=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('is refused instead: %s', async (query, message) => {
    const answer = await api.send({ method: 'GET', path: `${MAPS}?watch=1&${query}` })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  })
})

describe('a list in the form of one object', () => {
  it.each([
    [MAPS, '*core.ConfigMapList'],
    ['/apis/apps/v1/deployments', '*apps.DeploymentList'],
    ['/apis/events.k8s.io/v1/events', '*core.EventList'],
    ['/apis/rbac.authorization.k8s.io/v1/roles', '*rbac.RoleList'],
  ])('%s', async (path, type) => {
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
    const { status, body } = await api.send({ method: 'GET', path, accept })
    expect(status).toBe(406)
    expect(body['message']).toBe(`you requested PartialObjectMetadata, but the requested object is a list (${type})`)
  })
})

describe('a type that is not served', () => {
  const three = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
  const five = `${three}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`
  it.each([
    [`GET ${MAPS}`, five],
    [`GET ${MAPS}?watch=1`, five],
    ['GET /api/v1/watch/namespaces/ns/configmaps/a', five],
    [`GET ${MAPS}/a`, three],
    [`POST ${MAPS}`, three],
    [`DELETE ${MAPS}`, three],
  ])('%s', async (line, types) => {
    const [method = '', path = ''] = line.split(' ')
    const { status, body } = await api.send({ method, path, accept: 'text/html', body: { metadata: { name: 'b' } } })
    expect(status).toBe(406)
    expect(body['message']).toBe(`406: Not Acceptable\n\nAvailable representations: ${types}`)
  })
})

describe('a kind that is stored in another version', () => {
  it('has in YAML what it has in JSON', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'ns', name: 'p' }
    const body = {
      metadata: { name: 'e' },
      involvedObject,
      series: { lastObservedTime: '2026-01-02T03:04:05.000000Z' },
    }
    await api.send({ method: 'POST', path: '/api/v1/namespaces/ns/events', body })
    const path = '/apis/events.k8s.io/v1/namespaces/ns/events'
    for (const place of [path, `${path}/e`]) {
      const json = await api.send({ method: 'GET', path: place })
      const yaml = await api.send({ method: 'GET', path: place, accept: 'application/yaml' })
      expect(json.body).toMatchObject(place === path ? { items: [{ series: { count: 0 } }] } : { series: { count: 0 } })
      expect(yaml.body).toEqual(json.body)
    }
  })
})

describe('the table of a kind that is stored in another version', () => {
  it('shows what that version has', async () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
      { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
    ]
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
    const body = { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3, metrics } }
    const autoscalers = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/ns/horizontalpodautoscalers`
    await api.send({ method: 'POST', path: autoscalers('v2'), body })
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
    for (const path of [autoscalers('v1'), `${autoscalers('v1')}/h`, autoscalers('v2')]) {
      const { rows } = (await api.send({ method: 'GET', path, accept })).body as {
        rows: readonly { cells: unknown[] }[]
      }
      expect(rows[0]?.cells[2]).toBe('memory: <unknown>/100Mi, <unknown>/5')
    }
  })
})

describe('the table of a subresource that has none', () => {
  it('is refused', async () => {
    const body = { metadata: { name: 'v1.x.example.com' }, spec: { group: 'x.example.com', version: 'v1' } }
    const path = '/apis/apiregistration.k8s.io/v1/apiservices'
    const spec = { ...body.spec, groupPriorityMinimum: 1, versionPriority: 1 }
    await api.send({ method: 'POST', path, body: { ...body, spec } })
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
    const shown = await api.send({ method: 'GET', path: `${path}/v1.x.example.com`, accept })
    expect(shown.body['kind']).toBe('Table')
    const refused = await api.send({ method: 'GET', path: `${path}/v1.x.example.com/status`, accept })
    expect(refused.status).toBe(406)
  })
})
