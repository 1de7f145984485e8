// Which requests a fault is for: each member of a match is shown to match and to leave others alone.
import { describe, expect, it } from 'vitest'
import { newServer, plain } from '../rigs/library-server.ts'

describe('a fault matches', () => {
  const USERS = [
    { name: 'ann', groups: ['system:masters'] },
    { name: 'bob', groups: ['system:masters'] },
  ]

  const deployment = (name: string) => ({
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })

  const PLACES = {
    list: 'GET /apis/apps/v1/namespaces/default/deployments',
    web: 'GET /apis/apps/v1/namespaces/default/deployments/web',
    db: 'GET /apis/apps/v1/namespaces/default/deployments/db',
    status: 'GET /apis/apps/v1/namespaces/default/deployments/web/status',
    scale: 'GET /apis/apps/v1/namespaces/default/deployments/web/scale',
    elsewhere: 'GET /apis/apps/v1/namespaces/other/deployments/web',
    everywhere: 'GET /apis/apps/v1/deployments',
    pinned: 'GET /apis/apps/v1/deployments?fieldSelector=metadata.name%3Dweb',
    apply: 'PATCH /apis/apps/v1/namespaces/default/deployments/web?dryRun=All',
    maps: 'GET /api/v1/namespaces/default/configmaps',
    version: 'GET /version',
    bob: 'GET /apis/apps/v1/namespaces/default/deployments/web',
  }

  it.each<[object, readonly (keyof typeof PLACES)[]]>([
    [{}, ['list', 'web', 'db', 'status', 'scale', 'elsewhere', 'everywhere', 'pinned', 'apply', 'maps', 'bob']],
    [{ verb: 'list' }, ['list', 'everywhere', 'pinned', 'maps']],
    [{ verb: ['patch', 'list'], resource: 'deployments.apps' }, ['list', 'everywhere', 'pinned', 'apply']],
    [{ resource: 'deployments' }, ['list', 'web', 'db', 'elsewhere', 'everywhere', 'pinned', 'apply', 'bob']],
    [{ kind: 'Deployment', name: 'web' }, ['web', 'elsewhere', 'pinned', 'apply', 'bob']],
    [{ kind: 'Deployment.apps', namespace: 'other' }, ['elsewhere']],
    [{ resource: 'deployments', subresource: 'status' }, ['status']],
    [
      { resource: 'deployments', subresource: '*', name: 'web', namespace: 'default', verb: 'get' },
      ['web', 'status', 'scale', 'bob'],
    ],
    [{ user: 'bob' }, ['bob']],
    [{ resource: 'configmaps' }, ['maps']],
  ])('%o', async (match, places) => {
    const server = await newServer({ users: USERS })
    const api = plain(server, 'ann')
    await api.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'other' } } })
    for (const [namespace, name] of [
      ['default', 'web'],
      ['default', 'db'],
      ['other', 'web'],
    ] as const) {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
      await api.must(path, { method: 'POST', body: deployment(name) })
    }
    const fault = server.faults.fail(match, { status: 500, times: 'always' })
    const failed: string[] = []
    for (const [place, line] of Object.entries(PLACES)) {
      const [method = '', path = ''] = line.split(' ')
      const patch = { headers: { 'content-type': 'application/merge-patch+json' }, body: '{}' }
      const { token } = server.credentials(place === 'bob' ? 'bob' : 'ann')
      const { status } = await api.request(path, { method, token, ...(method === 'PATCH' ? patch : {}) })
      if (status === 500) failed.push(place)
      else expect([place, status]).toEqual([place, 200])
    }
    expect(failed).toEqual(places)
    expect(fault.hits).toBe(places.length)
  })

  it('objects of custom resources, and creates by their names', async () => {
    const server = await newServer()
    const api = plain(server)
    const name = 'lamps.example.com'
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
    const names = { plural: 'lamps', kind: 'Lamp' }
    expect(() => server.faults.fail({ resource: name }, { status: 500 })).toThrow(`no resource "${name}"`)
    await api.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      body: { metadata: { name }, spec: { group: 'example.com', names, scope: 'Namespaced', versions: [version] } },
    })
    const path = '/apis/example.com/v1/namespaces/default/lamps'
    await expect.poll(async () => (await api.request(path)).status).toBe(200)
    const fault = server.faults.fail({ verb: 'create', kind: 'Lamp', name: 'two' }, { status: 409, times: 'always' })
    const lamp = (called: string) => ({
      method: 'POST',
      body: { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: called } },
    })
    expect((await api.request(path, lamp('one'))).status).toBe(201)
    expect((await api.request(path, lamp('two'))).json()).toMatchObject({
      message: 'lamps.example.com "two" already exists',
    })
    expect((await api.request(path, { method: 'POST', body: '{' })).status).toBe(400)
    expect(fault.hits).toBe(1)
  })
})
