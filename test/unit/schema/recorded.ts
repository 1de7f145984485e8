// Runs the recorded scenarios without a server: a small stand-in keeps what was written, answers with what was recorded,
// and writes down each attempt to create or change an object beside the real server's answer.
import { readFile } from 'node:fs/promises'
import type { ApiObject, GroupVersionKind } from '../../../src/api/object.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'
import { builtInGroups, type BuiltInResource } from '../../../src/schema/built-in-resources.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import { ENABLED_GATES } from './gates.ts'
import { hasStatus, prepared } from './prepared.ts'

const SCENARIOS = new URL('../../conformance/scenarios/', import.meta.url)
const NAMESPACE = 'replay-0a1b2c3d'
const MERGE_PATCH = 'application/merge-patch+json'

interface Step {
  readonly step: string
  readonly status?: number
  readonly body?: ValueMap
}

type Shorten = (body: unknown) => unknown

export interface Attempt {
  readonly step: string
  readonly gvk: GroupVersionKind
  readonly namespaced: boolean
  readonly subresource: string
  readonly object: ApiObject
  /** Absent where the object is new. */
  readonly stored?: ApiObject
  readonly pick: Shorten
  readonly status: number
  readonly answer: ValueMap
}

interface Options {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly pick?: Shorten
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly raw: Buffer
  readonly body: unknown
}

/** A scenario's attempts, in order. */
export async function attemptsIn(name: string): Promise<readonly Attempt[]> {
  const steps = JSON.parse(await readFile(new URL(`${name}.recorded.json`, SCENARIOS), 'utf8')) as readonly Step[]
  const module = (await import(new URL(`${name}.scenario.mjs`, SCENARIOS).href)) as {
    default: { run: (hand: StandIn) => Promise<void> }
  }
  const hand = new StandIn(steps)
  await module.default.run(hand)
  return hand.attempts
}

/** What a scenario calls `t`. */
class StandIn {
  readonly ns = NAMESPACE
  readonly attempts: Attempt[] = []
  private readonly steps: readonly Step[]
  private readonly objects = new Map<string, ApiObject>()
  private next = 0
  private version = 0

  constructor(steps: readonly Step[]) {
    this.steps = steps
  }

  mask(): void {}
  cleanup(): void {}

  check(label: string): void {
    this.take(`check ${label}`)
  }

  namespace(): Promise<string> {
    return Promise.resolve(this.ns)
  }

  until(target: string): Promise<Answer> {
    return Promise.resolve(answer(200, this.objects.get(pathOf(target)) ?? {}))
  }

  get(target: string, options?: Options): Promise<Answer> {
    return this.request('GET', target, options)
  }

  post(target: string, body: unknown, options: Options = {}): Promise<Answer> {
    return this.request('POST', target, { ...options, body })
  }

  put(target: string, body: unknown, options: Options = {}): Promise<Answer> {
    return this.request('PUT', target, { ...options, body })
  }

  delete(target: string, body: unknown, options: Options = {}): Promise<Answer> {
    return this.request('DELETE', target, { ...options, body })
  }

  patch(target: string, body: unknown, type: string, options: Options = {}): Promise<Answer> {
    return this.request('PATCH', target, { ...options, body, headers: { 'content-type': type, ...options.headers } })
  }

  watch(target: string): Promise<unknown> {
    this.take(`watch ${target}`)
    return Promise.resolve({
      status: 200,
      next: () => Promise.resolve(undefined),
      events: () => {
        this.take(`events ${target}`)
        return Promise.resolve([])
      },
      ended: () => Promise.resolve(true),
      close: () => undefined,
    })
  }

  request(method: string, target: string, options: Options = {}): Promise<Answer> {
    const recorded = this.take(`${method} ${target}`)
    const status = recorded.status ?? 0
    const written = this.written(method, target, options)
    if (written !== undefined) {
      this.attempts.push({
        ...written.attempt,
        step: recorded.step,
        pick: options.pick ?? ((body) => body),
        status,
        answer: recorded.body ?? {},
      })
      if (status < 300 && !target.includes('dryRun=All')) this.keep(written.path, written.attempt.object)
    }
    if (method === 'DELETE' && status < 300) this.objects.delete(pathOf(target))
    const kept = status < 300 ? (this.objects.get(written?.path ?? pathOf(target)) ?? recorded.body) : recorded.body
    return Promise.resolve(answer(status, kept))
  }

  /** A request that is not recorded: it is taken to succeed. */
  quiet(method: string, target: string, options: Options = {}): Promise<Answer> {
    const written = this.written(method, target, options)
    if (written !== undefined) this.keep(written.path, written.attempt.object)
    if (method === 'DELETE') this.objects.delete(pathOf(target))
    const path = written?.path ?? pathOf(target)
    return Promise.resolve(answer(method === 'POST' ? 201 : 200, this.objects.get(path) ?? options.body ?? {}))
  }

  private take(step: string): Step {
    const recorded = this.steps[this.next++]
    const wanted = step.replaceAll(this.ns, '<ns>')
    if (recorded === undefined) throw new Error(`nothing is recorded for ${wanted}`)
    return recorded
  }

  private keep(path: string, object: ApiObject): void {
    this.objects.set(path, { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } })
  }

  private written(method: string, target: string, options: Options): { attempt: Bare; path: string } | undefined {
    const place = resourceAt(pathOf(target))
    if (place === undefined || !isMap(options.body as Value) || method === 'GET' || method === 'DELETE')
      return undefined
    const body = plain(options.body)
    const { resource, name, subresource, collection } = place
    const gvk = { group: resource.group, version: resource.version, kind: resource.kind }
    const shared = { gvk, namespaced: resource.namespaced, subresource }
    const stored = this.objects.get(`${collection}/${name}`)
    if (method === 'POST') {
      if (subresource !== '' || name !== '') return undefined
      const object = prepared(this.defaulted(gvk, this.named(gvk, body, resource)))
      return { attempt: { ...shared, object }, path: `${collection}/${nameOf(object)}` }
    }
    const wanted = method === 'PUT' ? body : this.patched(stored, body, options)
    if (wanted === undefined) return undefined
    const path = `${collection}/${name}`
    if (stored === undefined) {
      const object = prepared(this.defaulted(gvk, this.named(gvk, wanted, resource)))
      return { attempt: { ...shared, object }, path }
    }
    const object = this.updated(this.defaulted(gvk, this.named(gvk, wanted, resource)), stored, subresource)
    return { attempt: { ...shared, object, stored }, path }
  }

  private patched(stored: ApiObject | undefined, body: ValueMap, options: Options): ValueMap | undefined {
    const isMerge = options.headers?.['content-type'] === MERGE_PATCH
    return isMerge && stored !== undefined ? (merged(stored, body) as ValueMap) : undefined
  }

  private named(gvk: GroupVersionKind, body: ValueMap, resource: BuiltInResource): ApiObject {
    const metadata = isMap(body['metadata']) ? body['metadata'] : {}
    const generated = metadata['name'] === undefined && typeof metadata['generateName'] === 'string'
    return {
      ...body,
      apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`,
      kind: gvk.kind,
      metadata: {
        ...metadata,
        ...(resource.namespaced && { namespace: this.ns }),
        ...(generated && { name: `${textOf(metadata, 'generateName')}xyz12` }),
      },
    }
  }

  private defaulted(gvk: GroupVersionKind, object: ApiObject): ApiObject {
    return applyDefaults(gvk, object, { gates: ENABLED_GATES, now: () => '2024-01-01T00:00:00Z' })
  }

  private updated(object: ApiObject, stored: ApiObject, subresource: string): ApiObject {
    const metadata = { ...object.metadata }
    for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'generation', 'resourceVersion']) {
      const kept = field === 'uid' && metadata['uid'] !== undefined ? metadata['uid'] : stored.metadata[field]
      if (kept === undefined) delete metadata[field]
      else metadata[field] = kept
    }
    const changed: ApiObject = { ...object, metadata }
    if (subresource === 'status') return withMember({ ...stored, metadata }, 'status', changed['status'])
    return hasStatus(object.kind) ? withMember(changed, 'status', stored['status']) : changed
  }
}

type Bare = Pick<Attempt, 'gvk' | 'namespaced' | 'subresource' | 'object' | 'stored'>

function withMember(object: ApiObject, name: string, value: Value | undefined): ApiObject {
  const { [name]: _, ...rest } = object
  return (value === undefined ? rest : { ...rest, [name]: value }) as ApiObject
}

function textOf(map: ValueMap, name: string): string {
  const value = map[name]
  return typeof value === 'string' ? value : ''
}

function nameOf(object: ApiObject): string {
  return textOf(object.metadata, 'name')
}

function answer(status: number, body: unknown): Answer {
  return { status, headers: {}, raw: Buffer.from(''), body }
}

/** As it would be after a journey through JSON, without the nulls that decoding drops. */
function plain(body: unknown): ValueMap {
  return JSON.parse(JSON.stringify(body)) as ValueMap
}

function merged(target: Value | undefined, patch: Value): Value {
  if (!isMap(patch)) return patch
  const result: Record<string, Value> = isMap(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target
}

interface Place {
  readonly resource: BuiltInResource
  readonly collection: string
  readonly name: string
  readonly subresource: string
}

function resourceAt(path: string): Place | undefined {
  const parts = path.split('/').slice(1)
  const isCore = parts[0] === 'api'
  const group = isCore ? '' : (parts[1] ?? '')
  const version = isCore ? parts[1] : parts[2]
  const rest = parts.slice(isCore ? 2 : 3)
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2
  const [plural = '', name = '', subresource = ''] = inNamespace ? rest.slice(2) : rest
  const resource = builtInGroups()
    .find((candidate) => candidate.group === group)
    ?.versions.find((candidate) => candidate.version === version)
    ?.resources.find((candidate) => candidate.plural === plural)
  if (resource === undefined) return undefined
  const before = parts.slice(0, parts.length - rest.length + (inNamespace ? 2 : 0))
  return { resource, collection: `/${[...before, plural].join('/')}`, name, subresource }
}
