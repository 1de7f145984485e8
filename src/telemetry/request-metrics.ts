// The metrics of requests, with labels that clients cannot make up (P-481). A request that is not authorized is counted only by its verb
// and code, so that clients cannot create series at will. The series of a request are found by one lookup.
import { ClientGoneError, DeadlineError } from '../http/abort-reasons.ts'
import { isLongRunning } from '../http/deadline.ts'
import type { HttpRequest } from '../http/http.ts'
import type { FinishedRequest } from '../http/listener.ts'
import type { HttpMeasures } from '../http/measures.ts'
import type { RequestInfo, ResourceInfo } from '../http/request-info.ts'
import { type Count, counter, type Distribution, type Family, histogram } from '../lib/measure.ts'

export const REQUEST_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const SIZE_BUCKETS: readonly number[] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

/** For requests of these verbs, the path alone determines the labels. The labels of a patch also depend on whether it is an apply. */
const BY_PATH: ReadonlySet<string> = new Set(['get', 'create', 'update', 'delete'])
const REMEMBERED = 4096

export type RequestLabels = Readonly<Record<(typeof REQUEST_LABELS)[number], string>>

export interface RequestMetricsOptions {
  readonly http: HttpMeasures
  /** Whether the server serves the resource. Requests for other resources are not counted under their names. */
  readonly isServed: (info: ResourceInfo) => boolean
  /** Whether the version of the resource is deprecated. */
  readonly isDeprecated: (info: ResourceInfo) => boolean
}

/** The series of requests with the same labels. */
interface Tally {
  readonly labels: RequestLabels
  readonly dryRun: string
  readonly codes: Map<number, Count>
  readonly durations: Distribution
  readonly objectives: Distribution
  readonly sizes: Distribution
  readonly bodies: Distribution | undefined
}

export class RequestMetrics {
  readonly #options: RequestMetricsOptions
  readonly #total = counter('apiserver_request_total', 'Requests, by verb, resource, scope and status code.', [
    ...REQUEST_LABELS,
    'dry_run',
    'code',
  ])
  readonly #durations = histogram(
    'apiserver_request_duration_seconds',
    'Request latency in seconds, from the first byte received to the last byte sent.',
    { labels: [...REQUEST_LABELS, 'dry_run'], bounds: DURATION_BUCKETS },
  )
  readonly #objectives = histogram(
    'apiserver_request_sli_duration_seconds',
    'Request latency in seconds as measured by service level indicators.',
    { labels: REQUEST_LABELS, bounds: DURATION_BUCKETS.slice(2) },
  )
  readonly #sizes = histogram('apiserver_response_sizes', 'Response size in bytes.', {
    labels: REQUEST_LABELS,
    bounds: SIZE_BUCKETS,
  })
  readonly #tallies = new Map<string, Tally>()
  readonly #byInfo = new Map<RequestInfo, Tally>()

  constructor(options: RequestMetricsOptions) {
    this.#options = options
  }

  all(): readonly Family[] {
    return [this.#total, this.#durations, this.#objectives, this.#sizes, ...this.#options.http.all()]
  }

  /** The labels of a request. Undefined: the request is not counted. */
  labelsOf(request: HttpRequest): RequestLabels | undefined {
    return labelsOf(request, this.#options.isServed)
  }

  /** Forgets the series that were looked up, because some of them may be removed. */
  forgetFound(): void {
    this.#tallies.clear()
    this.#byInfo.clear()
  }

  observe({ request, isAuthorized, status, sentBytes, milliseconds }: FinishedRequest): void {
    if (!isAuthorized) return this.#countRefused(request, status)
    const tally = this.#tallyOf(request)
    if (tally === undefined) return
    this.#countOf(tally, status).value++
    tally.durations.observe(milliseconds / 1000)
    if (request.body.length > 0) tally.bodies?.observe(request.body.length)
    if (status === 429 || request.signal.aborted) this.#noteEnd(request, tally.labels, status)
    if (isLongRunning(request.info)) return
    tally.objectives.observe(milliseconds / 1000)
    tally.sizes.observe(sentBytes)
  }

  #countRefused(request: HttpRequest, status: number): void {
    const labels = { ...NO_LABELS, verb: verbOf(request) }
    this.#total.of(...valuesOf(labels), '', String(status)).value++
    if (status === 429 || request.signal.aborted) this.#noteEnd(request, labels, status)
  }

  /**
   * Returns the series of a request. If the path is enough, one lookup by `info` finds them: `http` has the same `info` for equal paths.
   */
  #tallyOf(request: HttpRequest): Tally | undefined {
    const { info, query } = request
    const dryRun = query.get('dryRun') === 'All' ? 'All' : ''
    const isByPath = info.kind === 'resource' && BY_PATH.has(info.verb) && dryRun === ''
    const known = isByPath ? this.#byInfo.get(info) : undefined
    if (known !== undefined) return known
    const labels = this.labelsOf(request)
    if (labels === undefined) return undefined
    const tally = this.#tallyUnder(labels, request, dryRun)
    if (!isByPath) return tally
    if (this.#byInfo.size >= REMEMBERED) this.#byInfo.clear()
    this.#byInfo.set(info, tally)
    return tally
  }

  #countOf({ codes, labels, dryRun }: Tally, status: number): Count {
    const known = codes.get(status)
    if (known !== undefined) return known
    const count = this.#total.of(...valuesOf(labels), dryRun, String(status))
    codes.set(status, count)
    return count
  }

  #tallyUnder(labels: RequestLabels, request: HttpRequest, dryRun: string): Tally {
    const { verb, group, version, resource, subresource, scope } = labels
    const key = `${verb} ${group} ${version} ${resource} ${subresource} ${scope} ${dryRun}`
    const known = this.#tallies.get(key)
    if (known !== undefined) return known
    const values = valuesOf(labels)
    const { http, isDeprecated } = this.#options
    const { info } = request
    const made = {
      labels,
      dryRun,
      codes: new Map<number, Count>(),
      durations: this.#durations.of(...values, dryRun),
      objectives: this.#objectives.of(...values),
      sizes: this.#sizes.of(...values),
      bodies: info.kind === 'resource' ? http.bodies.of(resource, verb.toLowerCase(), group) : undefined,
    }
    if (info.kind === 'resource' && isDeprecated(info)) {
      http.deprecated.of(group, version, resource, subresource, '').value = 1
    }
    this.#tallies.set(key, made)
    return made
  }

  /** Counts a request that its client gave up, or that the server ended. */
  #noteEnd(request: HttpRequest, labels: RequestLabels, status: number): void {
    const { aborts, terminations } = this.#options.http
    const { verb, group, version, resource, subresource, scope, component } = labels
    const { reason } = request.signal
    if (reason instanceof ClientGoneError && !isLongRunning(request.info)) {
      aborts.of(verb, group, version, resource, subresource, scope).value++
    }
    if (status === 429 || reason instanceof DeadlineError) {
      terminations.of(verb, group, version, resource, subresource, scope, component, String(status)).value++
    }
  }
}

function valuesOf(labels: RequestLabels): readonly string[] {
  return REQUEST_LABELS.map((name) => labels[name])
}

const NO_LABELS = Object.freeze(Object.fromEntries(REQUEST_LABELS.map((name) => [name, ''])) as RequestLabels)

/** The plain paths that are counted, with their names in metrics (P-481). */
const COUNTED_PATHS: ReadonlyMap<string, string> = new Map([
  ...['/healthz', '/livez', '/readyz'].map((path) => [path, path] as const),
  ...['api', 'apis', 'openapi/v2', 'openapi/v3'].map((path) => [`/${path}`, path] as const),
])

function labelsOf(request: HttpRequest, isServed: (info: ResourceInfo) => boolean): RequestLabels | undefined {
  const { info, path } = request
  if (info.kind === 'path') {
    const subresource = COUNTED_PATHS.get(path)
    return subresource === undefined ? undefined : { ...NO_LABELS, verb: verbOf(request), subresource }
  }
  if (info.kind === 'broken' || !isServed(info)) return undefined
  const { group, version, resource, subresource = '' } = info
  return { verb: verbOf(request), group, version, resource, subresource, scope: scopeOf(info), component: 'apiserver' }
}

function scopeOf({ name, namespace }: ResourceInfo): string {
  if (name !== undefined) return 'resource'
  return namespace === undefined ? 'cluster' : 'namespace'
}

const VERB_LABELS: Readonly<Record<ResourceInfo['verb'], string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  proxy: 'CONNECT',
  '': 'other',
}

function verbOf({ info, method, headers }: HttpRequest): string {
  if (info.kind !== 'resource') return method === 'GET' ? 'GET' : 'other'
  const contentType = headers['content-type']
  if (isLongRunning(info) && info.verb !== 'watch') return 'CONNECT'
  const isApply = info.verb === 'patch' && typeof contentType === 'string' && contentType.includes('/apply-patch+')
  return isApply ? 'APPLY' : VERB_LABELS[info.verb]
}
