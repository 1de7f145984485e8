// A kind that is defined at one replica, at all of them.
import { expect, it } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const GROUP = 'stable.example.com'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const FOOS = `/apis/${GROUP}/v1/namespaces/default/foos`

it('a new kind can be used at every replica by who was told that it is there, and goes everywhere (D30)', async () => {
  await using etcd = await startEtcd()
  const open = (): Promise<OpenServer> => openServer(['--in-memory=false', '--etcd-servers', etcd.endpoint])
  await using first = await open()
  await using second = await open()
  const schema = (properties: object): object => ({ openAPIV3Schema: { type: 'object', properties } })
  const spec = (properties: object): object => ({
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: [{ name: 'v1', served: true, storage: true, schema: schema(properties) }],
  })
  const size = { size: { type: 'integer' } }
  await first.must(CRD, {
    method: 'POST',
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `foos.${GROUP}` },
      spec: spec(size),
    },
  })
  // The first requests that come: neither replica says that it knows no such thing.
  const [made, listed] = await Promise.all([
    second.request(FOOS, {
      method: 'POST',
      body: { apiVersion: `${GROUP}/v1`, kind: 'Foo', metadata: { name: 'a' }, size: 1 },
    }),
    first.request(FOOS),
  ])
  expect([made.status, listed.status]).toEqual([201, 200])
  expect(await first.must(`${FOOS}/a`)).toMatchObject({ size: 1 })

  const headers = { 'content-type': 'application/merge-patch+json' }
  const colour = { type: 'string', default: 'red' }
  await second.must(`${CRD}/foos.${GROUP}`, { method: 'PATCH', headers, body: { spec: spec({ ...size, colour }) } })
  await expect.poll(() => first.must(`${FOOS}/a`)).toMatchObject({ colour: 'red' })

  await first.must(`${CRD}/foos.${GROUP}`, { method: 'DELETE' })
  await expect.poll(async () => (await second.request(FOOS)).status).toBe(404)
  await expect.poll(async () => (await first.request(FOOS)).status).toBe(404)
})
