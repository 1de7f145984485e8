// The product in the process of a test, without sockets: the composition of `quarterdeck serve` on a store in memory, by a clock that
// stands still until the test moves it. One server is started per thread; each world goes on from its state.
import { afterAll, onTestFinished } from 'vitest'
import type { ApiObject, GroupVersionResource } from '../../src/api/object.ts'
import { ApiError, type StatusDetails, type StatusReason } from '../../src/api/status.ts'
import type { User } from '../../src/api/user.ts'
import { parseYaml } from '../../src/codec/yaml-parse.ts'
import { readConfig } from '../../src/config/config.ts'
import type { ControllerParts } from '../../src/controllers/controllers.ts'
import type { Extensible } from '../../src/extensions/extensions.ts'
import type { Kv } from '../../src/kv/kv.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { openTime, type ServerTime } from '../../src/library/time.ts'
import type { Clock } from '../../src/library/virtual-clock.ts'
import type { RegistryParts, Resource, ResourceTable, WriteAnswer, WriteContext } from '../../src/registry/registry.ts'
import type { ServerState } from '../../src/server/past.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import { IN_PLACE } from './in-place.ts'
import { tempFolder } from './temp-folder.ts'

/** The time at which every world begins. */
export const NOW = '2030-01-02T03:04:05Z'

const NAMESPACES = '/api/v1/namespaces'
/** Where objects are unless a test says otherwise. */
export const NAMESPACE = 'ns'
const OTHER_NAMESPACES = ['other', 'elsewhere']

export interface WorldOptions {
  /** Of `quarterdeck serve`. */
  readonly flags?: readonly string[]
  readonly gates?: readonly string[]
  /** The names of controllers that are not to run. */
  readonly controllersOff?: readonly string[]
  /** Begins with an empty store: the server makes its own objects now. */
  readonly isNew?: boolean
  /** The address of the etcd that has the objects. Absent: they are in memory. */
  readonly etcd?: string
}

export interface SentRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body?: object | string | Buffer
  readonly contentType?: string
  readonly userAgent?: string
  readonly accept?: string
  /** Who asks; absent: the administrator. */
  readonly user?: User
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

export interface WatchedEvent {
  readonly type: string
  readonly object: ApiObject & { readonly code?: number; readonly message?: string }
}

export interface Watched {
  readonly status: number
  readonly events: readonly WatchedEvent[]
  /** Resolves when the answer has ended. */
  readonly over: Promise<void>
}

export interface WriteOptions {
  readonly namespace?: string
  readonly dryRun?: boolean
  readonly user?: User
  readonly fieldManager?: string
}

/** Opens a world that ends with the test. A world that is opened outside of tests ends with the file. */
export async function openWorld(options: WorldOptions = {}): Promise<ApiWorld> {
  const flags = flagsOf(options)
  if (options.etcd !== undefined)
    return openNew([`--etcd-servers=${options.etcd}`, '--data-dir', await tempFolder(), ...flags])
  if (options.isNew === true) return openNew(['--in-memory', ...flags])
  const began = await beginning()
  const started = rested.get(flags.join(' '))?.pop() ?? (await startFrom(began, ['--in-memory', ...flags]))
  const world = new ApiWorld(started, await started.running.awake())
  whenOver(() => rest(world, { ...started, flags }, began))
  return world
}

async function openNew(flags: readonly string[]): Promise<ApiWorld> {
  const started = await startFrom({ nowMs: Date.parse(NOW) }, flags)
  whenOver(() => started.running.stop())
  const world = new ApiWorld(started, await started.running.awake())
  await world.send({ method: 'POST', path: NAMESPACES, body: { metadata: { name: NAMESPACE } } })
  return world
}

/** Servers that are back at the beginning, by their flags. To restore one takes a tenth of the time of another fork. */
const rested = new Map<string, Started[]>()

async function rest(
  world: ApiWorld,
  { running, time, flags }: Started & { flags: readonly string[] },
  began: Beginning,
) {
  world.close()
  if (world.isChangedBelow || time.clock.now() !== began.nowMs) return running.stop()
  await running.past!.restore(began.state)
  const key = flags.join(' ')
  rested.set(key, [...(rested.get(key) ?? []), { running, time }])
}

function flagsOf({ flags = [], gates = [], controllersOff = [] }: WorldOptions): readonly string[] {
  return [
    ...flags,
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`]),
    ...(controllersOff.length === 0 ? [] : [`--controllers=*,${controllersOff.map((name) => `-${name}`).join(',')}`]),
  ]
}

interface Started {
  readonly running: RunningServer
  readonly time: ServerTime
}

interface Beginning {
  readonly state: ServerState
  readonly nowMs: number
}

let begun: Promise<Beginning> | undefined

/** The state that every world of this thread goes on from. */
function beginning(): Promise<Beginning> {
  begun ??= begin()
  return begun
}

/** The controllers are done with the new store after this time. */
const START_MS = 10_000

async function begin(): Promise<Beginning> {
  const nowMs = Date.parse(NOW)
  const { running, time } = await startFrom({ nowMs: nowMs - START_MS }, ['--in-memory'])
  const world = new ApiWorld({ running, time }, await running.awake())
  for (const name of [NAMESPACE, ...OTHER_NAMESPACES]) await world.must('POST', NAMESPACES, { metadata: { name } })
  await world.clock.advance(START_MS)
  const state = running.past!.state()
  await running.stop()
  return { state, nowMs }
}

async function startFrom(
  from: Pick<Beginning, 'nowMs'> & Partial<Beginning>,
  flags: readonly string[],
): Promise<Started> {
  const time = openTime({}, { clock: 'virtual', seed: undefined, nowMs: from.nowMs })
  const running = await startServer({
    config: await readConfig(['--secure-port=0', ...IN_PLACE, ...flags], {}),
    log: SILENT_LOG,
    signal: new AbortController().signal,
    sharesProcess: true,
    ...time.order,
    ...(from.state === undefined ? {} : { from: from.state }),
  })
  return { running, time }
}

function whenOver(close: () => Promise<void>): void {
  try {
    onTestFinished(close)
  } catch {
    afterAll(close)
  }
}

export class ApiWorld {
  /** Of all requests. */
  readonly warnings: string[] = []
  /** The test changed the server in a way that cannot be undone: no other test gets this server. */
  isChangedBelow = false
  /** What its controllers work with. */
  readonly controllerParts: ControllerParts
  readonly #running: RunningServer
  readonly #time: ServerTime
  readonly #connection: ReturnType<RunningServer['connect']>

  constructor({ running, time }: Started, parts: ControllerParts) {
    this.#running = running
    this.#time = time
    this.controllerParts = parts
    this.#connection = running.connect()
  }

  /** Its store, its cache and its admission. */
  get parts(): RegistryParts {
    return this.controllerParts.registry
  }

  get resources(): ResourceTable {
    return this.controllerParts.resources()
  }

  /** The storage below the server. */
  get kv(): Kv {
    this.isChangedBelow = true
    return this.#running.kv
  }

  /** For functions in the place of webhooks. They stay for the life of the server. */
  get extensible(): Extensible {
    this.isChangedBelow = true
    return this.#running.extensible
  }

  get clock(): Clock {
    return this.#time.clock
  }

  resource(name: string, group = '', version = 'v1'): Resource {
    const place: GroupVersionResource = { group, version, resource: name }
    const found = this.resources.find(place)
    if (found === undefined) throw new Error(`no ${name}`)
    return found
  }

  /** For calls of the registry itself. */
  context(more: Partial<WriteContext> = {}): WriteContext {
    return {
      user: { name: 'someone', uid: undefined, groups: [], extra: {} },
      namespace: NAMESPACE,
      dryRun: false,
      now: this.controllerParts.now(),
      gates: this.controllerParts.gates,
      warn: (text) => void this.warnings.push(text),
      annotate: () => {},
      signal: new AbortController().signal,
      fieldManager: 'test',
      options: {},
      authorize: () => Promise.resolve(),
      ...more,
    }
  }

  async create(resource: Resource, object: object, options: WriteOptions = {}): Promise<ApiObject> {
    const { kind, group, version } = resource
    const body = { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...object }
    return this.must('POST', `${collectionOf(resource, options)}${queryOf(options)}`, body, options.user)
  }

  /** Reads the object, or a subresource of it, and writes the change; reads again after a conflict that the test did not ask for. */
  async update(
    resource: Resource,
    name: string,
    change: (live: ApiObject) => object,
    options: WriteOptions & { readonly subresource?: string } = {},
  ): Promise<ApiObject> {
    const { subresource = '', user } = options
    const path = `${collectionOf(resource, options)}/${name}${subresource === '' ? '' : `/${subresource}`}`
    for (let attempt = 1; ; attempt++) {
      const live = await this.must('GET', path)
      const wanted = change(live) as ApiObject
      try {
        return await this.must('PUT', `${path}${queryOf(options)}`, wanted, user)
      } catch (error) {
        const isOurs = wanted.metadata.resourceVersion === live.metadata.resourceVersion
        if (!isOurs || attempt === 10 || !(error instanceof ApiError) || error.reason !== 'Conflict') throw error
      }
    }
  }

  async get(resource: Resource, name: string, namespace = NAMESPACE): Promise<ApiObject> {
    return this.must('GET', `${collectionOf(resource, { namespace })}/${name}`)
  }

  async delete(resource: Resource, name: string, options: object = {}, namespace = NAMESPACE): Promise<ApiObject> {
    return this.must('DELETE', `${collectionOf(resource, { namespace })}/${name}`, options)
  }

  /** Posts to a subresource: `pods/binding`. */
  async act(place: string, name: string, body: object, options: WriteOptions = {}): Promise<ApiObject> {
    const [plural = '', subresource = ''] = place.split('/')
    const path = `${collectionOf(this.resource(plural), options)}/${name}/${subresource}`
    return this.must('POST', `${path}${queryOf(options)}`, body, options.user)
  }

  /** Ends its requests. */
  close(): void {
    this.#connection.close()
  }

  /** The body of an answer of success; throws an `ApiError` for every other answer. */
  async must(method: string, path: string, body?: object, user?: User): Promise<ApiObject> {
    const sent = { method, path, ...(body === undefined ? {} : { body }), ...(user === undefined ? {} : { user }) }
    const { status, body: answered } = await this.send(sent)
    if (status < 300) return answered as unknown as ApiObject
    const { reason = '', message, details } = answered as { reason?: string; message: string; details?: StatusDetails }
    throw new ApiError(reason as StatusReason, message, { code: status, ...(details === undefined ? {} : { details }) })
  }

  async send(sent: SentRequest): Promise<Answer> {
    const { status, bytes, warnings } = await this.#answer(sent)
    const text = bytes.toString()
    const isYaml = sent.accept?.startsWith('application/yaml')
    const value: unknown = text === '' ? {} : isYaml ? parseYaml(Buffer.from(text)).value : JSON.parse(text)
    return { status, body: value as Answer['body'], warnings }
  }

  /** The body of an answer, whatever it is. */
  async sendForText(sent: SentRequest): Promise<string> {
    return (await this.#answer(sent)).bytes.toString()
  }

  /** The status of an answer and the first piece of its body: of a watch, what it begins with. */
  async sendForStart(sent: SentRequest): Promise<string> {
    const ending = new AbortController()
    const { status, body } = await this.#connection.send(this.#requestOf(sent), ending.signal)
    try {
      for await (const piece of body) return `${status} ${piece.toString()}`
      return String(status)
    } finally {
      ending.abort()
    }
  }

  async sendForBytes(sent: SentRequest): Promise<Buffer> {
    return (await this.#answer(sent)).bytes
  }

  /** The events of a watch in JSON, which are added as they come, until the test is over. */
  async watch(path: string, user?: User): Promise<Watched> {
    const ending = new AbortController()
    const sent = { method: 'GET', path, ...(user === undefined ? {} : { user }) }
    const { status, body } = await this.#connection.send(this.#requestOf(sent), ending.signal)
    const events: WatchedEvent[] = []
    const read = async (): Promise<void> => {
      let rest = ''
      for await (const piece of body) {
        const lines = `${rest}${piece.toString()}`.split('\n')
        rest = lines.pop()!
        events.push(...lines.map((line) => JSON.parse(line) as WatchedEvent))
      }
    }
    const over = read().catch(() => {})
    whenOver(() => {
      ending.abort()
      return over
    })
    return { status, events, over }
  }

  async #answer(sent: SentRequest): Promise<{ status: number; bytes: Buffer; warnings: readonly string[] }> {
    const { signal } = new AbortController()
    const { status, headers, body } = await this.#connection.send(this.#requestOf(sent), signal)
    const pieces: Buffer[] = []
    for await (const piece of body) pieces.push(piece)
    const warnings = warningsIn(headers['warning'] ?? '')
    this.warnings.push(...warnings)
    return { status, bytes: Buffer.concat(pieces), warnings }
  }

  #requestOf({ method, path, body, contentType = 'application/json', userAgent = 'test', accept, user }: SentRequest) {
    const headers = {
      authorization: `Bearer ${this.#running.adminToken}`,
      'user-agent': userAgent,
      ...(accept === undefined ? {} : { accept }),
      ...(user === undefined ? {} : headersOf(user)),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    }
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    return { method, path, headers, body: isRaw ? body : JSON.stringify(body) }
  }
}

function collectionOf(
  { group, version, resource, namespaced }: Resource,
  { namespace = NAMESPACE }: WriteOptions,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced ? `${root}/namespaces/${namespace}/${resource}` : `${root}/${resource}`
}

function queryOf({ dryRun = false, fieldManager }: WriteOptions): string {
  const parts = [
    ...(dryRun ? ['dryRun=All'] : []),
    ...(fieldManager === undefined ? [] : [`fieldManager=${fieldManager}`]),
  ]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function headersOf({ name, uid, groups, extra }: User): Record<string, string | readonly string[]> {
  return {
    'impersonate-user': name,
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(Object.entries(extra).map(([key, values]) => [`impersonate-extra-${key}`, values])),
  }
}

function warningsIn(header: string): readonly string[] {
  const texts = header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)
  return Array.from(texts, ([, text = '']) => Buffer.from(text.replaceAll(/\\(.)/g, '$1'), 'latin1').toString())
}

/** What a write of the registry answered with, as an object. */
export function plain(object: WriteAnswer['object']): ApiObject {
  return Buffer.isBuffer((object as { bytes?: unknown }).bytes)
    ? (object as { object(): ApiObject }).object()
    : (object as ApiObject)
}
