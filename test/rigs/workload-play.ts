// Plays workloads on a server, and says what there is after each stage: without names that are made up, addresses, nodes and times.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type PlannedWorkload, placeOf, type WorkloadStep } from '../corpora/planned-workloads.ts'
import type { OpenServer } from './running-server.ts'

type Json = Readonly<Record<string, unknown>>

interface PlainObject {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: Json
  readonly data?: Json
}

/** The text of every object, by the id of a workload, after each of its stages. */
export type PlayedWorkloads = ReadonlyMap<string, readonly (readonly string[])[]>

const COMPARED: Readonly<Record<string, string>> = {
  Deployment: '/apis/apps/v1/deployments',
  ReplicaSet: '/apis/apps/v1/replicasets',
  StatefulSet: '/apis/apps/v1/statefulsets',
  DaemonSet: '/apis/apps/v1/daemonsets',
  ControllerRevision: '/apis/apps/v1/controllerrevisions',
  Job: '/apis/batch/v1/jobs',
  CronJob: '/apis/batch/v1/cronjobs',
  Pod: '/api/v1/pods',
  Endpoints: '/api/v1/endpoints',
  EndpointSlice: '/apis/discovery.k8s.io/v1/endpointslices',
  PodDisruptionBudget: '/apis/policy/v1/poddisruptionbudgets',
  Event: '/api/v1/events',
}
const LOOK_EVERY_MS = 500
const AT_ONCE = 20

export async function playWorkloads(
  server: OpenServer,
  plans: readonly PlannedWorkload[],
  quietMs: number,
): Promise<PlayedWorkloads> {
  for (const { id } of plans)
    await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: id } } })
  const played = new Map<string, (readonly string[])[]>(plans.map(({ id }) => [id, []]))
  const most = Math.max(...plans.map(({ stages }) => stages.length))
  for (let stage = 0; stage < most; stage++) {
    const acting = plans.filter(({ stages }) => stages.length > stage)
    for (let at = 0; at < acting.length; at += AT_ONCE) {
      await Promise.all(
        acting.slice(at, at + AT_ONCE).map(async ({ id, stages }) => {
          for (const step of stages[stage]!) await take(server, id, step)
        }),
      )
    }
    const ids = new Set(acting.map(({ id }) => id))
    const found = await untilQuiet(server, ids, quietMs)
    for (const id of ids) played.get(id)!.push(textsOf(found.get(id) ?? []))
  }
  return played
}

async function take(server: OpenServer, namespace: string, step: WorkloadStep): Promise<void> {
  const place = placeOf(step.place, namespace)
  if (step.kind === 'create') {
    const answer = await server.request(place, { method: 'POST', body: step.object })
    if (answer.status !== 201) throw new Error(`${place}: ${answer.body}`)
  } else if (step.kind === 'change') {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const answer = await server.request(`${place}/${step.name}`, { method: 'PATCH', body: step.patch, headers })
    if (answer.status >= 500) throw new Error(`${place}: ${answer.body}`)
  } else {
    const name = step.name ?? (await firstOf(server, place))
    if (name !== undefined) await server.request(`${place}/${name}`, { method: 'DELETE', body: step.options ?? {} })
  }
}

async function firstOf(server: OpenServer, place: string): Promise<string | undefined> {
  const { items } = (await server.must(place)) as unknown as { readonly items: readonly PlainObject[] }
  return items.map(({ metadata }) => metadata.name).sort()[0]
}

type Found = ReadonlyMap<string, readonly PlainObject[]>

async function untilQuiet(server: OpenServer, ids: ReadonlySet<string>, quietMs: number): Promise<Found> {
  let last = ''
  for (let since = performance.now(); ; await delay(LOOK_EVERY_MS)) {
    const all = await look(server)
    const texts = all.flatMap(({ metadata }) =>
      ids.has(metadata.namespace) ? [metadata.uid + metadata.resourceVersion] : [],
    )
    const text = texts.join()
    if (text !== last) [last, since] = [text, performance.now()]
    else if (performance.now() - since >= quietMs) return Map.groupBy(all, ({ metadata }) => metadata.namespace)
  }
}

async function look(server: OpenServer): Promise<readonly PlainObject[]> {
  const lists = await Promise.all(
    Object.entries(COMPARED).map(async ([kind, path]) => {
      const { items } = (await server.must(path)) as unknown as { readonly items: readonly PlainObject[] }
      return items.map((item) => ({ ...item, kind }))
    }),
  )
  return lists.flat()
}

/** Letters of names that are made up, and of hashes. */
const MADE_UP = '[bcdfghjklmnpqrstvwxz2456789]'
const DROPPED: ReadonlySet<string> = new Set([
  'resourceVersion',
  'managedFields',
  'selfLink',
  'creationTimestamp',
  'count',
  'series',
])

/** One line for each object, in an order that does not depend on what is made up. */
function textsOf(objects: readonly PlainObject[]): readonly string[] {
  const names = new Map<string, string>()
  for (const { kind, metadata, spec, data } of objects) {
    names.set(metadata.uid, 'UID')
    const labels = metadata.labels ?? {}
    const hash =
      labels['pod-template-hash'] ?? labels['controller.kubernetes.io/hash'] ?? labels['controller-revision-hash']
    if ((kind !== 'ReplicaSet' && kind !== 'ControllerRevision') || hash === undefined) continue
    const content = JSON.stringify(sorted(spec?.['template'] ?? data, kind)).replaceAll(hash, '')
    names.set(hash.replace(/^.*-/, ''), `#${createHash('sha256').update(content).digest('hex').slice(0, 6)}`)
  }
  const plain = (text: string): string => {
    let told = text
    for (const [from, to] of names) told = told.replaceAll(from, to)
    return told
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID')
      .replace(/\bnode-\d\b/g, 'NODE')
      .replace(/\bsimulated-[abc]\b/g, 'ZONE')
      .replace(/\b10\.\d+\.\d+\.\d+\b|\b172\.30\.\d+\.\d+\b/g, 'IP')
      .replace(new RegExp(`-${MADE_UP}{7,10}\\b`, 'g'), '-#gone')
      .replace(new RegExp(`-${MADE_UP}{5,6}\\b`, 'g'), '-*')
      .replace(/simulated:\/\/[a-z0-9]+/g, 'ID')
  }
  const lines = objects.map((object) => {
    if (object.kind === 'Event') return plain(eventText(object as unknown as EventObject))
    return `${object.kind} ${plain(JSON.stringify(sorted(object, object.kind)))}`
  })
  const kept = objects.map(({ kind }, i) => [kind, lines[i]!] as const)
  // Events are compared once, however often they came. Two of them depend on the time: the steps of a rollout (from the tenth on, they are
  // combined into one event), and the failed binding of a pod that was deleted just before.
  const isTimed = (line: string): boolean =>
    line.includes(' ScalingReplicaSet ') || line.includes('running Bind plugin')
  const events = new Set(kept.flatMap(([kind, line]) => (kind === 'Event' && !isTimed(line) ? [line] : [])))
  return [...kept.flatMap(([kind, line]) => (kind === 'Event' ? [] : [line])), ...events].sort()
}

interface EventObject {
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly fieldPath?: string }
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly source?: { readonly component?: string }
  readonly reportingComponent?: string
}

function eventText({ involvedObject: about, type, reason, message, source, reportingComponent }: EventObject): string {
  return `Event ${about.kind}/${about.name} ${type} ${reason} ${message} (${source?.component ?? ''}, ${reportingComponent ?? ''})`
}

/** Members in the order of their names; lists of conditions and the like in one that does not depend on time. */
function sorted(value: unknown, kind: string, path = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted(item, kind, `${path}[]`))
    return /conditions|endpoints|addresses|subsets|ownerReferences$/.test(path) ||
      (kind === 'EndpointSlice' && path === '.ports')
      ? items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DROPPED.has(name) && !isUnsteady(kind, `${path}.${name}`))
      .map(([name, member]) => [name, sorted(member, kind, `${path}.${name}`)] as const)
      .filter(([name, member]) => name !== 'annotations' || Object.keys(member as object).length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function sortKey(item: unknown): string {
  const { type, ip, addresses, name } = item as Readonly<Record<string, unknown>>
  return JSON.stringify([type ?? ip ?? addresses ?? name, item])
}

/** What counts the writes of controllers, follows from node choice, or from what of several changes a controller sees at once. */
function isUnsteady(kind: string, path: string): boolean {
  if (kind === 'ReplicaSet' && (path === '.metadata.generation' || path === '.status.observedGeneration')) return true
  if (kind === 'Pod' && path.endsWith('bservedGeneration')) return true
  if (path.endsWith('.endpoints.kubernetes.io/last-change-trigger-time')) return true
  return kind === 'EndpointSlice' && (path === '.metadata.generation' || path.endsWith('.zone'))
}
