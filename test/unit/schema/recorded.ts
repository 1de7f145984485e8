// Runs the recorded scenarios without a server: a small stand-in keeps what was written, answers with what was recorded,
// and writes down each attempt to create or change an object beside the real server's answer.
import { fileURLToPath } from 'node:url'
import type { ApiObject, GroupVersionKind } from '../../../src/api/object.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'
import { applyJsonPatch } from '../../../src/patch/json-patch.ts'
import { applyMergePatch } from '../../../src/patch/merge-patch.ts'
import { isApply, patchTypeOf } from '../../../src/patch/patch.ts'
import { applyStrategicMerge } from '../../../src/patch/strategic-merge.ts'
import { builtInGroups, type BuiltInResource } from '../../../src/schema/built-in-resources.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import { defaultsOf } from '../../corpora/kind-of.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { ObjectShape } from '../../../src/schema/table.ts'
import { ENABLED_GATES } from './gates.ts'
import { prepared, updated } from './prepared.ts'

const TABLE = loadBuiltInSchema()
const GROUPS = builtInGroups()
const SCENARIOS = new URL('../../conformance/scenarios/', import.meta.url)
/** The namespace of every scenario; recordings say `<ns>`. */
export const NAMESPACE = 'replay-0a1b2c3d'

interface Step {
  readonly step: string
  readonly status?: number
  readonly body?: ValueMap
}

interface Recordings {
  readonly recordedSteps: (
    folder: string,
    scenario: string,
    how: { readonly isOurs: boolean },
  ) => Promise<readonly Step[]>
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
  const { recordedSteps } = (await import(new URL('../recordings.mjs', SCENARIOS).href)) as Recordings
  const steps = await recordedSteps(fileURLToPath(SCENARIOS), name, { isOurs: true })
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
  private readonly asked = new Map<string, number>()
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
    const kept = status < 300 ? (this.found(written?.path ?? pathOf(target)) ?? recorded.body) : recorded.body
    return Promise.resolve(answer(status, kept))
  }

  /** A request that is not recorded. It succeeds, unless it is repeated: then it is waited for to fail, or to be warned of. */
  quiet(method: string, target: string, options: Options = {}): Promise<Answer> {
    const path = pathOf(target)
    if (path.endsWith('accessreviews'))
      return Promise.resolve(answer(201, { status: { allowed: this.turn(target) % 2 === 1 } }))
    if (target.includes('dryRun=All')) {
      const turn = this.turn(target)
      const headers = turn % 3 === 2 ? { warning: '299 - "x"' } : {}
      return Promise.resolve({ ...answer(turn % 3 === 0 ? 403 : 201, options.body), headers })
    }
    const written = this.written(method, target, options)
    if (written !== undefined) this.keep(written.path, written.attempt.object)
    if (method === 'DELETE') this.objects.delete(path)
    const body = path.endsWith('/token') ? { status: { token: 'a.b.c' } } : options.body
    const kept = path.endsWith('/token') ? undefined : this.found(written?.path ?? path)
    return Promise.resolve(answer(method === 'POST' ? 201 : 200, kept ?? body ?? {}))
  }

  private turn(target: string): number {
    const turn = (this.asked.get(target) ?? 0) + 1
    this.asked.set(target, turn)
    return turn
  }

  /** What is kept under a path, or under the path of what this is a subresource of. */
  private found(path: string): ApiObject | undefined {
    return this.objects.get(path) ?? this.objects.get(path.slice(0, path.lastIndexOf('/')))
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
    if (place === undefined || typeof options.body !== 'object' || method === 'GET' || method === 'DELETE')
      return undefined
    const body = plain(options.body)
    const { resource, name, subresource, collection } = place
    const gvk = { group: resource.group, version: resource.version, kind: resource.kind }
    const shared = { gvk, namespaced: resource.namespaced, subresource }
    const stored = this.objects.get(`${collection}/${name}`)
    if (method === 'POST' && (subresource !== '' || name !== '')) return undefined
    const wanted = method === 'PATCH' ? patched(gvk, stored, body, options) : body
    const object = isMap(wanted) ? this.decoded(gvk, wanted, resource) : undefined
    if (object === undefined) return undefined
    if (method === 'POST' || stored === undefined) {
      const made = prepared(object)
      return { attempt: { ...shared, object: made }, path: `${collection}/${nameOf(made)}` }
    }
    return {
      attempt: { ...shared, object: updated(object, stored, subresource), stored },
      path: `${collection}/${name}`,
    }
  }

  /** As the server would read it; absent where it would not. */
  private decoded(gvk: GroupVersionKind, body: ValueMap, resource: BuiltInResource): ApiObject | undefined {
    const metadata = isMap(body['metadata']) ? body['metadata'] : {}
    const { namespace: _, ...global } = metadata
    const generated = metadata['name'] === undefined && typeof metadata['generateName'] === 'string'
    const named = {
      ...body,
      apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`,
      kind: gvk.kind,
      metadata: {
        ...(resource.namespaced ? { ...metadata, namespace: this.ns } : global),
        ...(generated && { name: `${textOf(metadata, 'generateName')}xyz12` }),
      },
    }
    try {
      const object = decodeObject(named, shapeOf(gvk)).value as ApiObject
      return applyDefaults(defaultsOf(gvk), object, { gates: ENABLED_GATES, now: () => '2024-01-01T00:00:00Z' })
    } catch {
      return undefined
    }
  }
}

function shapeOf(gvk: GroupVersionKind): ObjectShape {
  const kind = TABLE.kind(gvk)
  if (kind === undefined) throw new Error(`there is no ${gvk.kind}`)
  return kind.shape
}

function patched(
  gvk: GroupVersionKind,
  stored: ApiObject | undefined,
  patch: Value,
  options: Options,
): Value | undefined {
  const type = patchTypeOf(options.headers?.['content-type'] ?? '')
  if (stored === undefined || type === undefined || isApply(type)) return undefined
  try {
    if (type === 'json') return applyJsonPatch(stored, patch)
    if (type === 'merge') return applyMergePatch(stored, patch)
    return isMap(patch) ? applyStrategicMerge(shapeOf(gvk), stored, patch) : undefined
  } catch {
    return undefined
  }
}

type Bare = Pick<Attempt, 'gvk' | 'namespaced' | 'subresource' | 'object' | 'stored'>

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

/** As it would be after a journey through JSON. */
function plain(body: unknown): Value {
  return JSON.parse(JSON.stringify(body)) as Value
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
  const resource = GROUPS.find((candidate) => candidate.group === group)
    ?.versions.find((candidate) => candidate.version === version)
    ?.resources.find((candidate) => candidate.plural === plural)
  if (resource === undefined) return undefined
  const before = parts.slice(0, parts.length - rest.length + (inNamespace ? 2 : 0))
  return { resource, collection: `/${[...before, plural].join('/')}`, name, subresource }
}
