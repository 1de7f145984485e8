// Objects that the storage takes only without their managed fields, in every store and by every verb.
import { describe, expect, it } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openReplica, type OpenServer, openServer, openServerWith } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const JSON_PATCH = { 'content-type': 'application/json-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

/** More than half of what the storage takes; their keys are in the managed fields once more. */
const data: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 4_000 }, (_, index) => [`${'k'.repeat(200)}${String(index).padStart(5, '0')}`, '']),
)

interface Made {
  readonly data: object
  readonly metadata: { readonly resourceVersion: string; readonly managedFields?: unknown }
}

/** What is read back is what was written, without managed fields, by a GET and in a list. */
async function expectBare(server: OpenServer, path: string, answer: Made, expected: object): Promise<void> {
  expect(answer.metadata).not.toHaveProperty('managedFields')
  const read = (await server.must(path)) as unknown as Made
  expect(read).toEqual(answer)
  expect(read.metadata).not.toHaveProperty('managedFields')
  expect(read).toMatchObject(expected)
  const query = `fieldSelector=metadata.name%3D${path.slice(path.lastIndexOf('/') + 1)}`
  const { items } = (await server.must(`${path.slice(0, path.lastIndexOf('/'))}?${query}`)) as { items: Made[] }
  expect(items).toEqual([expect.objectContaining({ metadata: read.metadata, ...expected })])
}

async function defineWidgets(server: OpenServer): Promise<void> {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }
  const names = { plural: 'widgets', kind: 'Widget' }
  const spec = { group: 'example.com', names, scope: 'Namespaced', versions: [version] }
  const body = { metadata: { name: 'widgets.example.com' }, spec }
  await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body })
  await expect.poll(async () => (await server.request(WIDGETS)).status).toBe(200)
}

async function expectFitting(server: OpenServer): Promise<void> {
  const write = async (method: string, path: string, body: object, headers = {}): Promise<Made> =>
    (await server.must(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })) as unknown as Made
  const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  await expectBare(server, `${MAPS}/created`, await write('POST', MAPS, map('created')), { data })
  // A write that changes nothing writes nothing.
  const { metadata } = await write('PUT', `${MAPS}/created`, map('created'))
  expect(metadata).toEqual(((await server.must(`${MAPS}/created`)) as unknown as Made).metadata)
  for (const name of ['updated', 'merged', 'patched', 'applied']) {
    await write('POST', MAPS, { metadata: { name }, data: { first: '' } })
  }
  await expectBare(server, `${MAPS}/updated`, await write('PUT', `${MAPS}/updated`, map('updated')), { data })
  const both = { data: { first: '', ...data } }
  await expectBare(server, `${MAPS}/merged`, await write('PATCH', `${MAPS}/merged`, { data }, MERGE), both)
  const operations = [{ op: 'replace', path: '/data', value: data }]
  await expectBare(server, `${MAPS}/patched`, await write('PATCH', `${MAPS}/patched`, operations, JSON_PATCH), { data })
  const apply = { method: 'PATCH', headers: APPLY, body: JSON.stringify(map('applied')) }
  expect((await server.request(`${MAPS}/applied?fieldManager=m&force=true`, apply)).status).toBe(413)
  await expect(server.must(`${MAPS}/applied`)).resolves.toMatchObject({ data: { first: '' } })
  const dryRun = await write('POST', `${MAPS}?dryRun=All`, map('tried'))
  expect(Object.keys(dryRun.data)).toHaveLength(4_000)
  await defineWidgets(server)
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }
  await write('POST', WIDGETS, widget)
  const status = await write('PATCH', `${WIDGETS}/w/status`, { status: data }, MERGE)
  await expectBare(server, `${WIDGETS}/w`, status, { status: data })
}

describe('an object that fits only without its managed fields is stored without them (W-029, W-236)', () => {
  it('in memory', async () => {
    await using server = await openServer()
    await expectFitting(server)
  })

  it('in the embedded store', async () => {
    await using server = await openServerWith(['--data-dir', await tempFolder()], {})
    await expectFitting(server)
  })

  it('in etcd', async () => {
    await using etcd = await startEtcd()
    await using server = await openReplica(etcd.endpoint)
    await expectFitting(server)
  })
})
