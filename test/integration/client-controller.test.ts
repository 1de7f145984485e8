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
