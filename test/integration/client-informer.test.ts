// Informers of `quarterdeck/client` under faults: a proxy cuts their connections, the server forgets, restarts or is slow to be heard.
// What each handler was told is held against what was written: nothing missing, nothing twice, in the order of each object.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ApiStatusError,
  Client,
  type EventHandler,
  type Informer,
  k8s,
  type Resource,
  type Stored,
} from '../../src/client/client.ts'
import { startApiGateway } from '../fakes/api-gateway.ts'
import { type OpenServer, openServer } from '../fakes/running-server.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts'

const NAMESPACE = 'informed'

type ConfigMap = Stored<k8s.ConfigMap>

/** What one handler was told, object by object: `add 12`, `update 12 13`, `delete`. */
class Record implements EventHandler<k8s.ConfigMap> {
  readonly told = new Map<string, string[]>()
  /** For how long each call is busy. */
  readonly #busyMs: number

  constructor(busyMs = 0) {
    this.#busyMs = busyMs
  }

  add(object: ConfigMap): Promise<void> {
    return this.#note(object, `add ${object.metadata.resourceVersion}`)
  }

  update(old: ConfigMap, object: ConfigMap): Promise<void> {
    return this.#note(object, `update ${old.metadata.resourceVersion} ${object.metadata.resourceVersion}`)
  }

  delete(object: ConfigMap): Promise<void> {
    return this.#note(object, 'delete')
  }

  get size(): number {
    return [...this.told.values()].reduce((sum, lines) => sum + lines.length, 0)
  }

  async #note({ metadata }: ConfigMap, line: string): Promise<void> {
    const lines = this.told.get(metadata.name) ?? []
    this.told.set(metadata.name, [...lines, line])
    if (this.#busyMs > 0) await sleep(this.#busyMs)
  }
}

/** Writes at random, straight to the server, and keeps the record that handlers should have. */
class Writer {
  readonly expected = new Map<string, string[]>()
  readonly #maps: Resource<k8s.ConfigMap>
  readonly #there = new Map<string, string>()
  #made = 0

  constructor(client: Client) {
    this.#maps = client.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
  }

  get written(): number {
    return [...this.expected.values()].reduce((sum, lines) => sum + lines.length, 0)
  }

  /** One change after the other, each at once followed by the next. */
  async write(changes: number): Promise<void> {
    for (let i = 0; i < changes; i++) await this.#change()
  }

  async #change(): Promise<void> {
    const names = [...this.#there.keys()]
    const name = names[Math.floor(Math.random() * names.length)]
    const dice = Math.random()
    if (name === undefined || dice < 0.4) return this.#create()
    if (dice < 0.8) return this.#update(name)
    await this.#maps.delete(name)
    this.#there.delete(name)
    this.#note(name, 'delete')
  }

  /** Also under names that were there before. */
  async #create(): Promise<void> {
    const name = `m-${this.#made++ % 150}`
    if (this.#there.has(name)) return this.#update(name)
    const { metadata } = await this.#maps.create({ metadata: { name }, data: { text: 'x'.repeat(200) } })
    this.#there.set(name, metadata.resourceVersion)
    this.#note(name, `add ${metadata.resourceVersion}`)
  }

  async #update(name: string): Promise<void> {
    const { metadata } = await this.#maps.patch(name, { data: { at: String(Math.random()) } })
    this.#note(name, `update ${this.#there.get(name)} ${metadata.resourceVersion}`)
    this.#there.set(name, metadata.resourceVersion)
  }

  #note(name: string, line: string): void {
    this.expected.set(name, [...(this.expected.get(name) ?? []), line])
  }
}

interface Scene {
  readonly server: OpenServer
  readonly proxy: TcpProxy
  /** Straight to the server. */
  readonly direct: Client
  /** Through the proxy. */
  readonly cut: Client
  readonly writer: Writer
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
  return { server, proxy, direct, cut, writer: new Writer(direct) }
}

/** Without what the server itself puts into each namespace. */
function startInformer(client: Client): Informer<k8s.ConfigMap> {
  const maps = client.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
  const informer = maps.informer({ fieldSelector: 'metadata.name!=kube-root-ca.crt', onError: () => undefined }).start()
  onTestFinished(() => informer.stop())
  return informer
}

async function expectSame(informer: Informer<k8s.ConfigMap>, { direct }: Pick<Scene, 'direct'>): Promise<void> {
  const { items } = await direct
    .resource(k8s.ConfigMap)
    .inNamespace(NAMESPACE)
    .list({ fieldSelector: 'metadata.name!=kube-root-ca.crt' })
  const byName = (objects: readonly ConfigMap[]) =>
    objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  await expect.poll(() => byName(informer.list())).toEqual(byName(items))
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
    const scene = await newScene()
    const { proxy, writer } = scene
    const informer = startInformer(scene.cut)
    const [fast, slow] = [new Record(), new Record(1)]
    informer.addHandler(fast)
    informer.addHandler(slow)
    await informer.waitForSync()
    let cuts = 0
    const over = new AbortController()
    const cutting = (async () => {
      for (; cuts < 100; cuts++) {
        const known = fast.size
        await expect.poll(() => fast.size, { interval: 2 }).toBeGreaterThan(known)
        await sleep(Math.random() * 10)
        proxy.cut()
      }
      over.abort()
    })()
    while (!over.signal.aborted) await writer.write(20)
    await cutting
    expect(cuts).toBe(100)
    expect(writer.written).toBeGreaterThan(500)
    await expectSame(informer, scene)
    await expect.poll(() => fast.told).toEqual(writer.expected)
    await expect.poll(() => slow.told).toEqual(writer.expected)
  })

  it('misses nothing where connections end in the middle of an event', async () => {
    const scene = await newScene()
    const { proxy, writer } = scene
    await writer.write(300)
    const informer = startInformer(scene.cut)
    await informer.waitForSync()
    const record = new Record()
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
    const writer = new Writer(direct)
    await writer.write(100)
    const informer = startInformer(cut)
    const record = new Record()
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
    await expectSame(informer, { direct })
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
    const writer = new Writer(client)
    await writer.write(50)
    const informer = startInformer(client)
    const record = new Record()
    await informer.addHandler(record).waitForSync()
    const known = record.size
    await writer.write(50)
    await expect.poll(() => record.size).toBe(known + 50)
    await first.stop(end)
    await startServerProcess(['--secure-port', new URL(first.url).port], home)
    await writer.write(50)
    await expectSame(informer, { direct: client })
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
    const record = new Record()
    await informer.addHandler(record).waitForSync()
    for (let i = 0; i < 5; i++) await writer.write(20)
    await expectSame(informer, { direct })
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
    const [slow, fast] = [new Record(), new Record()]
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
    const record = new Record()
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
