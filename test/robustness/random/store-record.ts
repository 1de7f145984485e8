// The true history: every revision of the store, from watches at all of etcd's members at a time, over etcd's own HTTP gateway, so that
// nothing of this server is in between. Whoever of the members tells a revision first is believed.
import { setTimeout as delay } from 'node:timers/promises'
import type { SeenObject } from './history.ts'
import type { LeaseVersion } from './leader-checks.ts'
import { Truth } from './truth.ts'

const CONFIG_MAPS = '/registry/configmaps/'
const LEASE = '/registry/leases/kube-system/quarterdeck-controllers'
const PAUSE_MS = 20
/** Everything there is. */
const ALL_KEYS = Buffer.from([0]).toString('base64')

interface GatewayEvent {
  readonly type?: 'DELETE'
  readonly kv: { readonly key: string; readonly value?: string; readonly mod_revision: string }
}

interface WatchMessage {
  readonly result?: {
    readonly header: { readonly revision: string }
    readonly events?: readonly GatewayEvent[]
    readonly canceled?: boolean
    readonly compact_revision?: string
  }
}

interface RangeAnswer {
  readonly header: { readonly revision: string }
  readonly kvs?: readonly GatewayEvent['kv'][]
}

export interface StoredObject {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly labels?: Record<string, string>
  }
  readonly data?: Record<string, string>
}

interface StoredLease {
  readonly spec: {
    readonly holderIdentity?: string
    readonly leaseTransitions?: number
    readonly renewTime: string
    readonly leaseDurationSeconds: number
  }
}

export class StoreRecord {
  readonly truth = new Truth()
  readonly #endpoints: readonly string[]
  readonly #namespaces: ReadonlySet<string>
  readonly #waiting = new Set<() => void>()
  readonly #stop = new AbortController()
  #leases: LeaseVersion[] = []
  #running: Promise<unknown> = Promise.resolve()
  /** It has lost a part of the history: nothing can be judged any more. */
  failure: string | undefined

  /** Of config maps it keeps those in these namespaces. */
  constructor(endpoints: readonly string[], namespaces: readonly string[]) {
    this.#endpoints = endpoints
    this.#namespaces = new Set(namespaces)
  }

  /**
   * Loads the state before the newest revision, and follows from there. Watchers that begin at the newest revision may get its changes again, so
   * the objects before these changes must be known.
   */
  async run(): Promise<void> {
    const newest = Number((await this.#range({ limit: 1 })).header.revision)
    const { kvs = [] } = await this.#range({ revision: newest - 1, sort_target: 'MOD', sort_order: 'ASCEND' })
    for (const kv of kvs) this.#note({ kv })
    this.truth.reach(newest - 1)
    this.#running = Promise.all(this.#endpoints.map((endpoint) => this.#follow(endpoint)))
    await this.untilReached(newest)
  }

  async #range(options: object): Promise<RangeAnswer> {
    const range = { key: encode(CONFIG_MAPS), range_end: encode(CONFIG_MAPS.replace(/.$/, '0')) }
    const body = JSON.stringify({ ...range, ...options })
    const response = await fetch(`${this.#endpoints[0]}/v3/kv/range`, { method: 'POST', body })
    if (!response.ok) throw new Error(`etcd did not give its state: ${await response.text()}`)
    return (await response.json()) as RangeAnswer
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Resolves when everything up to that revision is in. */
  async untilReached(revision: number): Promise<void> {
    while (this.truth.reached < revision) {
      if (this.failure !== undefined) throw new Error(this.failure)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** The versions of the lease so far; the last one stays for the next time. */
  takeLeases(): readonly LeaseVersion[] {
    const taken = this.#leases
    this.#leases = taken.slice(-1)
    return taken
  }

  async #follow(endpoint: string): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#watch(endpoint).catch(() => undefined)
      if (!signal.aborted) await delay(PAUSE_MS)
    }
  }

  async #watch(endpoint: string): Promise<void> {
    const start = { key: ALL_KEYS, range_end: ALL_KEYS, start_revision: String(this.truth.reached + 1) }
    const body = JSON.stringify({ create_request: start })
    const response = await fetch(`${endpoint}/v3/watch`, { method: 'POST', body, signal: this.#stop.signal })
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take((JSON.parse(line) as WatchMessage).result)
    }
  }

  #take(result: WatchMessage['result']): void {
    if (result === undefined) return
    if (result.canceled === true && result.compact_revision !== undefined) {
      if (Number(result.compact_revision) > this.truth.reached + 1) {
        this.failure = `the history after ${this.truth.reached} is gone: compacted at ${result.compact_revision}`
        this.#wake()
      }
      throw new Error('compacted')
    }
    const known = this.truth.reached
    for (const event of result.events ?? []) {
      if (Number(event.kv.mod_revision) > known) this.#note(event)
    }
    this.#wake()
  }

  #note({ type, kv }: GatewayEvent): void {
    const revision = Number(kv.mod_revision)
    const key = Buffer.from(kv.key, 'base64').toString()
    const text = type === 'DELETE' ? undefined : Buffer.from(kv.value ?? '', 'base64').toString()
    if (key === LEASE && text !== undefined) this.#leases.push(leaseVersion(text, revision))
    const names = key.startsWith(CONFIG_MAPS) ? key.slice(CONFIG_MAPS.length) : undefined
    if (names !== undefined && this.#namespaces.has(names.split('/')[0]!)) {
      const object = text === undefined ? undefined : seenObject(JSON.parse(text) as StoredObject, revision)
      this.truth.add({ revision, key: names, object })
    }
    this.truth.reach(revision)
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}

/** Of an object as it is stored or answered. */
export function seenObject({ metadata, data }: StoredObject, revision: number): SeenObject {
  const { namespace, name, uid, labels } = metadata
  return { key: `${namespace}/${name}`, revision, value: data?.['v'], color: labels?.['color'], uid }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

export function leaseVersion(text: string, revision: number): LeaseVersion {
  const { spec } = JSON.parse(text) as StoredLease
  return {
    revision,
    holder: spec.holderIdentity ?? '',
    transitions: spec.leaseTransitions ?? 0,
    renewedMs: Date.parse(spec.renewTime),
    seenMs: performance.now(),
    durationMs: spec.leaseDurationSeconds * 1000,
  }
}
