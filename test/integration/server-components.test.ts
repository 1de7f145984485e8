// Component statuses of a running server: what is made for each reader.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const PLACE = '/api/v1/componentstatuses'

describe('component statuses', () => {
  let server: OpenServer
  beforeAll(async () => {
    server = await openServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('are those of the storage and of the components on this machine', async () => {
    const list = await server.must(PLACE)
    expect(list).toMatchObject({ kind: 'ComponentStatusList', apiVersion: 'v1' })
    expect(list['metadata']).not.toHaveProperty('resourceVersion')
    const items = list['items'] as readonly { readonly metadata: { readonly name: string } }[]
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['controller-manager', 'scheduler', 'etcd-0'])
    expect(items[2]).toEqual({
      metadata: { name: 'etcd-0' },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    })
  })

  it('are read by name (R-273, W-424)', async () => {
    const answer = await server.request(`${PLACE}/etcd-0`)
    expect(answer.headers['warning']).toContain('v1 ComponentStatus is deprecated in v1.19+')
    expect(answer.json()).toMatchObject({ kind: 'ComponentStatus', metadata: { name: 'etcd-0' } })
    expect((await server.request(`${PLACE}/x`)).json()).toMatchObject({
      code: 404,
      message: 'componentstatus "x" not found',
      details: { name: 'x', kind: 'componentstatus' },
    })
  })

  it.each([
    ['fieldSelector=metadata.name%3Detcd-0', ['etcd-0']],
    ['fieldSelector=metadata.name%3Dnobody', []],
    ['labelSelector=a%3Db', []],
  ])('are selected by %s', async (query, names) => {
    const { items } = (await server.must(`${PLACE}?${query}`)) as { items?: readonly { metadata: { name: string } }[] }
    expect(items?.map(({ metadata }) => metadata.name)).toEqual(names)
  })

  it.each(['application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;g=meta.k8s.io;v=v1'])(
    'are shown as %s',
    async (accept) => {
      const answer = await server.request(`${PLACE}?fieldSelector=metadata.name%3Detcd-0`, { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.body).toContain('etcd-0')
    },
  )
})
