// Watches and stores that tests break in a server of theirs, as an informer sees it: it misses nothing in the end.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Client, k8s, type Stored } from '../../src/client/client.ts'
import type { Server } from '../../src/index.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { MAPS, mapsOf, newServer, plain, shown } from '../rigs/library-server.ts'
import type { ServerCall } from '../rigs/running-server.ts'

type ConfigMap = Stored<k8s.ConfigMap>

/** What an informer was told: `add a`, `update a`, `delete a`. */
async function follow(server: Server, onError: (error: unknown) => void = () => {}) {
  const client = server.client()
  const maps = client.resource(k8s.ConfigMap).inNamespace('default')
  const informer = maps.informer({ fieldSelector: 'metadata.name!=kube-root-ca.crt', onError }).start()
  onTestFinished(() => informer.stop())
  const told: string[] = []
  const note = (what: string) => (object: ConfigMap) => void told.push(`${what} ${object.metadata.name}`)
  informer.addHandler({ add: note('add'), update: (_, object) => note('update')(object), delete: note('delete') })
  await informer.waitForSync()
  return { informer, told, overtaken: await overtaking(client) }
}

/**
 * A function that makes a secret and resolves when an informer of the same client is told of it: by then the client would have been told of
 * every earlier change, too.
 */
async function overtaking(client: Client): Promise<() => Promise<void>> {
  const secrets = client.resource(k8s.Secret).inNamespace('default')
  const informer = secrets.informer().start()
  onTestFinished(() => informer.stop())
  const added = new Set<string>()
  informer.addHandler({ add: ({ metadata }) => void added.add(metadata.name) })
  await informer.waitForSync()
  return async () => {
    const { metadata } = await secrets.create({ metadata: { generateName: 'after-' } })
    await expect.poll(() => added).toContain(metadata.name)
  }
}

describe('watches', () => {
  it('are cut, and those of others are not', async () => {
    const server = await newServer()
    const { told } = await follow(server)
    const secrets = server.client().resource(k8s.Secret).informer().start()
    onTestFinished(() => secrets.stop())
    await secrets.waitForSync()
    const opened = server.faults.delay({ verb: 'watch' }, { milliseconds: 0, times: 'always' })
    expect(server.faults.watches({ resource: 'configmaps', user: 'nobody' }).cut().hits).toBe(0)
    expect(server.faults.watches({ kind: 'ConfigMap' }).cut().hits).toBe(1)
    await mapsOf(server).create({ metadata: { name: 'a' } })
    await expect.poll(() => told).toEqual(['add a'])
    expect(opened.hits).toBe(1)
  })

  it('are frozen and thawed: nothing comes, and then all of it', async () => {
    const server = await newServer()
    const { told, overtaken } = await follow(server)
    const frozen = server.faults.watches({ resource: 'configmaps' }).freeze()
    expect(frozen.hits).toBe(1)
    const maps = mapsOf(server)
    for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name } })
    await overtaken()
    expect(told).toEqual([])
    frozen.remove()
    await expect.poll(() => told).toEqual(['add a', 'add b', 'add c'])
    await maps.delete('b')
    await expect.poll(() => told.at(-1)).toBe('delete b')
  })

  it('that are opened while they are frozen are frozen too, and can be cut', async () => {
    const server = await newServer()
    const frozen = server.faults.watches({ resource: 'configmaps' }).freeze()
    const client = server.client()
    const informer = client
      .resource(k8s.ConfigMap)
      .inNamespace('default')
      .informer({ onError: () => {} })
      .start()
    onTestFinished(() => informer.stop())
    await frozen.whenHit()
    const overtaken = await overtaking(client)
    await overtaken()
    expect(informer.hasSynced).toBe(false)
    server.faults.watches({ resource: 'configmaps' }).cut()
    await frozen.whenHit(2)
    frozen.remove()
    await informer.waitForSync(AbortSignal.timeout(60_000))
  })

  it('are slow, event by event', async () => {
    const server = await newServer()
    const { told } = await follow(server)
    const slow = server.faults.watches({ resource: 'configmaps' }).slow({ milliseconds: 300 })
    const began = performance.now()
    for (const name of ['a', 'b']) await mapsOf(server).create({ metadata: { name } })
    await expect.poll(() => told, { interval: 5 }).toEqual(['add a', 'add b'])
    expect(performance.now() - began).toBeGreaterThan(590)
    slow.remove()
    const after = performance.now()
    const names = Array.from({ length: 50 }, (_, i) => `fast-${i}`)
    for (const name of names) await mapsOf(server).create({ metadata: { name } })
    await expect.poll(() => told, { interval: 5 }).toHaveLength(2 + names.length)
    expect(performance.now() - after).toBeLessThan(300 * names.length)
  })

  it('lose events and end with 410, and an informer finds out what it missed', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    await maps.create({ metadata: { name: 'gone' } })
    const { informer, told, overtaken } = await follow(server)
    const lists = server.faults.delay({ verb: 'watch' }, { milliseconds: 0, times: 'always' })
    const loss = server.faults.watches({ resource: 'configmaps' }).dropEvents({ events: 2 })
    await maps.delete('gone')
    await overtaken()
    expect([loss.hits, told, informer.size]).toEqual([0, ['add gone'], 1])
    await maps.create({ metadata: { name: 'new' } })
    await loss.whenHit()
    await expect.poll(() => told).toEqual(['add gone', 'delete gone', 'add new'])
    expect([lists.hits, loss.hits]).toEqual([1, 1])
  })

  it('that were to lose events lose none where the fault is removed before', async () => {
    const server = await newServer()
    const { told, overtaken } = await follow(server)
    const loss = server.faults.watches({ resource: 'configmaps' }).dropEvents({ events: 2 })
    await mapsOf(server).create({ metadata: { name: 'a' } })
    await overtaken()
    expect(told).toEqual([])
    loss.remove()
    await expect.poll(() => told).toEqual(['add a'])
  })

  it('show the 410 as the last event of their stream, in the server’s words', async () => {
    const server = await newServer()
    const api = plain(server)
    using record = server.recordRequests()
    const stream = api.request(`${MAPS}?watch=true&resourceVersion=0&timeoutSeconds=20`)
    await expect.poll(() => record.requests.at(-1)?.status).toBe(200)
    const loss = server.faults.watches().dropEvents()
    const { metadata } = await mapsOf(server).create({ metadata: { name: 'a' } })
    const lines = (await stream).body.trimEnd().split('\n')
    const last = JSON.parse(lines.at(-1)!) as object
    const revision = Number(metadata.resourceVersion)
    expect(last).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired', message: `too old resource version: ${revision - 1} (${revision})` },
    })
    expect(loss.hits).toBe(1)
  })

  it('are found by name, user and namespace', async () => {
    const server = await newServer({ users: [{ name: 'ann', groups: ['system:masters'] }] })
    const api = plain(server)
    const pinned = plain(server, 'ann').request(`${MAPS}?watch=true&fieldSelector=metadata.name%3Da&timeoutSeconds=20`)
    const cutOff = expect(pinned).rejects.toThrow()
    const { faults } = server
    const probe = faults.hold({ verb: 'list', resource: 'secrets' })
    const waiting = api.must('/api/v1/secrets')
    await probe.whenHit()
    await expect
      .poll(() => faults.watches({ user: 'ann', name: 'a', namespace: 'default' }).slow({ milliseconds: 0 }).hits)
      .toBe(1)
    expect(faults.watches({ name: 'b' }).cut().hits).toBe(0)
    expect(faults.watches({ namespace: 'other' }).cut().hits).toBe(0)
    expect(faults.watches({ resource: 'configmaps', namespace: 'default', name: 'a', user: 'ann' }).cut().hits).toBe(1)
    await cutOff
    faults.clear()
    await waiting
  })
})

describe('a stale replica', () => {
  it('answers from the past until it is released, but for consistent reads', async () => {
    const server = await newServer()
    const api = plain(server)
    const { told } = await follow(server)
    const maps = mapsOf(server)
    await maps.create({ metadata: { name: 'old' } })
    await expect.poll(() => told).toEqual(['add old'])
    const stale = server.faults.staleReplica()
    const { metadata } = await maps.create({ metadata: { name: 'new' } })
    const namesOf = async (query: string) => {
      const { items } = (await api.must(`${MAPS}${query}`)) as { items: { metadata: { name: string } }[] }
      return items.map((item) => item.metadata.name)
    }
    expect(await namesOf('?resourceVersion=0')).toEqual(['kube-root-ca.crt', 'old'])
    expect(await namesOf('')).toEqual(['kube-root-ca.crt', 'new', 'old'])
    expect((await api.request(`${MAPS}/new?resourceVersion=0`)).status).toBe(404)
    expect((await api.request(`${MAPS}/new`)).status).toBe(200)
    expect((await api.request(`${MAPS}?resourceVersion=${metadata.resourceVersion}`)).json()).toMatchObject({
      code: 504,
      message: expect.stringContaining('Too large resource version') as string,
    })
    // Its own writes go on, on top of each other.
    await maps.patch('new', { data: { text: 'x' } })
    // In each of these turns the informer would be told.
    for (let i = 0; i < 20; i++) expect(await namesOf('?resourceVersion=0')).toEqual(['kube-root-ca.crt', 'old'])
    expect(told).toEqual(['add old'])
    expect(stale.hits).toBeGreaterThan(0)
    stale.remove()
    await expect.poll(() => told).toEqual(['add old', 'add new', 'update new'])
    expect(await namesOf('?resourceVersion=0')).toEqual(['kube-root-ca.crt', 'new', 'old'])
  })
})

describe('a store that goes away', () => {
  it('fails writes and consistent reads, stalls watches, and comes back with everything', async () => {
    const server = await newServer()
    const api = plain(server)
    const errors: unknown[] = []
    const { told } = await follow(server, (error) => errors.push(error))
    const maps = mapsOf(server)
    await maps.create({ metadata: { name: 'a' } })
    await expect.poll(() => told).toEqual(['add a'])
    const outage = server.faults.storeOutage()
    const create = await api.request(MAPS, { method: 'POST', body: { metadata: { name: 'b' } } })
    expect(create.json()).toMatchObject({
      code: 500,
      reason: 'ServerTimeout',
      message: 'The create operation against configmaps could not be completed at this time, please try again.',
      details: { name: 'create', kind: 'configmaps', retryAfterSeconds: 2 },
    })
    expect((await api.request(`${MAPS}/a`)).json()).toMatchObject({ reason: 'ServerTimeout', details: { name: 'get' } })
    expect((await api.request(MAPS)).json()).toMatchObject({ reason: 'ServerTimeout', details: { name: 'list' } })
    expect((await api.request(`${MAPS}/a?resourceVersion=0`)).status).toBe(200)
    expect((await api.request('/readyz')).status).toBe(500)
    expect(outage.hits).toBeGreaterThan(3)
    outage.remove()
    expect((await api.request('/readyz')).status).toBe(200)
    await maps.create({ metadata: { name: 'b' } })
    await expect.poll(() => told).toEqual(['add a', 'add b'])
    expect(errors).toEqual([])
  })

  it('is gone as a real etcd is that was killed', async () => {
    const store = await startEtcd()
    onTestFinished(() => store[Symbol.asyncDispose]())
    const server = await newServer({ flags: { 'etcd-servers': store.endpoint } })
    const api = plain(server)
    await mapsOf(server).create({ metadata: { name: 'a' } })
    const errors: unknown[] = []
    const { told } = await follow(server, (error) => errors.push(error))
    const asked = (
      [
        [MAPS, { method: 'POST', body: { metadata: { name: 'b' } } }],
        [`${MAPS}/a`, { method: 'PUT', body: { metadata: { name: 'a' } } }],
        [`${MAPS}/a`, { method: 'DELETE' }],
        [`${MAPS}/a`, {}],
        [MAPS, {}],
        [`${MAPS}?limit=1`, {}],
        [`${MAPS}/a?resourceVersion=0`, {}],
        ['/readyz', {}],
      ] as [string, ServerCall][]
    ).map(([path, call]) => ({ path, call }))
    // All at once: a real one is only given up after a while.
    const answers = () => Promise.all(asked.map(async ({ path, call }) => shown(await api.request(path, call))))
    const outage = server.faults.storeOutage()
    const injected = await answers()
    outage.remove()
    await store.kill()
    const real = await answers()
    await store.start()
    expect(injected).toEqual(real)
    await expect.poll(async () => (await api.request('/readyz')).status).toBe(200)
    await mapsOf(server).delete('a')
    await expect.poll(() => told).toEqual(['add a', 'delete a'])
    expect(errors).toEqual([])
  }, 60_000)
})
