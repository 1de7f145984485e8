// Queries of `quarterdeck/client`, over sockets and in its process.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client, k8s } from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'

let server: Server
const clients: Client[] = []

beforeAll(async () => {
  server = await startServer()
  clients.push(new Client(server.credentials()), server.client())
  const pods = server.client().resource(k8s.Pod).inNamespace('default')
  await server
    .client()
    .resource(k8s.ServiceAccount)
    .inNamespace('default')
    .apply({ metadata: { name: 'default' } }, { fieldManager: 'test' })
  for (const [name, nodeName, cpu] of [
    ['a', 'n1', '500m'],
    ['b', 'n2', '2'],
    ['c', 'n1', '1500m'],
  ] as const) {
    const requests = { cpu }
    await pods.create({
      metadata: { name, labels: { app: name === 'a' ? 'web' : 'db' } },
      spec: { nodeName, containers: [{ name: 'c', image: 'i', resources: { requests } }] },
    })
  }
})

afterAll(async () => {
  for (const client of clients) client.close()
  await server.stop()
})

describe.each([
  ['over a socket', 0],
  ['in its process', 1],
])('queries, %s', (_, which) => {
  const pods = () => clients[which]!.resource(k8s.Pod)
  const names = (items: readonly { readonly metadata: { readonly name?: string } }[]) =>
    items.map(({ metadata }) => metadata.name)

  it('selects, sorts and pages', async () => {
    const where = "object.spec.nodeName == 'n1'"
    expect(names((await pods().list({ where })).items)).toEqual(['a', 'c'])
    expect(names((await pods().list({ where, labelSelector: { app: 'db' } })).items)).toEqual(['c'])
    const orderBy = ['spec.nodeName desc', 'spec.containers[0].resources.requests.cpu desc']
    const sorted = await pods().list({ orderBy })
    expect(names(sorted.items)).toEqual(['b', 'c', 'a'])
    expect(sorted.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' })
    const pages: unknown[] = []
    for await (const { items } of pods().pages({ orderBy, limit: 2 })) pages.push(names(items))
    expect(pages).toEqual([['b', 'c'], ['a']])
  })

  it('selects fields', async () => {
    const { items } = await pods().select(['spec.nodeName', 'metadata.labels.app'], { orderBy: 'metadata.name desc' })
    expect(items[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'c',
        namespace: 'default',
        labels: { app: 'db' },
        resourceVersion: expect.stringMatching(/^\d+$/) as string,
      },
      spec: { nodeName: 'n1' },
    })
    const node: string | undefined = items[0]?.spec?.nodeName
    expect(node).toBe('n1')
  })

  it('counts and groups', async () => {
    expect(await pods().count()).toBe(3)
    expect(await pods().count({ where: "object.spec.nodeName == 'n1'" })).toBe(2)
    const sum = 'spec.containers.resources.requests.cpu'
    expect(await pods().groups({ by: 'spec.nodeName', sum, orderBy: 'count desc' })).toEqual([
      { group: { 'spec.nodeName': 'n1' }, count: 2, sum: { [sum]: '2' } },
      { group: { 'spec.nodeName': 'n2' }, count: 1, sum: { [sum]: '2' } },
    ])
  })

  it('watches what matches, and keeps a copy of it', async () => {
    const name = `w${which}`
    const where = `object.metadata.name == '${name}' && has(object.data) && 'on' in object.data`
    const maps = clients[which]!.resource(k8s.ConfigMap)
    await using informer = maps.informer({ where }).start()
    await informer.waitForSync()
    expect(informer.size).toBe(0)
    const { resourceVersion } = (await maps.list({ limit: 1 })).metadata
    const events = maps.watch({ where, resourceVersion })
    const first = events.next()
    const here = maps.inNamespace('default')
    await here.create({ metadata: { name } })
    await here.patch(name, { data: { on: '1' } })
    expect((await first).value).toMatchObject({ type: 'ADDED', object: { data: { on: '1' } } })
    await expect.poll(() => informer.size).toBe(1)
    await here.patch(name, { data: { on: null } })
    await expect.poll(() => informer.size).toBe(0)
    await events.return()
  })

  it('watches some fields only', async () => {
    const name = `s${which}`
    const maps = clients[which]!.resource(k8s.ConfigMap).inNamespace('default')
    const fieldSelector = { 'metadata.name': name }
    const { resourceVersion } = (await maps.list({ limit: 1 })).metadata
    const events = maps.watch({ fieldSelector, resourceVersion, select: 'data.shown' })
    const first = events.next()
    const { metadata } = await maps.create({ metadata: { name }, data: { shown: '1', other: '1' } })
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', resourceVersion: metadata.resourceVersion },
      data: { shown: '1' },
    }
    expect((await first).value).toEqual({ type: 'ADDED', object })
    await maps.patch(name, { data: { other: '2' } })
    const { metadata: last } = await maps.patch(name, { data: { shown: '2' } })
    const { value } = await events.next()
    expect(value).toMatchObject({ type: 'MODIFIED', object: { data: { shown: '2' } } })
    expect(value?.object.metadata.resourceVersion).toBe(last.resourceVersion)
    await events.return()
    const again = maps.watch({ fieldSelector, resourceVersion: metadata.resourceVersion, select: ['data.shown'] })
    expect((await again.next()).value).toMatchObject({ type: 'MODIFIED', object: { data: { shown: '2' } } })
    await again.return()
  })

  it('lists and follows what the caller may see', async () => {
    const jane = new Client({ ...server.credentials(), impersonate: { user: `jane${which}` } })
    clients.push(jane)
    await expect(jane.resource(k8s.Secret).list()).rejects.toThrow(/cannot list resource "secrets"/)
    expect((await jane.resource(k8s.Secret).list({ accessible: true })).items).toEqual([])
    expect(await jane.resource(k8s.Secret).count({ accessible: true })).toBe(0)
  })

  it.each([
    [() => pods().list({ where: undefined } as never), /the where is missing/],
    [() => pods().list({ wher: 'true' } as never), /there is no option "wher"; did you mean where/],
    [() => pods().groups({} as never), /the by is missing/],
    [() => pods().select([] as never), /fields must be the name of a field, or a list of names/],
    [() => pods().list({ where: 'object.spec.node == 1' }), /where: 1:12: undefined field 'node'/],
    [
      () =>
        pods()
          .inNamespace('default')
          .deleteCollection({ where: 'true' } as never),
      /there is no option "where"/,
    ],
  ])('refuses %s', async (call, message) => {
    await expect(call()).rejects.toThrow(message)
  })
})
