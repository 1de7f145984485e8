// Servers that go on from a state in which something was still to be done: they do it, whether anybody writes to them or not.
import { describe, expect, it } from 'vitest'
import { ApiStatusError, type Client, k8s } from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'

/** Makes a state on a server without a controller, and goes on from it with one that has all of them. */
async function goOnFrom(without: string, prepare: (client: Client) => Promise<void>): Promise<Server> {
  await using before = await startServer({ flags: { controllers: `*,-${without}` } })
  await prepare(before.client())
  return startServer({ snapshot: before.snapshot() })
}

const mapsOf = (client: Client, namespace = 'default') => client.resource(k8s.ConfigMap).inNamespace(namespace)
const ownedBy = ({ metadata }: k8s.ConfigMap) => ({
  ownerReferences: [
    { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name!, uid: metadata.uid!, blockOwnerDeletion: true },
  ],
})

/** Asks until it is gone, and does nothing else. */
async function untilGone(get: () => Promise<unknown>): Promise<void> {
  const isThere = (): Promise<boolean> =>
    get().then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiStatusError && error.code === 404) return false
        throw error
      },
    )
  await expect.poll(isThere).toBe(false)
}

describe('a server that goes on from a state', () => {
  it('removes a namespace that was going, with what is in it', async () => {
    await using server = await goOnFrom('namespace', async (client) => {
      const namespaces = client.resource(k8s.Namespace)
      await namespaces.create({ metadata: { name: 'going' } })
      await mapsOf(client, 'going').create({ metadata: { name: 'inside' } })
      await namespaces.delete('going')
      expect((await namespaces.get('going')).status?.phase).toBe('Terminating')
    })
    await untilGone(() => server.client().resource(k8s.Namespace).get('going'))
  })

  it('removes what belongs to an owner that had gone', async () => {
    await using server = await goOnFrom('garbage-collector', async (client) => {
      const owner = await mapsOf(client).create({ metadata: { name: 'owner' } })
      await mapsOf(client).create({ metadata: { name: 'owned', ...ownedBy(owner) } })
      await mapsOf(client).delete('owner')
    })
    await untilGone(() => mapsOf(server.client()).get('owned'))
  })

  it('removes an owner that waits for what belongs to it, the only object of its type', async () => {
    await using server = await goOnFrom('garbage-collector', async (client) => {
      const owner = await mapsOf(client).create({ metadata: { name: 'owner' } })
      const owned = { metadata: { name: 'owned', ...ownedBy(owner) }, spec: { limits: [] } }
      await client.resource(k8s.LimitRange).inNamespace('default').create(owned)
      await mapsOf(client).delete('owner', { propagationPolicy: 'Foreground' })
      expect((await mapsOf(client).get('owner')).metadata.finalizers).toEqual(['foregroundDeletion'])
    })
    await untilGone(() => mapsOf(server.client()).get('owner'))
    await untilGone(() => server.client().resource(k8s.LimitRange).inNamespace('default').get('owned'))
  })

  it('counts what a quota had not counted', async () => {
    await using server = await goOnFrom('resource-quotas', async (client) => {
      const quota = { metadata: { name: 'few' }, spec: { hard: { 'count/configmaps': '5' } } }
      await client.resource(k8s.ResourceQuota).inNamespace('default').create(quota)
    })
    const quotas = server.client().resource(k8s.ResourceQuota).inNamespace('default')
    await expect.poll(async () => (await quotas.get('few')).status?.hard).toEqual({ 'count/configmaps': '5' })
  })
})

describe('a fork', () => {
  it('lets an event go when its time is over, which goes on from the original', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const eventsOf = (one: Server) => one.client().resource(k8s.Event).inNamespace('default')
    const involvedObject = { kind: 'ConfigMap', name: 'a', namespace: 'default' }
    await eventsOf(server).create({ metadata: { name: 'seen' }, involvedObject })
    await server.clock.advance('50m')
    await using fork = await server.fork()
    await fork.clock.advance('9m')
    expect((await eventsOf(fork).get('seen')).metadata.name).toBe('seen')
    await fork.clock.advance('2m')
    await untilGone(() => eventsOf(fork).get('seen'))
    expect((await eventsOf(server).get('seen')).metadata.name).toBe('seen')
  })

  it('goes on with a namespace that was being removed when it was made', async () => {
    await using server = await startServer()
    const namespaces = server.client().resource(k8s.Namespace)
    await namespaces.create({ metadata: { name: 'going' } })
    await mapsOf(server.client(), 'going').create({ metadata: { name: 'held', finalizers: ['test.example/hold'] } })
    await namespaces.delete('going')
    await using fork = await server.fork()
    const forked = fork.client().resource(k8s.Namespace)
    expect((await forked.get('going')).status?.phase).toBe('Terminating')
    await mapsOf(fork.client(), 'going').patch('held', { metadata: { finalizers: null } })
    await untilGone(() => forked.get('going'))
    expect((await namespaces.get('going')).status?.phase).toBe('Terminating')
  })

  it('cares for the first objects of types that had none', async () => {
    await using server = await startServer()
    await using fork = await server.fork()
    const client = fork.client()
    const owner = await mapsOf(client).create({ metadata: { name: 'owner' } })
    const owned = { metadata: { name: 'owned', ...ownedBy(owner) } }
    await client
      .resource(k8s.LimitRange)
      .inNamespace('default')
      .create({ ...owned, spec: { limits: [] } })
    await client.resource(k8s.Secret).inNamespace('default').create(owned)
    await mapsOf(client).delete('owner')
    await untilGone(() => client.resource(k8s.LimitRange).inNamespace('default').get('owned'))
    await untilGone(() => client.resource(k8s.Secret).inNamespace('default').get('owned'))
  })
})
