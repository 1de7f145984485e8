// The verbs of a kind's objects.
import type { Clock } from '../lib/clock.ts'
import { givenMembers } from '../lib/given-members.ts'
import { checkOptions, checkValue, type OptionTypes } from '../lib/known-options.ts'
import {
  type ApplyOptions,
  CALL,
  type CallOptions,
  type Endpoint,
  type EndpointCall,
  type PatchOptions,
  type Place,
  type WriteOptions,
} from './endpoint.ts'
import { hasReason } from './errors.ts'
import type { Binding, Eviction, Scale, Status, TokenRequest } from './gen/k8s.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { KubernetesObject, List, Stored } from './objects.ts'
import {
  type Condition,
  CONDITION,
  FIELDS,
  type Fields,
  fieldsText,
  type Grouping,
  GROUPING,
  isQuery,
  ORDER,
  QUERY_CALL,
  type QueryRow,
  type Selected,
  sendGrouping,
  sendQuery,
} from './query.ts'
import type { Query } from './requests.ts'
import { NEVER } from './waiting.ts'
import { eventsOf, type OpenWatch, resumingWatch, type WatchEvent } from './watch.ts'

/** Selects objects by labels and fields: a text (`app=web,tier!=cache`), or an object with the required value of each label or field. */
export interface Selection {
  readonly labelSelector?: string | Readonly<Record<string, string>>
  readonly fieldSelector?: string | Readonly<Record<string, string>>
}

/** The options of a list. */
export interface ListOptions extends CallOptions, Selection, Condition {
  /** Sorts by these fields: `spec.priority desc`. Quantities, versions and times sort by value. */
  readonly orderBy?: Fields
  /** The number of objects on a page. Default: 500, or all objects with `orderBy` or `accessible`. */
  readonly limit?: number
  /** Default: the newest state. `0`: any state in the server's cache. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact'
}

/** The options of a watch. */
export interface WatchOptions extends Selection, Condition {
  /** The resourceVersion of a list or an object: the watch begins after it. Default: now. */
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
}

/** The events have only these fields of an object, and its name and resourceVersion. */
interface WithFields {
  readonly select: Fields
}

/** The options of a delete. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** Deletes the object only if it has this uid and resourceVersion. Otherwise the server answers with a `Conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** An empty selector would select all objects. */
const SELECTION: OptionTypes<Selection> = { labelSelector: 'text|filled', fieldSelector: 'text|filled' }
const VERSION = { resourceVersion: 'text' } as const
const MATCH = { resourceVersionMatch: ['NotOlderThan', 'Exact'] } as const
const LIST: OptionTypes<ListOptions> = { ...QUERY_CALL, ...SELECTION, ...VERSION, ...MATCH, ...ORDER, limit: 'count?' }
const WATCH: OptionTypes<WatchOptions & Partial<WithFields>> = {
  ...SELECTION,
  ...CONDITION,
  ...VERSION,
  signal: 'signal?',
  select: FIELDS,
}
const COPY = { indexers: 'functions?', resyncMs: 'interval?', clock: 'clock?', onError: 'function?' } as const
const INFORMER: OptionTypes<InformerOptions<never, never> & Selection & Condition> = {
  ...SELECTION,
  ...CONDITION,
  ...COPY,
}
const PRECONDITIONS = { uid: 'text', resourceVersion: 'text' } as const
const POLICY = { gracePeriodSeconds: 'count', propagationPolicy: ['Background', 'Foreground', 'Orphan'] } as const
const DELETE: OptionTypes<DeleteOptions> = { ...CALL, ...POLICY, dryRun: 'boolean', preconditions: 'filled' }

/** Subresources with a type of their own. */
interface SubresourceTypes<T> {
  readonly status: Stored<T & KubernetesObject>
  readonly scale: Stored<Scale>
  readonly eviction: Eviction
  readonly binding: Binding
  readonly token: TokenRequest
}

type SubresourceType<T, N extends string> = N extends keyof SubresourceTypes<T> ? SubresourceTypes<T>[N] : unknown

const PAGE_SIZE = 500

/** A connection of a watch lasts five to ten minutes, as in client-go, so that load spreads over replicas. */
function watchSeconds({ chance = Math.random }: Clock): number {
  return Math.round(300 * (1 + chance()))
}

/**
 * The objects of one kind, in one namespace or in all. Every method throws `ApiStatusError` if the server refuses, `ConnectionError` if
 * there is no answer, and the signal's reason if the signal fires.
 */
export class Resource<T extends KubernetesObject, Sent extends KubernetesObject = T> {
  readonly #endpoint: Endpoint

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /** The objects of one namespace. Throws if the namespace is empty or missing. */
  inNamespace(namespace: string): Resource<T, Sent> {
    return new Resource(this.#endpoint.inNamespace(namespace))
  }

  /** Throws with the reason `NotFound` if there is no such object. */
  async get(name: string, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<Stored<T>> {
    const { resourceVersion } = this.#endpoint.checked('get', options, { ...CALL, ...VERSION })
    const query = { resourceVersion }
    return this.#endpoint.call({ verb: 'get', method: 'GET', place: { name }, query }, options)
  }

  /** The object, or undefined if none exists. Throws if the server does not know the kind. */
  async find(name: string, options: CallOptions = {}): Promise<Stored<T> | undefined> {
    try {
      return await this.get(name, options)
    } catch (error) {
      if (hasReason(error, 'NotFound') && error.details?.name === name) return undefined
      throw error
    }
  }

  /** All objects at one resourceVersion, read page by page. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const pages: List<T>[] = []
    try {
      for await (const page of this.pages(options)) pages.push(page)
      return { metadata: pages.at(-1)!.metadata, items: pages.flatMap(({ items }) => items) }
    } catch (error) {
      // The pages took too long and the rest has expired. One request reads all.
      if (pages.length === 0 || !hasReason(error, 'Expired', 'Gone')) throw error
      return this.#page({ ...options, limit: 0 }, undefined)
    }
  }

  /** The pages of a list, each read on demand. Throws with the reason `Expired` if a page is read too long after the first page. */
  async *pages(options: ListOptions = {}): AsyncGenerator<List<T>, void, undefined> {
    for (let next: string | undefined; ; ) {
      const page: List<T> = await this.#page(options, next)
      yield page
      next = page.metadata.continue
      if (next === undefined || next === '') return
    }
  }

  /** Lists objects with only these fields, and with their names and resourceVersions. */
  async select(fields: Fields, options: ListOptions = {}): Promise<List<Selected<T>>> {
    this.#endpoint.checked('select', options, LIST)
    checkValue(this.#endpoint.subject('select'), 'fields', fields, FIELDS)
    const { limit, resourceVersion, resourceVersionMatch } = options
    const query = { ...this.#selected('select', options), orderBy: fieldsText(options.orderBy), limit }
    const asked = { ...query, resourceVersion, resourceVersionMatch, select: fieldsText(fields) }
    return sendQuery(this.#endpoint, asked, options)
  }

  /** The number of objects. */
  async count(options: CallOptions & Selection & Condition = {}): Promise<number> {
    this.#endpoint.checked('count', options, { ...QUERY_CALL, ...SELECTION })
    const query = { ...this.#selected('count', options), count: true }
    const [row] = await sendGrouping(this.#endpoint, query, options)
    return row?.count ?? 0
  }

  /** Counts and measures groups of objects: `pods.groups({ by: 'spec.nodeName', sum: 'spec.containers.resources.requests.cpu' })`. */
  async groups(options: Grouping & CallOptions & Selection & Condition): Promise<readonly QueryRow[]> {
    const { by, sum, min, max, orderBy } = this.#endpoint.checked('groups', options, {
      ...QUERY_CALL,
      ...SELECTION,
      ...GROUPING,
    })
    checkValue(this.#endpoint.subject('groups'), 'by', by, FIELDS)
    const measured = { sum: fieldsText(sum), min: fieldsText(min), max: fieldsText(max) }
    const grouped = { groupBy: fieldsText(by), orderBy: fieldsText(orderBy), ...measured }
    return sendGrouping(this.#endpoint, { ...this.#selected('groups', options), ...grouped }, options)
  }

  /** The object needs `metadata.name` or `metadata.generateName`. Throws with the reason `AlreadyExists` if it exists. */
  async create(object: Sent, options: WriteOptions = {}): Promise<Stored<T>> {
    const { namespace } = this.#endpoint.placeOf('create', object)
    const body = this.#endpoint.complete(object)
    return this.#endpoint.write({ verb: 'create', method: 'POST', place: { namespace }, body }, options)
  }

  /** Replaces the object. With a `metadata.resourceVersion` it throws with the reason `Conflict` if the object has changed since. */
  async update(object: Sent, options: WriteOptions = {}): Promise<Stored<T>> {
    const place = this.#endpoint.placeOf('update', object)
    return this.#endpoint.write(
      { verb: 'update', method: 'PUT', place, body: this.#endpoint.complete(object) },
      options,
    )
  }

  /** Default: a merge patch. */
  async patch(name: string, patch: object, options: PatchOptions = {}): Promise<Stored<T>> {
    return this.#endpoint.patch({ name }, patch, options)
  }

  /** Server-side apply: sets the given fields of the object, or creates it. */
  async apply(object: Sent, options: ApplyOptions): Promise<Stored<T>> {
    return this.#endpoint.apply(this.#endpoint.placeOf('apply', object), object, options)
  }

  /** Resolves to the object if finalizers or a grace period keep it, else to a Status of success. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    this.#endpoint.checked('delete', options, DELETE)
    return this.#delete({ verb: 'delete', method: 'DELETE', place: { name } }, options)
  }

  /** Deletes the selected objects, or all objects of the namespace if there is no selector. An empty or undefined selector is refused. */
  async deleteCollection(options: DeleteOptions & Selection = {}): Promise<void> {
    this.#endpoint.checked('deleteCollection', options, { ...DELETE, ...SELECTION })
    const query = selectionQuery(this.#endpoint.subject('deleteCollection'), options)
    await this.#delete({ verb: 'deleteCollection', method: 'DELETE', place: {}, query }, options)
  }

  /** A subresource of the objects: `scale`, `eviction`, `binding`, `token`, … */
  subresource<N extends string>(name: N): Subresource<SubresourceType<T, N>> {
    return new Subresource(this.#endpoint, name)
  }

  /** The status of the objects. `update` and `patch` of the objects do not change it. */
  get status(): Subresource<Stored<T>> {
    return new Subresource(this.#endpoint, 'status')
  }

  /**
   * Yields every change once and in order, and bookmarks. It continues after a connection ends or breaks. It throws `WatchExpiredError` if
   * the server no longer has the changes: then list, and watch from the new resourceVersion. An informer does that by itself. With
   * `select`, the objects have these fields only, and a change of other fields is not an event.
   */
  watch(options: WatchOptions & WithFields): AsyncGenerator<WatchEvent<T, Selected<T>>, void, undefined>
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined>
  async *watch(
    options: WatchOptions & Partial<WithFields> = {},
  ): AsyncGenerator<WatchEvent<T> | WatchEvent<T, Selected<T>>, void, undefined> {
    const { select, ...listed } = this.#endpoint.checked('watch', options, WATCH)
    const selection = { ...this.#selected('watch', options), select: fieldsText(select) }
    const from = options.resourceVersion ?? (await this.#versionNow(listed, select))
    const { clock } = this.#endpoint.requests
    yield* resumingWatch(this.#openWatch(selection), { from, clock, signal: options.signal ?? NEVER })
  }

  /** A copy of the objects that stays up to date. Begin with its `start`. */
  informer<I extends string = never>(options: InformerOptions<T, I> & Selection & Condition = {}): Informer<T, I> {
    this.#endpoint.checked('informer', options, INFORMER)
    const query = this.#selected('informer', options)
    return new Informer(
      {
        list: (signal) => this.list({ ...givenMembers(query), signal }),
        watch: this.#openWatch(query),
        watchList: (signal) => this.#openInitial(query, isQuery(options), signal),
      },
      { clock: this.#endpoint.requests.clock, ...options },
    )
  }

  /** A server without queries would ignore the conditions of the watch. Such a server refuses the list that is sent first. */
  async *#openInitial(query: Query, isAsked: boolean, signal: AbortSignal): AsyncGenerator<WatchEvent<T>, void> {
    if (isAsked) await sendQuery(this.#endpoint, { ...query, limit: 1 }, { signal })
    const initial = { ...query, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
    yield* this.#openWatch(initial)(undefined, signal)
  }

  async #versionNow(options: WatchOptions, select: Fields | undefined): Promise<string> {
    const some = { ...options, limit: 1 }
    const { metadata } = await (select === undefined ? this.#page(some, undefined) : this.select(select, some))
    return metadata.resourceVersion
  }

  #selected(verb: string, options: Selection & Condition) {
    const { where, accessible } = options
    return { ...selectionQuery(this.#endpoint.subject(verb), options), where, accessible }
  }

  async #page(options: ListOptions, next: string | undefined): Promise<List<T>> {
    const { resourceVersion, resourceVersionMatch, ...asked } = this.#endpoint.checked('list', options, LIST)
    // The server would sort or collect all objects again for each page.
    const isWhole = asked.orderBy !== undefined || asked.accessible === true
    const { limit = isWhole ? 0 : PAGE_SIZE } = asked
    const at = next === undefined ? { resourceVersion, resourceVersionMatch } : { continue: next }
    const query = { ...this.#selected('list', options), orderBy: fieldsText(asked.orderBy), limit, ...at }
    type Page = List<T> & { readonly apiVersion: string; readonly kind: string }
    const { apiVersion, kind, metadata, items } = await (isQuery(asked)
      ? sendQuery<Page>(this.#endpoint, query, options)
      : this.#endpoint.call<Page>({ verb: 'list', method: 'GET', place: {}, query }, options))
    // Items of built-in kinds have no apiVersion and kind.
    const type = { apiVersion, kind: kind.replace(/List$/, '') }
    return { metadata, items: items.map((item) => ({ ...type, ...item })) }
  }

  #openWatch(selection: Query): OpenWatch<T> {
    const endpoint = this.#endpoint
    return async function* (resourceVersion, signal) {
      const path = await endpoint.path('watch', {}, signal)
      const timeoutSeconds = watchSeconds(endpoint.requests.clock)
      const query = { ...selection, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds }
      try {
        yield* eventsOf<T>(endpoint.requests, { method: 'GET', path, query }, signal)
      } catch (error) {
        throw endpoint.explained(error, 'watch', {})
      }
    }
  }

  async #delete<R>(call: EndpointCall, options: DeleteOptions): Promise<R> {
    checkOptions(`${this.#endpoint.subject(call.verb)}: preconditions`, options.preconditions ?? {}, PRECONDITIONS)
    return this.#endpoint.call({ ...call, body: deleteBody(options) }, options)
  }
}

/** One subresource of a kind's objects. `name` is the name of the object. */
export class Subresource<S> {
  readonly #endpoint: Endpoint
  readonly #subresource: string

  constructor(endpoint: Endpoint, subresource: string) {
    this.#endpoint = endpoint
    this.#subresource = subresource
  }

  async get(name: string, options: CallOptions = {}): Promise<S> {
    this.#endpoint.checked('get', options, CALL)
    return this.#endpoint.call({ verb: 'get', method: 'GET', place: this.#place(name) }, options)
  }

  create(name: string, body: S, options: WriteOptions = {}): Promise<S> {
    return this.#endpoint.write({ verb: 'create', method: 'POST', place: this.#place(name), body }, options)
  }

  update(name: string, body: S, options: WriteOptions = {}): Promise<S> {
    return this.#endpoint.write({ verb: 'update', method: 'PUT', place: this.#place(name), body }, options)
  }

  patch(name: string, patch: object, options: PatchOptions = {}): Promise<S> {
    return this.#endpoint.patch(this.#place(name), patch, options)
  }

  apply(name: string, object: object, options: ApplyOptions): Promise<S> {
    return this.#endpoint.apply(this.#place(name), object, options)
  }

  #place(name: string): Place {
    return { name, subresource: this.#subresource }
  }
}

/** The selectors as texts. In values, backslashes escape commas, equals signs and backslashes. */
function selectionQuery(subject: string, { labelSelector, fieldSelector }: Selection) {
  const text = (selector: Selection['labelSelector']): string | undefined => {
    if (selector === undefined || typeof selector === 'string') return selector
    const terms = Object.entries(selector).map(([key, value]) => {
      // Labels and most fields may be empty; no object has an empty name.
      checkValue(subject, `selector's ${key}`, value, key === 'metadata.name' ? 'text' : 'string')
      if (!/^[\w./-]+$/.test(key))
        throw new TypeError(`${subject}: ${JSON.stringify(key)} is not a name of a label or field`)
      return `${key}=${value.replace(/[\\,=]/g, String.raw`\$&`)}`
    })
    return terms.join(',')
  }
  return { labelSelector: text(labelSelector), fieldSelector: text(fieldSelector) }
}

function deleteBody({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): object {
  const given = givenMembers({ gracePeriodSeconds, propagationPolicy, preconditions })
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...given, ...(dryRun === true ? { dryRun: ['All'] } : {}) }
}
