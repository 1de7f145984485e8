// Sends made-up requests to a server for a while: none of them may break it, be answered with a fault of ours, or be let
// through where the roles say no. Alone: `node test/security/fuzz.ts --seconds 600 --seed 7`.
import http2 from 'node:http2'
import { parseArgs } from 'node:util'
import type { OpenServer } from '../rigs/running-server.ts'
import { type FuzzedServer, startFuzzedServer } from './fuzzed-server.ts'
import { Dice, type FuzzAccess, type FuzzRequest, type FuzzResource, RequestMaker, Seen } from './fuzz-requests.ts'

export interface FuzzOptions {
  readonly seconds: number
  /** No more than so many. */
  readonly requests?: number
  readonly seed: number
  /** How many requests are under way at a time. */
  readonly width: number
}

export interface FuzzReport {
  readonly requests: number
  /** How many answers there were, by code. */
  readonly codes: Readonly<Record<string, number>>
  readonly problems: readonly string[]
  readonly slowestMs: number
  /** Megabytes in use, as the run goes on. */
  readonly memory: readonly number[]
}

/** What the limited user may do, in words that the oracle understands by itself. */
const GRANTS: readonly {
  readonly namespace: string
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}[] = [
  {
    namespace: 'fuzz',
    resources: ['configmaps', 'pods', 'pods/status'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  { namespace: '', resources: ['namespaces', 'nodes'], verbs: ['get', 'list'] },
]

const SELF_REVIEWS: readonly string[] = [
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
]

const LIMITED = 'limited-user'

function oracle({ verb, group, resource, namespace }: FuzzAccess): boolean {
  // Everybody may ask about themselves.
  if (verb === 'create' && SELF_REVIEWS.includes(`${resource}.${group}`)) return true
  return GRANTS.some(
    (grant) =>
      group === '' &&
      (grant.namespace === '' || grant.namespace === namespace) &&
      grant.resources.includes(resource) &&
      grant.verbs.includes(verb),
  )
}

async function grantRights(server: OpenServer): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'fuzz' } } })
  for (const [i, { namespace, resources, verbs }] of GRANTS.entries()) {
    const rules = [{ apiGroups: [''], resources, verbs }]
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: LIMITED }]
    const kind = namespace === '' ? 'ClusterRole' : 'Role'
    const place = namespace === '' ? rbac : `${rbac}/namespaces/${namespace}`
    const metadata = { name: `fuzz-${i}` }
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name }
    await server.must(`${place}/${kind.toLowerCase()}s`, { method: 'POST', body: { metadata, rules } })
    await server.must(`${place}/${kind.toLowerCase()}bindings`, {
      method: 'POST',
      body: { metadata, roleRef, subjects },
    })
  }
}

interface ResourceList {
  readonly groupVersion: string
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

async function discover(server: OpenServer): Promise<readonly FuzzResource[]> {
  const groups = (await server.must('/apis'))['groups'] as { versions: { groupVersion: string }[] }[]
  const places = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ]
  const found: FuzzResource[] = []
  for (const place of places) {
    const { groupVersion, resources } = (await server.must(place)) as unknown as ResourceList
    const [version = '', group = ''] = groupVersion.split('/').reverse()
    for (const { name, kind, namespaced } of resources) {
      if (name.includes('/')) continue
      const below = resources.filter((each) => each.name.startsWith(`${name}/`))
      const subresources = below.map((each) => each.name.slice(name.length + 1))
      found.push({ group, version, resource: name, kind, namespaced, subresources })
    }
  }
  return found
}

interface FuzzAnswer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** How long a watch is looked at. */
const LOOK_MS = 30
const PATIENCE_MS = 20_000
/** After so many requests it is looked at what is in use. */
const MEMORY_EVERY = 100

export class Fuzzer {
  readonly #server: FuzzedServer
  readonly #options: FuzzOptions
  readonly #tokens: Readonly<Record<FuzzRequest['user'], string>>
  readonly #seen = new Seen()
  readonly #codes: Record<string, number> = {}
  readonly #problems: string[] = []
  readonly #memory: number[] = []
  #client: http2.ClientHttp2Session | undefined
  #requests = 0
  #slowestMs = 0

  constructor(server: FuzzedServer, options: FuzzOptions, limitedToken: string) {
    this.#server = server
    this.#options = options
    this.#tokens = { admin: server.adminToken, limited: limitedToken, stranger: '' }
  }

  async run(): Promise<FuzzReport> {
    await grantRights(this.#server)
    const { seed, seconds, width, requests = Number.POSITIVE_INFINITY } = this.#options
    const maker = new RequestMaker(new Dice(seed), await discover(this.#server), this.#seen)
    const end = performance.now() + seconds * 1000
    let begun = 0
    const worker = async (): Promise<void> => {
      while (performance.now() < end && begun++ < requests && this.#problems.length < 20 && this.#server.isAlive) {
        await this.#one(maker.make())
        if (this.#requests % MEMORY_EVERY === 0) this.#memory.push(await this.#server.megabytesInUse())
      }
    }
    await Promise.all(Array.from({ length: width }, worker))
    this.#client?.destroy()
    if (!this.#server.isAlive) this.#problems.push('the server is gone')
    else if ((await this.#server.request('/livez')).body !== 'ok')
      this.#problems.push('the server is not well afterwards')
    const report = { codes: this.#codes, problems: this.#problems, memory: this.#memory }
    return { ...report, requests: this.#requests, slowestMs: Math.round(this.#slowestMs) }
  }

  async #one(request: FuzzRequest): Promise<void> {
    const began = performance.now()
    const told = (problem: string): void => {
      const body = request.body?.toString('latin1').slice(0, 2000) ?? ''
      this.#problems.push(
        `${problem}: ${request.user} ${request.method} ${request.target} ${JSON.stringify(request.headers)} ${body}`,
      )
    }
    try {
      const answer = await this.#send(request)
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began)
      this.#requests++
      this.#codes[answer.status] = (this.#codes[answer.status] ?? 0) + 1
      this.#judge(request, answer, told)
      this.#learn(answer)
    } catch (error) {
      // Strangers are sent away, and may be cut off while they are still sending, or shaking hands on a busy machine.
      const isCutOff = request.user === 'stranger' && isReset(error)
      if (!isCutOff) told(`no answer (${error instanceof Error ? error.message : String(error)})`)
    }
  }

  #judge(request: FuzzRequest, { status, body }: FuzzAnswer, told: (problem: string) => void): void {
    const text = body.toString('latin1', 0, 600).replaceAll(/\s+/g, ' ')
    // What is behind a proxy is not there, and says so.
    const isProxied = /\/(proxy|exec|attach|portforward|log)(\/|\?|$)/.test(request.target)
    if (status >= 500 && status !== 504 && !isProxied) told(`${status} ${text}`)
    if (status === 504 && !/timeout=|resourceVersion=/.test(request.target)) told(`${status} ${text}`)
    const { access, headers } = request
    if (access === undefined || request.user !== 'limited' || 'impersonate-user' in headers) return
    if (Object.keys(headers).some((name) => name.startsWith('impersonate-')) || /timeout=/.test(request.target)) return
    const isForbidden = status === 403 && text.includes('cannot ')
    if (!oracle(access) && !isForbidden && status !== 400) told(`let through with ${status}`)
    if (oracle(access) && isForbidden && !text.includes('exec')) told(`forbidden: ${text}`)
  }

  #learn({ status, type, body }: FuzzAnswer): void {
    if (status !== 200 && status !== 201) return
    if (type.startsWith('application/vnd.kubernetes.protobuf')) return this.#seen.keepBinary(body)
    if (!type.startsWith('application/json') || body.length > 50_000) return
    try {
      const value = JSON.parse(body.toString()) as { kind?: string; items?: object[]; metadata?: { continue?: string } }
      if (value.metadata?.continue) this.#seen.keepToken(value.metadata.continue)
      if (value.items === undefined && value.kind !== undefined) this.#seen.keepObject(value.kind, value)
    } catch {
      // The part of a watch that came in time.
    }
  }

  #session(): http2.ClientHttp2Session {
    if (this.#client !== undefined && !this.#client.closed && !this.#client.destroyed) return this.#client
    this.#client = this.#connect()
    return this.#client
  }

  /** Connections may break at any time, also when nothing is under way on them any more. */
  #connect(): http2.ClientHttp2Session {
    const client = http2.connect(this.#server.url, { rejectUnauthorized: false })
    client.on('error', () => {}).setMaxListeners(100)
    return client
  }

  #send({ method, target, user, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    return new Promise((resolve, reject) => {
      // Strangers lose their connection with every answer, and must not take the others' with them.
      const isStranger = user === 'stranger'
      const client = isStranger ? this.#connect() : this.#session()
      const token = this.#tokens[user]
      const stream = client.request(
        {
          ':method': method,
          ':path': target,
          ...headers,
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        },
        { endStream: body === undefined },
      )
      const pieces: Buffer[] = []
      let head: http2.IncomingHttpHeaders = {}
      const patience = setTimeout(() => fail(new Error('too slow')), PATIENCE_MS)
      const finish = (): void => {
        clearTimeout(patience)
        if (isStranger) client.destroy()
        const status = Number(head[':status'] ?? 0)
        if (status === 0) reject(new Error('no head'))
        else resolve({ status, type: head['content-type'] ?? '', body: Buffer.concat(pieces) })
      }
      const fail = (error: Error): void => {
        clearTimeout(patience)
        stream.close(http2.constants.NGHTTP2_CANCEL)
        if (isStranger) client.destroy()
        reject(error)
      }
      stream.on('response', (received) => {
        head = received
        // A watch would go on: a look at it is enough.
        if (method === 'GET' && /watch/.test(target) && received[':status'] === 200)
          setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), LOOK_MS)
      })
      stream.on('data', (piece: Buffer) => void pieces.push(piece))
      stream.on('error', (error) => (head[':status'] === undefined ? fail(error) : undefined))
      client.once('error', fail)
      stream.on('close', () => {
        client.off('error', fail)
        finish()
      })
      if (body !== undefined) stream.end(body)
    })
  }
}

function isReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ECONNRESET') || isReset(error.cause)
}

/** A server of its own, fuzzed. */
export async function fuzz(options: FuzzOptions, tokenFile: string): Promise<FuzzReport> {
  await using fuzzed = await startFuzzedServer(tokenFile)
  const report = await new Fuzzer(fuzzed, options, 'limited-token').run()
  return { ...report, problems: [...report.problems, ...fuzzed.faults] }
}

export const TOKEN_FILE = `limited-token,${LIMITED},limited-uid\n`

if (import.meta.main) {
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs')
  const { values } = parseArgs({
    options: { seconds: { type: 'string' }, seed: { type: 'string' }, width: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Date.now() % 1e9)
  const folder = mkdtempSync('/tmp/quarterdeck-fuzz-')
  writeFileSync(`${folder}/tokens`, TOKEN_FILE)
  const options = { seconds: Number(values.seconds ?? 60), seed, width: Number(values.width ?? 8) }
  const report = await fuzz(options, `${folder}/tokens`)
  rmSync(folder, { recursive: true })
  process.stdout.write(`${JSON.stringify({ seed, ...report }, undefined, 1)}\n`)
  process.exitCode = report.problems.length === 0 ? 0 : 1
}
