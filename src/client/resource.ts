// The verbs of a kind's objects.
import { givenMembers } from '../lib/given-members.ts'
import { checkOptions, checkPresent, type OptionNames } from '../lib/known-options.ts'
import {
  type ApplyOptions,
  CALL,
  type CallOptions,
  checkedDryRun,
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
import type { Query } from './requests.ts'
import { NEVER } from './waiting.ts'
import { eventsOf, type OpenWatch, resumingWatch, type WatchEvent } from './watch.ts'

/** Which objects: by labels and fields, as text (`app=web,tier!=cache`) or as a record of what must be equal. */
export interface Selection {
  readonly labelSelector?: string | Readonly<Record<string, string>>
  readonly fieldSelector?: string | Readonly<Record<string, string>>
}

/** Which objects, how fresh, and in which pieces. */
export interface ListOptions extends CallOptions, Selection {
  /** How many objects a page has. 500. */
  readonly limit?: number
  /** Absent: what is true now. `0`: whatever the server has at hand. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact'
}

/** Which objects, and from when on. */
export interface WatchOptions extends Selection {
  /** Of a list or an object: every change after it. Absent: what happens from now on. */
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
}

/** How an object, or many, are deleted. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** Delete only this very object, in this version: anything else is a `Conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

const SELECTION: OptionNames<Selection> = ['labelSelector', 'fieldSelector']
const LIST: OptionNames<ListOptions> = [...CALL, ...SELECTION, 'limit', 'resourceVersion', 'resourceVersionMatch']
const WATCH: OptionNames<WatchOptions> = [...SELECTION, 'resourceVersion', 'signal']
const INFORMER: OptionNames<InformerOptions<never, never>> = ['indexers', 'resyncMs', 'clock', 'onError']
const PRECONDITIONS = ['uid', 'resourceVersion'] as const
const DELETE: readonly string[] = [...CALL, 'dryRun', 'gracePeriodSeconds', 'propagationPolicy', 'preconditions']

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

/** How long one connection of a watch may last, so that load spreads over replicas: five to ten minutes, as in client-go. */
function watchSeconds(): number {
  return Math.round(300 * (1 + Math.random()))
}

/**
 * The objects of one kind, in one namespace or in all. Every method throws `ApiStatusError` where the server refuses, `ConnectionError`
 * where there is no answer, and the reason of the signal where that fires.
 */
export class Resource<T extends KubernetesObject, Sent extends KubernetesObject = T> {
  readonly #endpoint: Endpoint

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /** The same in one namespace. Throws where that is empty or missing. */
  inNamespace(namespace: string): Resource<T, Sent> {
    return new Resource(this.#endpoint.inNamespace(namespace))
  }

  /** Throws with the reason `NotFound` where there is none. */
  get(name: string, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<Stored<T>> {
    const query = { resourceVersion: options.resourceVersion }
    const known = [...CALL, 'resourceVersion']
    return this.#endpoint.call({ verb: 'get', method: 'GET', place: { name }, query }, options, known)
  }

  /** All objects at one resourceVersion, read page by page. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const pages: List<T>[] = []
    try {
      for await (const page of this.pages(options)) pages.push(page)
      return { metadata: pages.at(-1)!.metadata, items: pages.flatMap(({ items }) => items) }
    } catch (error) {
      // It took too long to go through the pages: the rest of them is gone. In one go then.
      if (pages.length === 0 || !hasReason(error, 'Expired', 'Gone')) throw error
      return this.#page({ ...options, limit: 0 }, undefined)
    }
  }

  /** The pages of a list, each read when it is asked for. Throws with the reason `Expired` where that was too long after the first. */
  async *pages(options: ListOptions = {}): AsyncGenerator<List<T>, void, undefined> {
    for (let next: string | undefined; ; ) {
      const page: List<T> = await this.#page(options, next)
      yield page
      next = page.metadata.continue
      if (next === undefined || next === '') return
    }
  }

  /** The object needs `metadata.name` or `metadata.generateName`. Throws with the reason `AlreadyExists` where it is there. */
  async create(object: Sent, options: WriteOptions = {}): Promise<Stored<T>> {
    const { namespace } = this.#endpoint.placeOf('create', object)
    const body = this.#endpoint.complete(object)
    return this.#endpoint.write({ verb: 'create', method: 'POST', place: { namespace }, body }, options)
  }

  /** Replaces it. With a `metadata.resourceVersion` only what that is of: throws with the reason `Conflict` where somebody was faster. */
  async update(object: Sent, options: WriteOptions = {}): Promise<Stored<T>> {
    const place = this.#endpoint.placeOf('update', object)
    return this.#endpoint.write(
      { verb: 'update', method: 'PUT', place, body: this.#endpoint.complete(object) },
      options,
    )
  }

  /** A merge patch unless `type` says another. */
  patch(name: string, patch: object, options: PatchOptions = {}): Promise<Stored<T>> {
    return this.#endpoint.patch({ name }, patch, options)
  }

  /** Server-side apply: makes the object what is said here, in the fields that are said. Creates it where there is none. */
  async apply(object: Sent, options: ApplyOptions): Promise<Stored<T>> {
    return this.#endpoint.apply(this.#endpoint.placeOf('apply', object), object, options)
  }

  /** Resolves to the object where it stays for a while (finalizers, a grace period), else to a Status of success. */
  delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    return this.#delete({ verb: 'delete', method: 'DELETE', place: { name } }, options, DELETE)
  }

  /** Deletes all that are selected. Without a selector, all in the namespace: an empty or undefined selector is refused. */
  async deleteCollection(options: DeleteOptions & Selection = {}): Promise<void> {
    const subject = this.#endpoint.subject('deleteCollection')
    const query = selectionQuery(subject, options)
    for (const name of ['labelSelector', 'fieldSelector'] as const) {
      // The server takes "," for no term at all, and a NUL for the end of the text.
      if (!(name in options) || /^[^\0]*[^\0\s,]/.test(query[name] ?? '')) continue
      throw new TypeError(`${subject}: the ${name} is empty. Leave it out to delete all objects of the namespace`)
    }
    const call = { verb: 'deleteCollection', method: 'DELETE', place: {}, query } as const
    await this.#delete(call, options, [...DELETE, ...SELECTION])
  }

  /** What stands below an object: `scale`, `eviction`, `binding`, `token`, … */
  subresource<N extends string>(name: N): Subresource<SubresourceType<T, N>> {
    return new Subresource(this.#endpoint, name)
  }

  /** The status of the objects, which `update` and `patch` of the objects themselves leave alone. */
  get status(): Subresource<Stored<T>> {
    return new Subresource(this.#endpoint, 'status')
  }

  /**
   * Changes as they happen, bookmarks among them, each once and in order. Goes on where it was when a connection ends or breaks; throws
   * `WatchExpiredError` when that is too long ago: then list, and watch from there. For a copy that is always true use an informer.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal = NEVER } = options
    const subject = this.#endpoint.subject('watch')
    checkOptions(subject, options, WATCH)
    const from =
      options.resourceVersion ?? (await this.#page({ ...options, limit: 1 }, undefined)).metadata.resourceVersion
    const { clock } = this.#endpoint.requests
    yield* resumingWatch(this.#openWatch(selectionQuery(subject, options)), { from, clock, signal })
  }

  /** A copy of the objects that is kept true. It begins with `start`. */
  informer<I extends string = never>(options: InformerOptions<T, I> & Selection = {}): Informer<T, I> {
    const subject = this.#endpoint.subject('informer')
    checkOptions(subject, options, [...SELECTION, ...INFORMER])
    const query = selectionQuery(subject, options)
    const initial = { ...query, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
    return new Informer(
      {
        list: (signal) => this.list({ ...givenMembers(query), signal }),
        watch: this.#openWatch(query),
        watchList: (signal) => this.#openWatch(initial)(undefined, signal),
      },
      { clock: this.#endpoint.requests.clock, ...options },
    )
  }

  async #page(options: ListOptions, next: string | undefined): Promise<List<T>> {
    const { limit = PAGE_SIZE, resourceVersion, resourceVersionMatch } = options
    const at = next === undefined ? { resourceVersion, resourceVersionMatch } : { continue: next }
    const query = { ...selectionQuery(this.#endpoint.subject('list'), options), limit, ...at }
    type Page = List<T> & { readonly apiVersion: string; readonly kind: string }
    const { apiVersion, kind, metadata, items } = await this.#endpoint.call<Page>(
      { verb: 'list', method: 'GET', place: {}, query },
      options,
      LIST,
    )
    // Built-in kinds leave out of the items what the list says of them all.
    const type = { apiVersion, kind: kind.replace(/List$/, '') }
    return { metadata, items: items.map((item) => ({ ...type, ...item })) }
  }

  #openWatch(selection: Query): OpenWatch<T> {
    const endpoint = this.#endpoint
    return async function* (resourceVersion, signal) {
      const path = await endpoint.path('watch', {}, signal)
      const timeoutSeconds = watchSeconds()
      const query = { ...selection, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds }
      try {
        yield* eventsOf<T>(endpoint.requests, { method: 'GET', path, query }, signal)
      } catch (error) {
        throw endpoint.explained(error, 'watch', {})
      }
    }
  }

  async #delete<R>(call: EndpointCall, options: DeleteOptions, known: readonly string[]): Promise<R> {
    const { preconditions = {} } = options
    const subject = `${this.#endpoint.subject(call.verb)}: preconditions`
    checkOptions(subject, preconditions, PRECONDITIONS)
    // Left out of the body, it would be no condition.
    for (const [what, value] of Object.entries(preconditions)) checkPresent(subject, what, value)
    return this.#endpoint.call({ ...call, body: deleteBody(options) }, options, known)
  }
}

/** One subresource of a kind's objects; `name` is that of the object. */
export class Subresource<S> {
  readonly #endpoint: Endpoint
  readonly #subresource: string

  constructor(endpoint: Endpoint, subresource: string) {
    this.#endpoint = endpoint
    this.#subresource = subresource
  }

  get(name: string, options: CallOptions = {}): Promise<S> {
    return this.#endpoint.call({ verb: 'get', method: 'GET', place: this.#place(name) }, options, CALL)
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

function selectionQuery(subject: string, { labelSelector, fieldSelector }: Selection) {
  const text = (selector: Selection['labelSelector']): string | undefined => {
    if (selector === undefined || typeof selector === 'string') return selector
    const terms = Object.entries(selector).map(([key, value]) => {
      // Labels and most fields may be empty; no object has an empty name.
      if (value !== '' || key === 'metadata.name') checkPresent(subject, `selector's ${key}`, value)
      if (!/^[\w./-]+$/.test(key))
        throw new TypeError(`${subject}: ${JSON.stringify(key)} is no name of a label or field`)
      return `${key}=${value}`
    })
    return terms.join(',')
  }
  return { labelSelector: text(labelSelector), fieldSelector: text(fieldSelector) }
}

function deleteBody({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    ...(checkedDryRun(dryRun) ? { dryRun: ['All'] } : {}),
  }
}
