// The requests of the overview. Most of them ask for a few unhealthy objects only.
import { ApiFailure, ask, askText } from './api.ts'
import type { Fields } from './fields.ts'
import { type Counts, countsIn, failingWebhooks, type FailingWebhook, shownCounts } from './metrics-text.ts'
import { canList, collectionPath, type Kind, resourceName } from './kind.ts'

/** The largest number of rows of a kind. */
export const MOST_ROWS = 10

export interface Question {
  /** `deployments.apps` */
  readonly resource: string
  /** True for unhealthy objects. */
  readonly where?: string
  readonly select: string
  readonly more?: Readonly<Record<string, string>>
}

const TIMES = 'metadata.creationTimestamp,metadata.deletionTimestamp'
const is = (type: string): string =>
  `object.status.?conditions.orValue([]).exists(c, c.type == '${type}' && c.status == 'True')`
const FEWER = 'object.status.?readyReplicas.orValue(0) < object.spec.?replicas.orValue(1)'
const COUNTED = `${TIMES},spec.replicas,status`
const WITH_STATUS = `${TIMES},status`

export const WORKLOADS: readonly Question[] = [
  { resource: 'deployments.apps', where: FEWER, select: COUNTED },
  { resource: 'statefulsets.apps', where: FEWER, select: COUNTED },
  {
    resource: 'daemonsets.apps',
    where: 'object.status.?numberReady.orValue(0) < object.status.?desiredNumberScheduled.orValue(0)',
    select: WITH_STATUS,
  },
  { resource: 'jobs.batch', where: is('Failed'), select: WITH_STATUS },
  {
    resource: 'pods',
    where: `object.status.?phase.orValue('') != 'Succeeded' && !${is('Ready')}`,
    select: WITH_STATUS,
  },
]

export const EXTENSIONS: readonly Question[] = [
  {
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    where: `!${is('Established')}`,
    select: `${TIMES},status.conditions`,
  },
  { resource: 'apiservices.apiregistration.k8s.io', where: `!${is('Available')}`, select: WITH_STATUS },
]

export const WARNINGS: Question = {
  resource: 'events',
  select: 'involvedObject,reason,message,count,lastTimestamp,metadata.creationTimestamp',
  more: { fieldSelector: 'type=Warning', orderBy: 'lastTimestamp desc,metadata.creationTimestamp desc' },
}

export const NODES: Question = {
  resource: 'nodes',
  select: `${TIMES},spec.unschedulable,status.conditions,status.nodeInfo`,
  more: { limit: '500' },
}

export interface Found {
  readonly kind: Kind
  readonly objects: readonly Fields[]
  /** There are more objects than `objects` has. */
  readonly isCut: boolean
  /** The list leaves out objects that the user may not see. */
  readonly isPartial: boolean
  readonly where: string
}

/** The answer has objects, or rows with counts. */
interface Answer {
  readonly metadata: { readonly continue?: string }
  readonly items?: readonly Fields[]
  readonly rows?: readonly { readonly group: Readonly<Record<string, string | null>>; readonly count: number }[]
}

/** The answers about all kinds that the server serves. */
export async function askAll(
  kinds: readonly Kind[],
  namespace: string,
  questions: readonly Question[],
): Promise<readonly Found[]> {
  const asked = questions.flatMap((question) => {
    const kind = kinds.find((one) => resourceName(one) === question.resource && canList(one))
    return kind === undefined ? [] : [askFew(kind, namespace, question)]
  })
  return Promise.all(asked)
}

async function askFew(kind: Kind, namespace: string, { where = '', select, more }: Question): Promise<Found> {
  const search = { limit: String(MOST_ROWS), select, ...(where === '' ? {} : { where }), ...more }
  const { answer, isPartial } = await askVisible(kind, namespace, search)
  const objects = (answer.items ?? []).map((item) => ({ ...item, kind: kind.kind }))
  return { kind, objects, isCut: (answer.metadata.continue ?? '') !== '', isPartial, where }
}

/** A user who may not list all objects gets those that the user may see. */
async function askVisible(
  kind: Kind,
  namespace: string,
  search: Readonly<Record<string, string>>,
): Promise<{ readonly answer: Answer; readonly isPartial: boolean }> {
  const place = (more: Readonly<Record<string, string>>): string =>
    `${collectionPath(kind, namespace)}?${new URLSearchParams({ ...search, ...more }).toString()}`
  try {
    return { answer: await ask<Answer>(place({})), isPartial: false }
  } catch (error) {
    if (!isForbidden(error) || namespace !== '' || !kind.namespaced) throw error
    return { answer: await ask<Answer>(place({ accessible: 'true' })), isPartial: true }
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 403
}

/** The number of pods on each node. Undefined: the user may not list all pods. */
export async function podsByNode(): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    const { rows = [] } = await ask<Answer>('/api/v1/pods?groupBy=spec.nodeName')
    return new Map(rows.map(({ group, count }) => [group['spec.nodeName'] ?? '', count]))
  } catch (error) {
    if (!isForbidden(error)) throw error
    return undefined
  }
}

export interface Totals {
  readonly counts: Counts
  /** Undefined: the user may not read the metrics. */
  readonly webhooks: readonly FailingWebhook[] | undefined
  readonly isPartial: boolean
}

/** The console counts these kinds one by one if the user may not read the metrics, or if a namespace is chosen. */
const COUNTED_KINDS: readonly string[] = ['pods', 'deployments.apps', 'jobs.batch', 'services', 'configmaps', 'secrets']

/** The metrics have the numbers of all objects, so one request counts every kind. */
export async function readTotals(kinds: readonly Kind[], namespace: string): Promise<Totals> {
  try {
    const text = await askText('/metrics', { accept: 'text/plain' })
    const webhooks = failingWebhooks(text)
    if (namespace === '') return { counts: countsIn(text, kinds), webhooks, isPartial: false }
    return { ...(await countEach(kinds, namespace)), webhooks }
  } catch (error) {
    if (!isForbidden(error)) throw error
    return { ...(await countEach(kinds, namespace)), webhooks: undefined }
  }
}

async function countEach(kinds: readonly Kind[], namespace: string): Promise<Pick<Totals, 'counts' | 'isPartial'>> {
  const counted = kinds.filter((kind) => COUNTED_KINDS.includes(resourceName(kind)))
  const all = await Promise.allSettled(counted.map((kind) => askVisible(kind, namespace, { count: 'true' })))
  const counts = all.flatMap((result, i) =>
    result.status === 'fulfilled' ? [[counted[i]!, result.value.answer.rows?.[0]?.count ?? 0] as const] : [],
  )
  const isPartial = all.some((result) => result.status === 'rejected' || result.value.isPartial)
  return { counts: shownCounts(counts), isPartial }
}
