// Informers of `quarterdeck/client` under faults: a proxy cuts their connections, the server forgets, restarts or is slow to be heard.
// What each handler was told is held against what was written: nothing missing, nothing twice, in the order of each object.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiStatusError, Client, k8s } from '../../src/client/client.ts'
import { startApiGateway } from '../fakes/api-gateway.ts'
import {
  ChangeRecord,
  ChangeWriter,
  type ConfigMap,
  expectNothingLost,
  expectSame,
  NAMESPACE,
  startInformer,
} from '../rigs/informed-changes.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts'

interface Scene {
  readonly server: OpenServer
  readonly proxy: TcpProxy
  /** Straight to the server. */
  readonly direct: Client
  /** Through the proxy. */
  readonly cut: Client
  readonly writer: ChangeWriter
}

async function newScene(args: readonly string[] = []): Promise<Scene> {
  const server = await openServer(args)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const proxy = await startTcpProxy(Number(new URL(server.url).port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const access = { ca: server.authority, token: server.adminToken }
  const direct = new Client({ url: server.url, ...access })
  const cut = new Client({ url: `https://127.0.0.1:${proxy.port}`, ...access })
  onTestFinished(() => [direct, cut].forEach((client) => client.close()))
  await direct.resource(k8s.Namespace).create({ metadata: { name: NAMESPACE } })
  return { server, proxy, direct, cut, writer: new ChangeWriter(direct) }
}

/** The last that was told: `delete`, or a resourceVersion. */
function versionOf(lines: readonly string[]): string {
  return lines.at(-1)?.split(' ').at(-1) ?? ''
}

function refusal(code: number, reason: string) {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason } }
}

describe('an informer', () => {
  it('misses nothing and repeats nothing while its connection is cut a hundred times', async () => {
    await expectNothingLost(await newScene(), 100)
  })

  it('misses nothing where connections end in the middle of an event', async () => {
    const scene = await newScene()
    const { proxy, writer } = scene
    await writer.write(300)
    const informer = startInformer(scene.cut)
    await informer.waitForSync()
    const record = new ChangeRecord()
    await informer.addHandler(record).waitForSync()
    const before = new Map([...record.told].map(([name, lines]) => [name, lines.length]))
    // What is cut off must get through at some time, however much it has become.
    const changing = setInterval(() => proxy.cutAfter(5000 + Math.random() ** 3 * 300_000), 20)
    onTestFinished(() => clearInterval(changing))
    proxy.cut()
    const written = writer.written
    await writer.write(400)
    expect(writer.written - written).toBe(400)
    await expect.poll(() => record.size).toBe([...before.values()].length + 400)
    for (const [name, lines] of record.told) {
      const expected = writer.expected.get(name)!
      const already = before.get(name) ?? 0
      expect(lines.slice(already)).toEqual(expected.slice(expected.length - (lines.length - already)))
    }
    expect(proxy.accepted).toBeGreaterThan(5)
  })

  it('tells the difference only, where the server has forgotten what happened', async () => {
    const home = await newHome()
    const flags = ['--etcd-compaction-interval', '200ms']
    const first = await startServerProcess(flags, home)
    const proxy = await startTcpProxy(Number(new URL(first.url).port))
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const [cluster] = first.kubeconfig.clusters
    const ca = Buffer.from(cluster.cluster['certificate-authority-data'] ?? '', 'base64').toString()
    const direct = new Client({ url: first.url, ca, token: first.adminToken })
    const cut = new Client({ url: `https://127.0.0.1:${proxy.port}`, ca, token: first.adminToken })
    onTestFinished(() => [direct, cut].forEach((client) => client.close()))
    await direct.resource(k8s.Namespace).create({ metadata: { name: NAMESPACE } })
    const writer = new ChangeWriter(direct)
    await writer.write(100)
    const informer = startInformer(cut)
    const record = new ChangeRecord()
    await informer.addHandler(record).waitForSync()
    const before = structuredClone(record.told)
    const known = record.size
    const reached = informer.resourceVersion!
    proxy.refuse()
    await writer.write(200)
    const past = { resourceVersion: reached, resourceVersionMatch: 'Exact' as const }
    const maps = direct.resource(k8s.ConfigMap)
    await expect.poll(() => maps.list(past).catch((error: ApiStatusError) => error.code)).toBe(410)
    // What it kept in memory goes with the process.
    await first.stop()
    await startServerProcess([...flags, '--secure-port', new URL(first.url).port], home)
    proxy.accept()
    await expectSame(informer, direct)
    expect(record.size - known).toBeLessThan(200)
    for (const [name, lines] of record.told) {
      const told = lines.slice(before.get(name)?.length ?? 0)
      const expected = writer.expected.get(name)!
      // The last state, from the one that was told before; deleted and made anew where it is another object of that name.
      expect(versionOf(lines)).toBe(versionOf(expected))
      expect(told.length, `${name}: ${told.join()}`).toBeLessThanOrEqual(2)
      if (before.has(name) && before.get(name)?.at(-1)?.endsWith(versionOf(expected))) expect(told).toEqual([])
    }
    const size = record.size
    await writer.write(30)
    await expect.poll(() => record.size).toBe(size + 30)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('goes through a restart of the server after %s', async (end) => {
    const home = await newHome()
    const first = await startServerProcess([], home)
    const client = new Client({ kubeconfig: first.kubeconfigFile })
    onTestFinished(() => client.close())
    await client.resource(k8s.Namespace).create({ metadata: { name: NAMESPACE } })
    const writer = new ChangeWriter(client)
    await writer.write(50)
    const informer = startInformer(client)
    const record = new ChangeRecord()
    await informer.addHandler(record).waitForSync()
    const known = record.size
    await writer.write(50)
    await expect.poll(() => record.size).toBe(known + 50)
    await first.stop(end)
    await startServerProcess(['--secure-port', new URL(first.url).port], home)
    await writer.write(50)
    await expectSame(informer, client)
    expect(record.size).toBe(known + 100)
  })

  it('lists and watches over plain HTTP/1.1 where the server cannot stream lists, and misses nothing either', async () => {
    const { server, writer, direct } = await newScene()
    await using gateway = await startApiGateway(server)
    let watches = 0
    gateway.answer = (_, url) => {
      if (url.searchParams.has('sendInitialEvents')) return refusal(422, 'Invalid')
      // In both ways in which servers say that they have forgotten.
      if (url.searchParams.get('watch') !== 'true' || ++watches % 3 === 0) return undefined
      const expired = refusal(410, 'Expired')
      return watches % 3 === 1 ? expired : { status: 200, body: { type: 'ERROR', object: expired.body } }
    }
    await writer.write(50)
    using client = new Client({ url: gateway.url, token: server.adminToken })
    const informer = startInformer(client)
    const record = new ChangeRecord()
    await informer.addHandler(record).waitForSync()
    for (let i = 0; i < 5; i++) await writer.write(20)
    await expectSame(informer, direct)
    for (const [name, lines] of record.told) expect(versionOf(lines)).toBe(versionOf(writer.expected.get(name)!))
    expect(gateway.requests.filter((line) => line.includes('sendInitialEvents')).length).toBe(1)
    expect(gateway.requests.filter((line) => !line.includes('watch=true')).length).toBe(3)
    await informer.stop()
  })

  it('is not held up by a handler that is slow, or that throws', async () => {
    const { cut, writer } = await newScene()
    const failures: unknown[] = []
    const maps = cut.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
    const onError = (error: unknown) => void failures.push(error)
    const fieldSelector = { 'metadata.namespace': NAMESPACE }
    await using informer = maps.informer({ fieldSelector, onError }).start()
    await informer.waitForSync()
    const stuck = Promise.withResolvers<void>()
    const [slow, fast] = [new ChangeRecord(), new ChangeRecord()]
    informer.addHandler({ add: (object) => slow.add(object).then(() => stuck.promise) })
    informer.addHandler({
      add() {
        throw new Error('no')
      },
    })
    informer.addHandler(fast)
    await writer.write(40)
    await expect.poll(() => fast.size).toBe(41)
    expect(slow.size).toBe(1)
    expect(failures.length).toBeGreaterThan(10)
    stuck.resolve()
    const added = [...fast.told.values()].flat().filter((line) => line.startsWith('add')).length
    await expect.poll(() => slow.size).toBe(added)
  })

  it('finds objects by what indexers say, now', async () => {
    const { cut } = await newScene()
    const maps = cut.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
    const indexers = { byTeam: ({ metadata }: ConfigMap) => Object.keys(metadata.labels ?? {}) }
    await using informer = maps.informer({ indexers }).start()
    await informer.waitForSync()
    await maps.create({ metadata: { name: 'a', labels: { red: '', blue: '' } } })
    await maps.create({ metadata: { name: 'b', labels: { blue: '' } } })
    const names = (team: string) => informer.byIndex('byTeam', team).map(({ metadata }) => metadata.name)
    await expect.poll(() => [names('red'), names('blue')]).toEqual([['a'], ['a', 'b']])
    await maps.patch('a', { metadata: { labels: { blue: null, green: '' } } })
    await maps.delete('b')
    await expect.poll(() => [names('red'), names('blue'), names('green')]).toEqual([['a'], [], ['a']])
    expect(informer.get('a', NAMESPACE)?.metadata.labels).toEqual({ red: '', green: '' })
  })

  it('tells of every object again at a resync, until it stops', async () => {
    const { cut } = await newScene()
    const maps = cut.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
    const informer = maps.informer({ resyncMs: 20 }).start()
    const record = new ChangeRecord()
    informer.addHandler(record)
    await expect.poll(() => record.told.get('kube-root-ca.crt')?.length ?? 0).toBeGreaterThan(4)
    const [added, ...again] = record.told.get('kube-root-ca.crt')!
    const [, version] = added!.split(' ')
    expect(new Set(again)).toEqual(new Set([`update ${version} ${version}`]))
    await informer.stop()
    const told = record.size
    await sleep(60)
    expect(record.size).toBe(told)
    expect(() => informer.start()).toThrow('starts once')
  })
})
