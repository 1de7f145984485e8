// One client of a run: it asks one of the replicas, and writes down what it asked for and was told, with the time before and after.
import { type Answered, type Asked, NoAnswer, type Speaker } from './connection.ts'
import type { Gate } from './gate.ts'
import type { Get, List, ReadAt, Recorder, Scope, SeenObject, Told, Watch, Write, WriteOutcome } from './history.ts'
import { seenObject } from './store-record.ts'

/** What all clients of a run share. */
export interface ClientParts {
  readonly recorder: Recorder
  readonly gate: Gate
  readonly roll: (sides: number) => number
  /** How long a client thinks for each millisecond that it would think by itself. Absent: as long. */
  readonly slowness?: number
  /** Revisions that it is of use to ask for: the oldest that is kept, where the window began, and the newest that anybody was told. */
  readonly known: { kept: number; since: number; newest: number }
}

export interface Wanted {
  readonly verb: 'create' | 'update' | 'patch' | 'delete'
  readonly key: string
  readonly value?: string
  readonly color?: string
  readonly expected?: number
}

interface ApiObject {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly continue?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly data?: Record<string, string>
  readonly items?: readonly ApiObject[]
  readonly details?: { readonly uid?: string }
  readonly code?: number
  /** Of a transaction. */
  readonly status?: { readonly resourceVersion?: string }
}

export interface WatchWish {
  readonly scope: Scope
  /** Undefined: the newest state first. */
  readonly after: number | undefined
  readonly seconds: number
}

/** A frozen replica must not hold a client up for the rest of the run. */
const LIMIT_MS = 5_000
/** They say that nothing was written. */
const REFUSALS = new Set([404, 409, 410, 429])
const INITIAL_END = 'k8s.io/initial-events-end'

export class RecordingClient {
  readonly name: string
  readonly parts: ClientParts
  readonly #connections: readonly Speaker[]

  /** `connections`: one to each of the replicas. */
  constructor(name: string, parts: ClientParts, connections: readonly Speaker[]) {
    this.name = name
    this.parts = parts
    this.#connections = connections
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }

  async write(wanted: Wanted): Promise<WriteOutcome> {
    const { verb, key, value, expected } = wanted
    const start = performance.now()
    const outcome = await this.#outcomeOf(requestOf(wanted))
    const write: Write = {
      client: this.name,
      verb,
      key,
      start,
      end: performance.now(),
      outcome,
      ...(value === undefined ? {} : { value }),
      ...(expected === undefined ? {} : { expected }),
    }
    this.parts.recorder.add('writes', write)
    if (outcome.kind === 'done') this.#learn(outcome.revision ?? 0)
    return outcome
  }

  /** Gives all of these objects the value, in one transaction. */
  async transact(keys: readonly string[], value: string, color: string): Promise<WriteOutcome> {
    const start = performance.now()
    const operations = keys.map((key) => ({ apply: objectOf({ verb: 'update', key, value, color }), force: true }))
    const body = { kind: 'Transaction', apiVersion: 'transactions.quarterdeck.io/v1', operations }
    const path = '/apis/transactions.quarterdeck.io/v1/transactions?fieldManager=together'
    const outcome = await this.#outcomeOf({ method: 'POST', path, body })
    const written = { client: this.name, verb: 'together', value, transaction: value, outcome } as const
    for (const key of keys) this.parts.recorder.add('writes', { ...written, key, start, end: performance.now() })
    if (outcome.kind === 'done') this.#learn(outcome.revision ?? 0)
    return outcome
  }

  /** `unknown`: it was not answered. */
  async get(key: string): Promise<SeenObject | undefined | 'unknown'> {
    const start = performance.now()
    const answer = await this.#read(pathOf(key))
    if (answer === undefined) return 'unknown'
    const found = answer.code === 404 ? undefined : toSeen(answer)
    const get: Get = { client: this.name, start, end: performance.now(), key, found }
    this.parts.recorder.add('gets', get)
    this.#learn(found?.revision ?? 0)
    return found
  }

  /** Undefined: it was not answered, or what was asked for is gone. Not written down: that is for whoever asked. */
  async list(scope: Scope, at: ReadAt, limit?: number): Promise<List | undefined> {
    const start = performance.now()
    const items: SeenObject[] = []
    const pages: number[] = []
    let token = ''
    do {
      const query = token === '' ? { ...versionQuery(at) } : { continue: token }
      const page = await this.#read(
        collectionPath(scope, { ...query, ...(limit === undefined ? {} : { limit: String(limit) }) }),
      )
      if (page?.items === undefined) return undefined
      items.push(...page.items.map((item) => toSeen(item)))
      pages.push(Number(page.metadata.resourceVersion))
      token = page.metadata.continue ?? ''
    } while (token !== '')
    const [revision = 0] = pages
    this.#learn(revision)
    const list = { client: this.name, start, end: performance.now(), scope, at, revision, items }
    return pages.length > 1 ? { ...list, pages } : list
  }

  /** Until it ends, of itself, by a fault or by the signal. `isGone`: the revision is no longer to be had. */
  async watch(wish: WatchWish, signal: AbortSignal): Promise<{ readonly watch: Watch; readonly isGone: boolean }> {
    const { scope, after, seconds } = wish
    const start = performance.now()
    const told: Told[] = []
    let isGone = false
    const query = {
      watch: '1',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(seconds),
      ...(after === undefined
        ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
        : { resourceVersion: String(after) }),
    }
    const status = await this.#pick().stream(collectionPath(scope, query), signal, (line) => {
      const { type, object } = JSON.parse(line) as { type: Told['type'] | 'ERROR'; object: ApiObject }
      if (type === 'ERROR') isGone = object.code === 410
      else told.push(toTold(type, object))
    })
    if (status === 410) isGone = true
    const watch = { client: this.name, start, end: performance.now(), scope, after, told: status === 200 ? told : [] }
    return { watch, isGone }
  }

  #pick(): Speaker {
    return this.#connections[this.parts.roll(this.#connections.length)]!
  }

  #learn(revision: number): void {
    const { known } = this.parts
    known.newest = Math.max(known.newest, revision)
  }

  async #outcomeOf(asked: Asked): Promise<WriteOutcome> {
    try {
      const { status, body } = await this.#pick().ask(asked, LIMIT_MS)
      if (status === 200 || status === 201) return doneBy(JSON.parse(body) as ApiObject)
      if (status >= 500) return { kind: 'unknown', why: `${status}` }
      if (!REFUSALS.has(status)) this.#surprise(asked, { status, body })
      return { kind: 'refused', status }
    } catch (error) {
      if (error instanceof NoAnswer && !error.wasSent) return { kind: 'refused', status: 0 }
      return { kind: 'unknown', why: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Undefined where there is no answer, or none to what was asked. */
  async #read(path: string): Promise<ApiObject | undefined> {
    const asked = { method: 'GET', path }
    try {
      const { status, body } = await this.#pick().ask(asked, LIMIT_MS)
      if (status === 200 || status === 404) return JSON.parse(body) as ApiObject
      if (status < 500 && !REFUSALS.has(status)) this.#surprise(asked, { status, body })
    } catch {
      // It is asked again soon.
    }
    return undefined
  }

  #surprise({ method, path }: Asked, { status, body }: Answered): void {
    this.parts.recorder.add('surprises', `answer: ${method} ${path}: ${status} ${body.slice(0, 300)}`)
  }
}

function objectOf({ key, value, color, expected }: Wanted) {
  const [namespace = '', name = ''] = key.split('/')
  const resourceVersion = expected === undefined ? {} : { resourceVersion: String(expected) }
  const labels = color === undefined ? {} : { labels: { color } }
  const metadata = { name, namespace, ...labels, ...resourceVersion }
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { v: value } }
}

function requestOf(wanted: Wanted): Asked {
  const { verb, key, value, color, expected } = wanted
  const object = objectOf(wanted)
  const { namespace } = object.metadata
  const resourceVersion = expected === undefined ? {} : { resourceVersion: String(expected) }
  const labels = color === undefined ? {} : { labels: { color } }
  switch (verb) {
    case 'create':
      return { method: 'POST', path: collectionPath({ namespace }, {}), body: object }
    case 'update':
      return { method: 'PUT', path: pathOf(key), body: object }
    case 'patch': {
      const body = { metadata: { ...labels, ...resourceVersion }, data: { v: value } }
      return { method: 'PATCH', path: pathOf(key), body, contentType: 'application/merge-patch+json' }
    }
    case 'delete': {
      const preconditions = expected === undefined ? {} : { preconditions: resourceVersion }
      return {
        method: 'DELETE',
        path: pathOf(key),
        body: { kind: 'DeleteOptions', apiVersion: 'v1', ...preconditions },
      }
    }
  }
}

function doneBy({ metadata, details, status }: ApiObject): WriteOutcome {
  if (status?.resourceVersion !== undefined) return { kind: 'done', revision: Number(status.resourceVersion), uid: '' }
  if (details?.uid !== undefined) return { kind: 'done', uid: details.uid }
  return { kind: 'done', revision: Number(metadata.resourceVersion), uid: metadata.uid }
}

function toTold(type: Told['type'], object: ApiObject): Told {
  const revision = Number(object.metadata.resourceVersion)
  if (type !== 'BOOKMARK') return { type, revision, object: toSeen(object) }
  return object.metadata.annotations?.[INITIAL_END] === 'true'
    ? { type, revision, isInitialEnd: true }
    : { type, revision }
}

function toSeen(object: ApiObject): SeenObject {
  return seenObject(object, Number(object.metadata.resourceVersion))
}

function pathOf(key: string): string {
  const [namespace, name] = key.split('/')
  return `/api/v1/namespaces/${namespace}/configmaps/${name}`
}

function collectionPath({ namespace, color }: Scope, query: Readonly<Record<string, string>>): string {
  const selection: Record<string, string> = color === undefined ? {} : { labelSelector: `color=${color}` }
  const text = new URLSearchParams({ ...selection, ...query }).toString()
  return `/api/v1/namespaces/${namespace}/configmaps${text === '' ? '' : `?${text}`}`
}

function versionQuery(at: ReadAt): Readonly<Record<string, string>> {
  switch (at.kind) {
    case 'latest':
      return {}
    case 'any':
      return { resourceVersion: '0' }
    case 'notOlderThan':
      return { resourceVersion: String(at.revision), resourceVersionMatch: 'NotOlderThan' }
    case 'exact':
      return { resourceVersion: String(at.revision), resourceVersionMatch: 'Exact' }
  }
}
