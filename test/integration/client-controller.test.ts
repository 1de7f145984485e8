// Controllers of `quarterdeck/client` on a server in this process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type Client,
  type ControllerOptions,
  k8s,
  type KubernetesObject,
  runController,
  setCondition,
  TerminalError,
} from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'

let server: Server
let client: Client
beforeAll(async () => {
  server = await startServer({ clock: 'virtual' })
  client = server.client()
})
afterAll(() => server[Symbol.asyncDispose]())

type Options<T extends KubernetesObject, W extends readonly KubernetesObject[]> = Omit<
  ControllerOptions<T, W>,
  'client' | 'signal'
>

function start<T extends KubernetesObject, const W extends readonly KubernetesObject[] = []>(options: Options<T, W>) {
  const stop = new AbortController()
  const running = runController({ client, signal: stop.signal, onError: () => {}, ...options })
  running.catch(() => {})
  onTestFinished(() => stop.abort())
  return { running, stop: () => (stop.abort(), running) }
}

let count = 0
async function newNamespace(): Promise<string> {
  const name = `place-${++count}`
  await client.resource(k8s.Namespace).create({ metadata: { name } })
  return name
}

const mapsIn = (namespace: string) => client.resource(k8s.ConfigMap).inNamespace(namespace)

describe('a controller', () => {
  it('reconciles what is there, what changes and what is deleted', async () => {
    const namespace = await newNamespace()
    await mapsIn(namespace).create({ metadata: { name: 'a' }, data: { n: '1' } })
    const seen: unknown[] = []
    const { stop } = start({
      for: { kind: k8s.ConfigMap, fieldSelector: { 'metadata.name': 'a' } },
      namespace,
      reconcile: async ({ name, namespace: place, object }) => void seen.push([place, name, object?.data?.['n']]),
    })
    await expect.poll(() => seen).toEqual([[namespace, 'a', '1']])
    await mapsIn(namespace).patch('a', { data: { n: '2' } })
    await expect.poll(() => seen.at(-1)).toEqual([namespace, 'a', '2'])
    await mapsIn(namespace).delete('a')
    await expect.poll(() => seen.at(-1)).toEqual([namespace, 'a', undefined])
    await stop()
    await mapsIn(namespace).create({ metadata: { name: 'a' } })
    expect(seen).toHaveLength(3)
  })

  it('reconciles the owner of what changes, and what a watched object concerns', async () => {
    const namespace = await newNamespace()
    const owner = await mapsIn(namespace).create({ metadata: { name: 'owner' } })
    const seen: string[] = []
    start({
      for: k8s.ConfigMap,
      owns: [k8s.Service],
      watches: [
        { kind: k8s.Secret, to: (secret) => [{ name: secret.type ?? '', namespace: secret.metadata.namespace }] },
        {
          kind: k8s.Namespace,
          labelSelector: { here: 'yes' },
          to: ({ metadata }) => [{ name: 'all', namespace: metadata.name }],
        },
      ],
      namespace,
      reconcile: async ({ name, cached }) => {
        seen.push(`${name} ${cached(k8s.Service).size}`)
      },
    })
    const settled = (...rows: readonly string[]) =>
      expect.poll(() => seen.splice(0).filter((row) => !row.startsWith('kube-root'))).toEqual(rows)
    await settled('owner 0')
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }
    const service = (name: string, controller: boolean) =>
      client
        .resource(k8s.Service)
        .inNamespace(namespace)
        .create({
          metadata: { name, ownerReferences: [{ ...reference, controller }] },
          spec: { ports: [{ port: 80 }] },
        })
    await service('one', true)
    await settled('owner 1')
    await service('two', false)
    await client
      .resource(k8s.Secret)
      .inNamespace(namespace)
      .create({ metadata: { name: 's' }, type: 'of-type' })
    await settled('of-type 2')
    await client.resource(k8s.Namespace).patch(namespace, { metadata: { labels: { here: 'yes' } } })
    await settled('all 2')
  })

  it('applies objects that the reconciled object owns, which are deleted with it', async () => {
    const namespace = await newNamespace()
    const secrets = client.resource(k8s.Secret).inNamespace(namespace)
    const owner = await mapsIn(namespace).create({
      metadata: { name: 'a', labels: { copied: 'yes' } },
      data: { n: '1' },
    })
    const deleted: unknown[] = []
    start({
      for: { kind: k8s.ConfigMap, labelSelector: 'copied=yes' },
      owns: [k8s.Secret],
      namespace,
      fieldManager: 'copier',
      reconcile: async ({ name, object, apply, patchStatus }) => {
        if (object !== undefined)
          return void (await apply(k8s.Secret, { metadata: { name }, stringData: object.data ?? {} }))
        deleted.push(await patchStatus({}).catch((error: unknown) => String(error)))
      },
    })
    await expect
      .poll(async () => (await secrets.list()).items.map(({ metadata }) => metadata))
      .toMatchObject([
        {
          name: 'a',
          managedFields: [{ manager: 'copier', operation: 'Apply' }],
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: 'a',
              uid: owner.metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      ])
    await secrets.patch('a', { data: { n: 'Mg==' } })
    await expect.poll(async () => (await secrets.get('a')).data).toEqual({ n: 'MQ==' })
    await mapsIn(namespace).delete('a')
    await expect.poll(async () => (await secrets.list()).items).toEqual([])
    await expect
      .poll(() => new Set(deleted))
      .toEqual(new Set(['TypeError: a is deleted: there is nothing to write for it']))
  })

  it('changes the status of an object unless that has changed meanwhile', async () => {
    const namespace = await newNamespace()
    const claims = client.resource(k8s.PersistentVolumeClaim).inNamespace(namespace)
    const spec = { accessModes: ['ReadWriteOnce'] as const, resources: { requests: { storage: '1Gi' } } }
    await claims.create({ metadata: { name: 'a' }, spec })
    const phases: unknown[] = []
    start({
      for: k8s.PersistentVolumeClaim,
      namespace,
      reconcile: async ({ name, object, patchStatus }) => {
        phases.push(object?.status?.phase)
        // Another client is faster, once.
        if (phases.length === 1) await claims.patch(name, { metadata: { labels: { changed: 'yes' } } })
        await patchStatus({ phase: 'Bound' })
      },
    })
    await expect.poll(() => phases).toEqual(['Pending', 'Pending', 'Bound'])
  })

  it('sets conditions, with the time of their last transition', async () => {
    const namespace = await newNamespace()
    const claims = client.resource(k8s.PersistentVolumeClaim).inNamespace(namespace)
    const spec = { accessModes: ['ReadWriteOnce'] as const, resources: { requests: { storage: '1Gi' } } }
    await claims.create({ metadata: { name: 'a' }, spec })
    await claims.status.patch('a', { status: { conditions: [{ type: 'Other', status: 'True' }] } })
    const keys = new Set<string>()
    start({
      for: k8s.PersistentVolumeClaim,
      namespace,
      reconcile: async ({ key, object, patchStatus }) => {
        keys.add(key)
        const [reason = 'First', status = 'False'] = object?.metadata.labels?.['wanted']?.split('.') ?? []
        await patchStatus({ phase: 'Pending' }, { type: 'Resizing', status, reason })
      },
    })
    const conditions = async () => (await claims.get('a')).status?.conditions
    const began = new Date(client.clock.timeOfDay()).toISOString().replace(/\.\d+/, '')
    const other = { type: 'Other', status: 'True' }
    const resizing = { type: 'Resizing', status: 'False', reason: 'First', lastTransitionTime: began }
    await expect.poll(conditions).toMatchObject([other, resizing])
    await server.clock.advance('10s')
    await claims.patch('a', { metadata: { labels: { wanted: 'Second' } } })
    await expect.poll(conditions).toMatchObject([other, { ...resizing, reason: 'Second' }])
    await claims.patch('a', { metadata: { labels: { wanted: 'Third.True' } } })
    const later = new Date(Date.parse(began) + 10_000).toISOString().replace('.000', '')
    const third = { ...resizing, reason: 'Third', status: 'True', lastTransitionTime: later }
    await expect.poll(conditions).toMatchObject([other, third])
    expect([...keys]).toEqual([`${namespace}/a`])
  })

  it('takes the time of conditions from a function, and the name of an object without namespace as its key', async () => {
    const namespaces = client.resource(k8s.Namespace)
    const name = await newNamespace()
    const keys: string[] = []
    start({
      for: { kind: k8s.Namespace, fieldSelector: { 'metadata.name': name } },
      now: async () => Date.UTC(2020, 1, 2),
      reconcile: async ({ key, patchStatus }) => {
        keys.push(key)
        await patchStatus({}, { type: 'Seen', status: 'True' })
      },
    })
    const seen = { type: 'Seen', status: 'True', lastTransitionTime: '2020-02-02T00:00:00Z' }
    await expect.poll(async () => (await namespaces.get(name)).status?.conditions).toMatchObject([seen])
    expect(new Set(keys)).toEqual(new Set([name]))
  })

  it('holds objects by a finalizer until they are cleaned up', async () => {
    const namespace = await newNamespace()
    const seen: unknown[] = []
    const options = {
      for: { kind: k8s.ConfigMap, fieldSelector: { 'metadata.name': 'a' } },
      namespace,
      reconcile: async ({ object }: { readonly object: k8s.ConfigMap | undefined }) =>
        void seen.push(object?.metadata.finalizers),
      finalizer: {
        name: 'example.com/one',
        cleanUp: async () => {
          seen.push('clean up')
          if (seen.at(-2) !== 'clean up') throw new Error('not yet')
        },
      },
    }
    start(options)
    const other = 'example.com/other'
    await mapsIn(namespace).create({ metadata: { name: 'a', finalizers: [other] } })
    await expect.poll(() => seen.splice(0)).toEqual([[other, 'example.com/one']])
    await mapsIn(namespace).delete('a')
    await expect.poll(async () => (await mapsIn(namespace).get('a')).metadata.finalizers).toEqual([other])
    expect(seen.splice(0)).toEqual(['clean up', 'clean up'])
    await mapsIn(namespace).patch('a', { metadata: { finalizers: [] } })
    await expect.poll(() => seen).toEqual([undefined])
  })

  it('tries again after failures, comes back when it asked to, and says what failed', async () => {
    const namespace = await newNamespace()
    await mapsIn(namespace).create({ metadata: { name: 'a' } })
    const told: unknown[] = []
    const times: number[] = []
    start({
      for: { kind: k8s.ConfigMap, fieldSelector: { 'metadata.name': 'a' } },
      namespace,
      onError: (error, object) => void told.push([(error as Error).message, object]),
      reconcile: async () => {
        if (told.length < 3) throw new Error('not yet')
        times.push(client.clock.now())
        if (times.length === 3) throw new TerminalError('enough')
        return { requeueAfterMs: 30_000 }
      },
    })
    await expect.poll(() => times.length).toBe(1)
    expect(told).toEqual(Array.from({ length: 3 }, () => ['not yet', { name: 'a', namespace }]))
    await server.clock.advance('30s')
    await server.clock.advance('30s')
    expect(times.map((time) => time - times[0]!)).toEqual([0, 30_000, 60_000])
    await server.clock.advance('1m')
    expect([times.length, told.at(-1)]).toEqual([3, ['enough', { name: 'a', namespace }]])
  })

  it('stops when the current work is done, whose signal has fired', async () => {
    const namespace = await newNamespace()
    await mapsIn(namespace).create({ metadata: { name: 'a' } })
    const began = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    let given: AbortSignal | undefined
    const { stop } = start({
      for: k8s.ConfigMap,
      namespace,
      reconcile: async ({ signal }) => {
        given = signal
        began.resolve()
        await end.promise
      },
    })
    await began.promise
    let hasStopped = false
    const stopping = stop().then(() => (hasStopped = true))
    expect(given?.aborted).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasStopped).toBe(false)
    end.resolve()
    await stopping
  })

  it('works while it leads, and lets the next one lead when it stops', async () => {
    const namespace = await newNamespace()
    await mapsIn(namespace).create({ metadata: { name: 'a' } })
    const leaders: string[] = []
    const candidate = (identity: string) =>
      start({
        for: { kind: k8s.ConfigMap, fieldSelector: { 'metadata.name': 'a' } },
        namespace,
        leaderElection: { namespace, name: 'lease', identity },
        reconcile: async () => void leaders.push(identity),
      })
    const first = candidate('first')
    await expect.poll(() => leaders).toEqual(['first'])
    candidate('second')
    await server.clock.advance('1m')
    expect(leaders).toEqual(['first'])
    await first.stop()
    await server.clock.advance('3s')
    await expect.poll(() => leaders).toEqual(['first', 'second'])
  })

  it('ends with SIGTERM, and releases its lease', async () => {
    await using listening = await startServer({ port: 0 })
    const program = `import { Client, k8s, runController } from '${new URL('../../src/client/client.ts', import.meta.url).href}'
      using client = new Client({ kubeconfig: process.env.CONFIG })
      const leaderElection = { namespace: 'default', name: 'lease' }
      await runController({ client, for: k8s.Namespace, leaderElection, reconcile: async () => console.log('ready') })
      console.log('stopped')`
    const env = { ...process.env, CONFIG: JSON.stringify(listening.kubeconfig()) }
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said).toContain('ready')
    const leases = listening.client().resource(k8s.Lease).inNamespace('default')
    expect((await leases.get('lease')).spec?.holderIdentity).toMatch(/_[\da-f-]{36}$/)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(said).toContain('stopped')
    expect((await leases.get('lease')).spec?.holderIdentity ?? '').toBe('')
  })
})

it('a condition keeps the time of its transition until its status changes', () => {
  const ready = (status: string, reason: string) => ({ type: 'Ready', status, reason })
  const at = (time: number) => new Date(time).toISOString()
  const first = setCondition([{ type: 'Other', status: 'True', reason: '' }], ready('False', 'Waiting'), 1000)
  const [other] = first
  expect(first).toEqual([other, { ...ready('False', 'Waiting'), lastTransitionTime: at(1000) }])
  const second = setCondition(first, ready('False', 'Late'), 2000)
  expect(second).toEqual([other, { ...ready('False', 'Late'), lastTransitionTime: at(1000) }])
  expect(setCondition(second, ready('True', 'Done'), 3000)[1]).toMatchObject({ lastTransitionTime: at(3000) })
  expect(setCondition(undefined, ready('True', 'Done'), 4000)).toHaveLength(1)
})
