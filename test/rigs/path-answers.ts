// What a server answers to each method on each odd path, in a line of text, with what became of the objects that there are. Objects that
// a request removed are made again before the next one.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { GROUP, OBJECTS, type PathShape, REMOTE_GROUP } from '../corpora/path-shapes.ts'
import type { Send } from './path-senders.ts'
import type { OpenServer } from './running-server.ts'

interface Verb {
  readonly method: string
  readonly query?: string
  readonly type?: string
  readonly body?: (shape: PathShape) => object
}

/** Never the same again, so that each patch changes something. */
function newLabels(): Readonly<Record<string, string>> {
  return { touched: randomUUID() }
}

export const VERBS = {
  GET: { method: 'GET' },
  WATCH: { method: 'GET', query: 'watch=1&timeoutSeconds=1' },
  HEAD: { method: 'HEAD' },
  OPTIONS: { method: 'OPTIONS' },
  PROPFIND: { method: 'PROPFIND' },
  POST: { method: 'POST', body: ({ body }) => body },
  PUT: { method: 'PUT', body: ({ body }) => body },
  JSON: {
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: () => [{ op: 'add', path: '/metadata/labels', value: newLabels() }],
  },
  MERGE: { method: 'PATCH', type: 'application/merge-patch+json', body: () => ({ metadata: { labels: newLabels() } }) },
  STRATEGIC: {
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: () => ({ metadata: { labels: newLabels() } }),
  },
  APPLY: {
    method: 'PATCH',
    query: 'fieldManager=t&force=true',
    type: 'application/apply-patch+yaml',
    body: ({ body }) => body,
  },
  DELETE: { method: 'DELETE' },
} as const satisfies Readonly<Record<string, Verb>>

export type VerbName = keyof typeof VERBS
export const VERB_NAMES = Object.keys(VERBS) as readonly VerbName[]
const READS: ReadonlySet<VerbName> = new Set<VerbName>(['GET', 'WATCH', 'HEAD', 'OPTIONS', 'PROPFIND'])

/** Makes the kinds, the objects and the server behind that the paths speak of; that server ends with `opened`. */
export async function furnish(server: OpenServer, opened: AsyncDisposableStack): Promise<void> {
  const definitions = [definition('widgets', 'Widget', 'Namespaced'), definition('gadgets', 'Gadget', 'Cluster')]
  for (const body of definitions) await server.must(DEFINITIONS, { method: 'POST', body })
  const port = await openBackend(opened)
  const spec = { type: 'ExternalName', externalName: 'localhost' }
  await server.must('/api/v1/namespaces/default/services', {
    method: 'POST',
    body: { metadata: { name: 'behind' }, spec },
  })
  const service = { namespace: 'default', name: 'behind', port }
  await server.must('/apis/apiregistration.k8s.io/v1/apiservices', {
    method: 'POST',
    body: {
      metadata: { name: `v1.${REMOTE_GROUP}` },
      spec: {
        group: REMOTE_GROUP,
        version: 'v1',
        service,
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
    },
  })
  const served = [`/apis/${GROUP}/v1/widgets`, `/apis/${GROUP}/v1/gadgets`, `/apis/${REMOTE_GROUP}/v1`]
  for (const path of served) {
    const untilMs = performance.now() + 60_000
    while ((await server.request(path)).status !== 200) {
      if (performance.now() > untilMs) throw new Error(`${path} is not served`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await restore(server, new Map())
}

/** Says what it was asked, so that an answer tells what was passed on. */
async function openBackend(opened: AsyncDisposableStack): Promise<number> {
  const hour = 3_600_000
  const { certificate, key } = makeServing(makeAuthority(hour), { dns: ['localhost'], addresses: [] }, hour)
  const backend = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ passedOn: url.replace(/\?.*/, '') }))
  })
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve))
  opened.defer(() => {
    backend.closeAllConnections()
    backend.close()
  })
  return (backend.address() as AddressInfo).port
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

function definition(plural: string, kind: string, scope: string): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  }
}

/** Asks a server about paths. What a request made or removed is put right before the next one. */
export class PathQuestions {
  readonly #server: OpenServer
  #before: World = new Map()
  #revision = ''

  constructor(server: OpenServer) {
    this.#server = server
  }

  /** Answers by verb. Throws where a request that failed has changed something. */
  async answersAt(shape: PathShape, send: Send, verbs: readonly VerbName[] = VERB_NAMES): Promise<readonly string[]> {
    const reads = verbs.filter((verb) => READS.has(verb))
    const answers = await Promise.all(reads.map((verb) => askOnce(send, shape, verb)))
    for (const verb of verbs.filter((each) => !READS.has(each))) {
      if (this.#before.size === 0) await this.#look()
      const answer = await askOnce(send, shape, verb)
      answers.push(answer.startsWith('2') ? answer + (await this.#changed()) : answer)
    }
    const changed = await this.#changed()
    if (changed !== '') throw new Error(`${shape.path}: a request that failed changed something:${changed}`)
    return answers
  }

  /** What is other than it was. */
  async #changed(): Promise<string> {
    if ((await revisionOf(this.#server)) === this.#revision) return ''
    const told = changes(this.#before, await world(this.#server))
    if (told !== '') await restore(this.#server, this.#before)
    await this.#look()
    return told
  }

  async #look(): Promise<void> {
    this.#revision = await revisionOf(this.#server)
    this.#before = await world(this.#server)
  }
}

/** Every write to the store gives it another. */
async function revisionOf(server: OpenServer): Promise<string> {
  const { metadata } = (await server.must('/api/v1/configmaps?limit=1')) as unknown as Listed
  return metadata.resourceVersion
}

async function askOnce(send: Send, shape: PathShape, name: VerbName): Promise<string> {
  const verb: Verb = VERBS[name]
  const joint = shape.path.includes('?') ? '&' : '?'
  const target = verb.query === undefined ? shape.path : `${shape.path}${joint}${verb.query}`
  const headers = { accept: 'application/json', ...(verb.type === undefined ? {} : { 'content-type': verb.type }) }
  const body = verb.body?.(shape)
  const answer = await send(target, { method: verb.method, headers, ...(body === undefined ? {} : { body }) })
  const told = [String(answer.status)]
  if (answer.headers['location'] !== undefined) told.push(`to ${answer.headers['location']}`)
  if (answer.body !== '') told.push(content(answer.body, shape.path))
  return told.join(' ')
}

const LONGEST_MESSAGE = 100

/** Names are left out of messages: they come from the path. */
function content(body: string, path: string): string {
  if (!body.startsWith('{')) return `text ${worded(body)}`
  const object = JSON.parse(body) as Said
  if (object.kind === 'Status') return `${object.reason ?? object.status} ${worded(object.message ?? '')}`
  return object.passedOn === path ? 'passed on as it is' : (object.kind ?? object.passedOn ?? 'JSON')
}

interface Said {
  readonly kind?: string
  readonly passedOn?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

function worded(text: string): string {
  const named = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"').replaceAll(/\(.*\)/g, '(…)')
  return named.split('\n', 1)[0]!.slice(0, LONGEST_MESSAGE)
}

type World = ReadonlyMap<string, string>

interface Listed {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly resourceVersion: string }
  readonly status?: { readonly phase?: string }
}

const LISTS = [
  '/api/v1/namespaces',
  '/api/v1/configmaps',
  '/api/v1/pods',
  '/api/v1/nodes',
  '/apis/apps/v1/deployments',
  `/apis/${GROUP}/v1/widgets`,
  `/apis/${GROUP}/v1/gadgets`,
  '/api/v1/serviceaccounts',
] as const

/** Each object's path, and which version of it there is. */
async function world(server: OpenServer): Promise<World> {
  const lists = await Promise.all(LISTS.map((list) => server.must(list)))
  const found = new Map<string, string>()
  for (const [i, list] of LISTS.entries()) {
    for (const { metadata, status } of lists[i]!['items'] as readonly Listed[]) {
      const { namespace, name, resourceVersion } = metadata
      if (namespace !== undefined && !namespace.startsWith('ns-')) continue
      if (list === '/api/v1/namespaces' && !name.startsWith('ns-')) continue
      const [, root = '', plural = ''] = /^(.*)\/([^/]+)$/.exec(list) ?? []
      const place = namespace === undefined ? list : `${root}/namespaces/${namespace}/${plural}`
      found.set(`${place}/${name}`, status?.phase === 'Terminating' ? 'ending' : resourceVersion)
    }
  }
  return found
}

function changes(before: World, after: World): string {
  const gone = [...before.keys()].filter((path) => !after.has(path))
  const made = [...after.keys()].filter((path) => !before.has(path))
  const changed = [...after].filter(([path, version]) => before.has(path) && before.get(path) !== version)
  const told = [
    ...gone.map((path) => ` -${path}`),
    ...made.map((path) => ` +${path}`),
    ...changed.map(([path]) => ` ~${path}`),
  ]
  return told.sort().join('')
}

/** A pod that is bound to a node is not what it was: it does not go at once. */
function isOtherPod(path: string, isChanged: boolean): boolean {
  return isChanged && path.includes('/pods/')
}

async function restore(server: OpenServer, before: World): Promise<void> {
  const after = await world(server)
  for (const [path, version] of after) {
    if (version === 'ending') {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } }
      await server.must(`${path}/finalize`, { method: 'PUT', body })
    } else if (before.size > 0 && (!before.has(path) || isOtherPod(path, before.get(path) !== version))) {
      await server.must(`${path}?gracePeriodSeconds=0`, { method: 'DELETE' })
    }
  }
  const left = await world(server)
  for (const { at, body } of OBJECTS) {
    if (!left.has(`${at}/${body.metadata.name}`)) await server.must(at, { method: 'POST', body })
  }
}

/** Answers by path; in the file each answer has a number, since most are the same. */
export type PathTable = ReadonlyMap<string, readonly string[]>

const TABLE = join(import.meta.dirname, '../fixtures/path-answers.json')

interface StoredTable {
  readonly verbs: readonly string[]
  readonly answers: readonly string[]
  /** Numbers of answers, one for each verb. */
  readonly paths: Readonly<Record<string, string>>
}

export function readPathTable(): PathTable {
  const { answers, paths } = JSON.parse(readFileSync(TABLE, 'utf8')) as StoredTable
  return new Map(
    Object.entries(paths).map(([path, numbers]) => [
      path,
      numbers.split(' ').map((number) => answers[Number(number)]!),
    ]),
  )
}

export function writePathTable(table: PathTable): void {
  const answers = [...new Set([...table.values()].flat())].sort()
  const numbers = new Map(answers.map((answer, i) => [answer, i]))
  const paths = Object.fromEntries(
    [...table].map(([path, told]) => [path, told.map((answer) => numbers.get(answer)).join(' ')]),
  )
  const stored: StoredTable = { verbs: VERB_NAMES, answers, paths }
  writeFileSync(TABLE, `${JSON.stringify(stored, undefined, 1)}\n`)
}
