// Servers that go on from another's state, and those that go back to their own.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Client, type CustomObject, k8s, type Kind } from '../../src/client/client.ts'
import { type OfUser, type Server, startServer } from '../../src/index.ts'
import { collectGarbage } from '../rigs/garbage.ts'
import { newServer } from '../rigs/library-server.ts'

type Maps = ReturnType<typeof mapsOf>

function mapsOf(server: Server, ...user: OfUser) {
  return server
    .client(...user)
    .resource(k8s.ConfigMap)
    .inNamespace('default')
}

async function names(maps: Maps): Promise<readonly string[]> {
  const { items } = await maps.list()
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')
}

const named = (name: string, data: Record<string, string> = {}): k8s.ConfigMap => ({ metadata: { name }, data })

async function eventually<T>(look: () => Promise<T>, isRight: (seen: T) => boolean): Promise<T> {
  for (const until = performance.now() + 60_000; ; await sleep(10)) {
    const seen = await look()
    if (isRight(seen) || performance.now() > until) return seen
  }
}

/** What is created and deleted from now on, until somebody has seen enough. */
async function changesOf(maps: Maps, count: number, after?: string): Promise<readonly string[]> {
  const seen: string[] = []
  for await (const event of maps.watch(after === undefined ? {} : { resourceVersion: after })) {
    if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`)
    if (seen.length === count) break
  }
  return seen
}

type Ship = CustomObject<{ readonly masts?: number }>
const ships: Kind<Ship> = { group: 'sea.example', version: 'v1', kind: 'Ship', plural: 'ships', namespaced: true }

async function defineShips(client: Client, least: number): Promise<void> {
  const spec = { type: 'object', properties: { masts: { type: 'integer', minimum: least } } }
  await client.resource(k8s.CustomResourceDefinition).apply(
    {
      metadata: { name: 'ships.sea.example' },
      spec: {
        group: 'sea.example',
        scope: 'Namespaced',
        names: { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    },
    { fieldManager: 'test', force: true },
  )
}

const ship = (name: string, masts: number): Ship => ({ metadata: { name }, spec: { masts } })

describe('a fork', () => {
  it('has what the original has, and neither sees what the other does after', async () => {
    await using server = await startServer()
    const maps = mapsOf(server)
    const a = await maps.create(named('a', { of: 'both' }))
    await using fork = await server.fork()
    expect(fork.url).not.toBe(server.url)
    const forked = mapsOf(fork)
    expect(await forked.get('a')).toEqual(a)
    const inFork = await forked.update({ ...a, data: { of: 'the fork' } })
    await forked.create(named('fork'))
    const inOriginal = await maps.update({ ...a, data: { of: 'the original' } })
    await maps.create(named('original'))
    expect((await forked.get('a')).data).toEqual({ of: 'the fork' })
    expect((await maps.get('a')).data).toEqual({ of: 'the original' })
    expect([await names(maps), await names(forked)]).toEqual([
      ['a', 'original'],
      ['a', 'fork'],
    ])
    for (const { metadata } of [inFork, inOriginal]) {
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(a.metadata.resourceVersion))
      expect(metadata.uid).toBe(a.metadata.uid)
    }
  })

  it('is trusted and trusts as the original: authority, tokens, users and service accounts', async () => {
    await using server = await startServer({ users: [{ name: 'ann', groups: ['system:masters'], token: 'known' }] })
    const made = server.credentials({ name: 'bob', groups: ['system:masters'] })
    const accounts = server.client().resource(k8s.ServiceAccount).inNamespace('default')
    await eventually(
      () => accounts.list(),
      ({ items }) => items.length > 0,
    )
    const { status } = await accounts
      .subresource('token')
      .create('default', { spec: { audiences: [] } } as unknown as k8s.TokenRequest)
    await using fork = await server.fork({ users: [{ name: 'only here', groups: ['system:masters'] }] })
    await server.stop()
    expect(fork.credentials('bob')).toEqual({ ...made, url: fork.url })
    expect(fork.credentials().ca).toBe(server.credentials().ca)
    expect(fork.credentials().token).toBe(server.credentials().token)
    for (const user of [[], ['ann'], ['bob'], ['only here']] as const)
      expect(await names(mapsOf(fork, ...user))).toEqual([])
    expect(() => server.credentials('only here')).toThrow('there is no user')
    const review: k8s.TokenReview = { metadata: {}, spec: { token: status!.token! } }
    const { status: told } = await fork.client().resource(k8s.TokenReview).create(review)
    expect(told).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:default' } })
  })

  it('of a fork goes on as well, whoever stops first', async () => {
    await using first = await newServer()
    await mapsOf(first).create(named('one'))
    await using second = await first.fork()
    await mapsOf(second).create(named('two'))
    await using third = await second.fork()
    // Nobody has asked this one for anything when it is forked.
    await using fourth = await third.fork()
    await first.stop()
    await mapsOf(third).create(named('three'))
    await second.stop()
    expect(await names(mapsOf(third))).toEqual(['one', 'three', 'two'])
    await third.stop()
    expect(await names(mapsOf(fourth))).toEqual(['one', 'two'])
  })

  it('has watches of its own, also from before it was made', async () => {
    await using server = await newServer()
    const maps = mapsOf(server)
    const a = await maps.create(named('a'))
    await maps.create(named('b'))
    await using fork = await server.fork()
    const forked = mapsOf(fork)
    const inFork = changesOf(forked, 3, a.metadata.resourceVersion)
    const inOriginal = changesOf(maps, 3, a.metadata.resourceVersion)
    await forked.create(named('fork'))
    await maps.create(named('original'))
    await forked.delete('a')
    await maps.delete('b')
    expect(await inFork).toEqual(['ADDED b', 'ADDED fork', 'DELETED a'])
    expect(await inOriginal).toEqual(['ADDED b', 'ADDED original', 'DELETED b'])
  })

  it('has definitions, roles, quotas and flow control as they were changed, and its own changes of them', async () => {
    await using server = await startServer({ users: [{ name: 'ann' }] })
    const admin = server.client()
    await defineShips(admin, 1)
    await admin.resource(ships).inNamespace('default').create(ship('small', 1))
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'create'] }]
    await admin.resource(k8s.ClusterRole).create({ metadata: { name: 'mapper' }, rules })
    await admin.resource(k8s.ClusterRoleBinding).create({
      metadata: { name: 'mapper' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'mapper' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    })
    await admin
      .resource(k8s.ResourceQuota)
      .inNamespace('default')
      .create({ metadata: { name: 'few' }, spec: { hard: { 'count/configmaps': '3' } } })
    await eventually(
      () => admin.resource(k8s.ResourceQuota).inNamespace('default').get('few'),
      ({ status }) => status?.used?.['count/configmaps'] === '1',
    )
    const flow = await admin.resource(k8s.FlowSchema).create({
      metadata: { name: 'anns' },
      spec: {
        matchingPrecedence: 100,
        priorityLevelConfiguration: { name: 'workload-high' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'ann' } }],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    })
    await using fork = await server.fork()
    const { headers } = await fork.client('ann').request({ method: 'GET', path: '/version' })
    expect(headers['x-kubernetes-pf-flowschema-uid']).toBe(flow.metadata.uid)
    const anns = mapsOf(fork, 'ann')
    await anns.create(named('a'))
    await anns.create(named('b'))
    await expect(anns.create(named('c'))).rejects.toThrow('exceeded quota: few')
    await expect(anns.get('a')).rejects.toMatchObject({ code: 403 })
    await mapsOf(server, 'ann').create(named('a'))
    const inFork = fork.client()
    const fleet = inFork.resource(ships).inNamespace('default')
    expect((await fleet.list()).items.map(({ metadata }) => metadata.name)).toEqual(['small'])
    await expect(fleet.create(ship('raft', 0))).rejects.toThrow('should be greater than or equal to 1')
    await defineShips(inFork, 0)
    await eventually(
      () => fleet.create(ship('raft', 0)).catch(() => undefined),
      (made) => made !== undefined,
    )
    await expect(admin.resource(ships).inNamespace('default').create(ship('raft', 0))).rejects.toThrow(
      'should be greater',
    )
    await inFork.resource(k8s.ClusterRoleBinding).delete('mapper')
    await eventually(
      () => anns.list().catch(() => undefined),
      (seen) => seen === undefined,
    )
    await expect(anns.list()).rejects.toMatchObject({ code: 403 })
    expect(await names(mapsOf(server, 'ann'))).toEqual(['a'])
  })

  it('does what the server has to do: dependents of what is deleted go, namespaces get what they need', async () => {
    await using server = await newServer()
    const owner = await mapsOf(server).create(named('owner'))
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }
    await mapsOf(server).create({ metadata: { name: 'owned', ownerReferences: [reference] } })
    await server
      .client()
      .resource(k8s.Namespace)
      .create({ metadata: { name: 'going' } })
    await using fork = await server.fork()
    await mapsOf(fork).delete('owner')
    expect(
      await eventually(
        () => names(mapsOf(fork)),
        (seen) => seen.length === 0,
      ),
    ).toEqual([])
    const namespaces = fork.client().resource(k8s.Namespace)
    await namespaces.create({ metadata: { name: 'new' } })
    const accounts = fork.client().resource(k8s.ServiceAccount).inNamespace('new')
    expect(
      (
        await eventually(
          () => accounts.list(),
          ({ items }) => items.length > 0,
        )
      ).items,
    ).toHaveLength(1)
    await namespaces.delete('going')
    const left = await eventually(
      async () => (await namespaces.list()).items.map(({ metadata }) => metadata.name),
      (seen) => !seen.includes('going'),
    )
    expect(left).not.toContain('going')
    expect(await names(mapsOf(server))).toEqual(['owned', 'owner'])
  })

  it('has a time of its own that goes on from there, and controllers that go by it', async () => {
    await using server = await startServer({ clock: 'virtual' })
    await server.clock.advance('1h')
    await using fork = await server.fork()
    // Nobody has asked it for anything: its controllers are to run all the same.
    await fork.clock.advance('30m')
    expect([server.clock.now(), fork.clock.now()]).toEqual([Date.UTC(2026, 0, 1, 1), Date.UTC(2026, 0, 1, 1, 30)])
    const renewedAt = async (one: Server): Promise<number> => {
      const { items } = await one.client().resource(k8s.Lease).inNamespace('kube-system').list()
      return Math.max(...items.map(({ spec }) => Date.parse(spec?.renewTime ?? '')))
    }
    for (const one of [server, fork]) {
      expect(one.clock.now() - (await renewedAt(one))).toBeLessThanOrEqual(10_000)
    }
  })

  it('has the functions of the original, and faults of its own', async () => {
    await using server = await newServer()
    server.admit({ name: 'plain.example.com', resource: k8s.ConfigMap }, ({ object }) =>
      object.data?.['password'] === undefined ? undefined : { allowed: false, message: 'no passwords' },
    )
    await using fork = await server.fork()
    using _ = server.faults.fail({ verb: 'create', resource: 'configmaps' }, { status: 500 })
    await expect(mapsOf(fork).create(named('a', { password: 'x' }))).rejects.toThrow('no passwords')
    await mapsOf(fork).create(named('a'))
    await expect(mapsOf(server).create(named('a'))).rejects.toMatchObject({ code: 500 })
  })

  it('that is made while somebody writes has all of it up to some moment', async () => {
    await using server = await newServer()
    const maps = mapsOf(server)
    await using stack = new AsyncDisposableStack()
    const forks: Server[] = []
    const over = new AbortController()
    const forking = (async () => {
      while (!over.signal.aborted && forks.length < 30) {
        forks.push(stack.use(await server.fork()))
        await sleep(5)
      }
    })()
    const written: string[] = []
    for (let i = 0; i < 100; i++) {
      written.push(`m-${String(i).padStart(3, '0')}`)
      await maps.create(named(written.at(-1)!))
    }
    over.abort()
    await forking
    const seen = await Promise.all(forks.map((fork) => names(mapsOf(fork))))
    expect(seen).toEqual(seen.map(({ length }) => written.slice(0, length)))
    expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(1)
  })

  it('is one of fifty at once, which know nothing of each other', async () => {
    await using server = await newServer()
    await mapsOf(server).create(named('shared'))
    const forks = await Promise.all(Array.from({ length: 50 }, () => server.fork()))
    try {
      await Promise.all(forks.map((fork, i) => mapsOf(fork).create(named(`only-${i}`))))
      expect(await Promise.all(forks.map((fork) => names(mapsOf(fork))))).toEqual(
        forks.map((_, i) => [`only-${i}`, 'shared']),
      )
      expect(await names(mapsOf(server))).toEqual(['shared'])
    } finally {
      await Promise.all(forks.map((fork) => fork.stop()))
    }
  })

  it('leaves nothing behind, whether it was asked for anything or not', async () => {
    await using server = await newServer()
    await mapsOf(server).create(named('a'))
    const once = async (isAsked: boolean): Promise<void> => {
      await using fork = await server.fork()
      if (isAsked) await mapsOf(fork).create(named('b'))
    }
    for (let i = 0; i < 10; i++) await once(true)
    await collectGarbage()
    const handles = process.getActiveResourcesInfo().length
    const { heapUsed } = process.memoryUsage()
    for (let i = 0; i < 40; i++) await once(i % 2 === 0)
    // A busy machine takes a while to close the last connections.
    const grown = async (): Promise<number> => {
      await collectGarbage()
      return process.memoryUsage().heapUsed - heapUsed
    }
    await expect.poll(grown).toBeLessThan(10_000_000)
    expect(process.getActiveResourcesInfo().length - handles).toBeLessThan(10)
  })
})

describe('a snapshot', () => {
  it('is restored as often as one likes, and clients see the changes', async () => {
    await using server = await newServer()
    const maps = mapsOf(server)
    const kept = await maps.create(named('kept', { is: 'then' }))
    const untouched = await maps.create(named('untouched'))
    const snapshot = server.snapshot()
    expect(Number(snapshot.resourceVersion)).toBeGreaterThanOrEqual(Number(untouched.metadata.resourceVersion))
    await using informer = maps.informer().start()
    await informer.waitForSync()
    for (let round = 0; round < 3; round++) {
      const changed = await maps.patch('kept', { data: { is: 'now' } })
      await maps.create(named('new'))
      if (round === 1) await maps.delete('kept')
      await server.restore(snapshot)
      const restored = await maps.get('kept')
      expect(restored).toMatchObject({ data: { is: 'then' }, metadata: { uid: kept.metadata.uid } })
      expect(Number(restored.metadata.resourceVersion)).toBeGreaterThan(Number(changed.metadata.resourceVersion))
      expect((await maps.get('untouched')).metadata.resourceVersion).toBe(untouched.metadata.resourceVersion)
      expect(await names(maps)).toEqual(['kept', 'untouched'])
      await eventually(
        async () => informer.get('kept', 'default')?.metadata.resourceVersion,
        (seen) => seen === restored.metadata.resourceVersion,
      )
      expect(informer.list().map(({ metadata }) => metadata.name)).not.toContain('new')
      // What was read before it was restored is out of date, as after any other write.
      await expect(maps.update({ ...changed, data: {} })).rejects.toMatchObject({ code: 409 })
    }
  })

  it('brings back definitions and roles that are in effect when it is restored', async () => {
    await using server = await startServer({ users: [{ name: 'ann' }] })
    const admin = server.client()
    await defineShips(admin, 1)
    await admin.resource(ships).inNamespace('default').create(ship('small', 1))
    await admin.resource(k8s.ClusterRoleBinding).create({
      metadata: { name: 'ann' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    })
    const anns = mapsOf(server, 'ann')
    await eventually(
      () => anns.list().catch(() => undefined),
      (seen) => seen !== undefined,
    )
    const snapshot = server.snapshot()
    await admin.resource(k8s.ClusterRoleBinding).delete('ann')
    await admin.resource(k8s.CustomResourceDefinition).delete('ships.sea.example')
    await eventually(
      () => anns.list().catch(() => undefined),
      (seen) => seen === undefined,
    )
    await eventually(
      () => admin.resource(k8s.CustomResourceDefinition).list(),
      ({ items }) => items.length === 0,
    )
    await server.restore(snapshot)
    expect(await names(anns)).toEqual([])
    expect((await admin.resource(ships).inNamespace('default').get('small')).spec?.masts).toBe(1)
  })

  it('is what servers are started from, after its own is gone', async () => {
    const server = await startServer({ users: [{ name: 'ann', groups: ['system:masters'] }] })
    await mapsOf(server).create(named('a'))
    const snapshot = server.snapshot()
    await mapsOf(server).create(named('later'))
    const { token, ca } = server.credentials('ann')
    await server.stop()
    await using one = await startServer({ snapshot })
    await using other = await startServer({ snapshot, users: [{ name: 'bob', groups: ['system:masters'] }] })
    expect(one.credentials('ann')).toEqual({ url: one.url, token, ca })
    await mapsOf(one, 'ann').create(named('b'))
    await mapsOf(other, 'bob').create(named('c'))
    expect(await names(mapsOf(one))).toEqual(['a', 'b'])
    expect(await names(mapsOf(other))).toEqual(['a', 'c'])
    // Also where nobody has asked for anything.
    await using fork = await one.fork()
    await fork.restore(snapshot)
    expect(await names(mapsOf(fork))).toEqual(['a'])
  })

  it('needs a server in memory, and to be one', async () => {
    const { mkdtemp, rm } = await import('node:fs/promises')
    const dataDir = await mkdtemp('/tmp/quarterdeck-library-')
    try {
      await using server = await startServer({ dataDir })
      await using inMemory = await startServer()
      const snapshot = inMemory.snapshot()
      await expect(server.fork()).rejects.toThrow('need a server that keeps everything in memory')
      expect(() => server.snapshot()).toThrow('start it without dataDir and etcd-servers')
      await expect(server.restore(snapshot)).rejects.toThrow('in memory')
      const elsewhere = startServer({ dataDir: `${dataDir}/other`, snapshot })
      await expect(elsewhere).rejects.toThrow('only a server in memory can begin with a snapshot')
      await expect(inMemory.restore({ resourceVersion: '1' })).rejects.toThrow('this is not a snapshot')
      await inMemory.stop()
      await expect(inMemory.fork()).rejects.toThrow('the store is closed')
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
