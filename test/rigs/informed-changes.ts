// Config maps that are written at random, informers of `quarterdeck/client` that follow them, and the records of both: what handlers were
// told is held against what was written.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import {
  type Client,
  type EventHandler,
  type Informer,
  k8s,
  type Resource,
  type Stored,
} from '../../src/client/client.ts'
import type { TcpProxy } from '../fakes/tcp-proxy.ts'

export const NAMESPACE = 'informed'

export type ConfigMap = Stored<k8s.ConfigMap>

/** What one handler was told, object by object: `add 12`, `update 12 13`, `delete`. */
export class ChangeRecord implements EventHandler<k8s.ConfigMap> {
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
export class ChangeWriter {
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

/** Without what the server itself puts into each namespace. */
export function startInformer(client: Client): Informer<k8s.ConfigMap> {
  const maps = client.resource(k8s.ConfigMap).inNamespace(NAMESPACE)
  const informer = maps.informer({ fieldSelector: 'metadata.name!=kube-root-ca.crt', onError: () => undefined }).start()
  onTestFinished(() => informer.stop())
  return informer
}

export async function expectSame(informer: Informer<k8s.ConfigMap>, direct: Client): Promise<void> {
  const { items } = await direct
    .resource(k8s.ConfigMap)
    .inNamespace(NAMESPACE)
    .list({ fieldSelector: 'metadata.name!=kube-root-ca.crt' })
  const byName = (objects: readonly ConfigMap[]) =>
    objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  await expect.poll(() => byName(informer.list())).toEqual(byName(items))
}

interface CutScene {
  readonly proxy: TcpProxy
  /** Straight to the server. */
  readonly direct: Client
  /** Through the proxy. */
  readonly cut: Client
}

/** Cuts the connections of an informer so often while objects come, change and go; one of its handlers is slow. Nothing may be missing or told twice. */
export async function expectNothingLost({ proxy, direct, cut }: CutScene, cuts: number): Promise<void> {
  const writer = new ChangeWriter(direct)
  const informer = startInformer(cut)
  const [fast, slow] = [new ChangeRecord(), new ChangeRecord(1)]
  informer.addHandler(fast)
  informer.addHandler(slow)
  await informer.waitForSync()
  const over = new AbortController()
  const cutting = (async () => {
    for (let i = 0; i < cuts; i++) {
      // On each connection something is heard before it is cut.
      await expect.poll(() => proxy.accepted, { interval: 2 }).toBeGreaterThan(i)
      const known = fast.size
      await expect.poll(() => fast.size, { interval: 2 }).toBeGreaterThan(known)
      await sleep(Math.random() * 10)
      proxy.cut()
    }
    over.abort()
  })()
  while (!over.signal.aborted) await writer.write(20)
  await cutting
  await expect.poll(() => proxy.accepted).toBeGreaterThan(cuts)
  expect(writer.written).toBeGreaterThan(cuts * 5)
  await expectSame(informer, direct)
  await expect.poll(() => fast.told).toEqual(writer.expected)
  await expect.poll(() => slow.told).toEqual(writer.expected)
}
