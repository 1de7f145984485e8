// A table that follows a watch: first the pages of the list, then the events after it. A broken stream resumes after the last event. If
// that event is too long ago, everything is read again, so that no change is missing. A long list is loaded in part: the server filters and
// sorts it.
import { API, ApiFailure, ask, askText, mayRecover, type Problem, problemOf, RETRY_MS } from './api.ts'
import { collectionPath, type Kind, namespacesIn, oneNamespace } from './kind.ts'
import type { TableQuery } from './routes.ts'
import { type Column, type Order, type Row, rowsOf, type TableDocument, TableRows } from './table-rows.ts'

export type LiveState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting' }
  | Problem

const TABLE = 'as=Table;v=v1;g=meta.k8s.io'
const PAGE_ROWS = 1000
/** The table does not load more rows. */
const MOST_ROWS = 10_000

const NOTHING = { orderBy: '', named: '' } as const
/** The filter is sent when the user has not typed for this time. */
const PAUSE_MS = 250

export class LiveTable {
  readonly rows = new TableRows()
  columns: readonly Column[] = []
  state: LiveState = { kind: 'loading' }
  /** True: not all objects can be loaded, so the server filters and sorts. */
  isLong = false
  /** The number of matching objects that are not loaded. Undefined: the server does not report it. */
  left: number | undefined = 0
  readonly #path: string
  readonly #query: TableQuery
  readonly #onChange: () => void
  readonly #closing = new AbortController()
  #loading = new AbortController()
  #more: { readonly column: Column; readonly cells: ReadonlyMap<string, unknown> } | undefined
  #named = ''
  #orderBy = ''
  /** The order and the filter of the rows that are loaded. */
  #sent: Readonly<Record<keyof typeof NOTHING, string>> = NOTHING
  #source: EventSource | undefined
  #version = ''
  #listed = ''
  #retry: number | undefined
  #frame: number | undefined

  /** `onChange` is called at most once a frame. */
  constructor(kind: Kind, query: TableQuery, onChange: () => void) {
    this.#path = collectionPath(kind, oneNamespace(query.namespace))
    this.#query = kind.namespaced ? inNamespaces(query) : query
    this.#onChange = onChange
    void this.#load()
  }

  /** Shows only objects whose namespaces and names contain the text. */
  filterBy(text: string): void {
    this.rows.filterBy(text)
    this.#named = text.trim()
    if (this.isLong) this.#later(() => this.#load(), PAUSE_MS)
    else this.#changed()
  }

  /** `orderBy`: the same order as a parameter of the request. */
  sortBy(order: Order, isTime: boolean, orderBy: string): void {
    this.rows.sortBy(order, isTime)
    this.#orderBy = orderBy
    this.#changed()
    if (this.left !== 0) void this.#load()
  }

  /** Adds a column that the server does not have. `cells`: the cells by the names of objects. */
  extend(column: Column, cells: ReadonlyMap<string, unknown>): void {
    this.#more = { column, cells }
    if (this.columns.length > 0 && !this.columns.includes(column)) this.columns = [...this.columns, column]
    for (const row of this.rows) this.rows.put(this.#completed(row))
    this.#changed()
  }

  #completed(row: Row): Row {
    if (this.#more === undefined) return row
    const at = this.columns.indexOf(this.#more.column)
    return { ...row, cells: [...row.cells.slice(0, at), this.#more.cells.get(row.name)] }
  }

  close(): void {
    this.#closing.abort()
    this.#loading.abort()
    this.#source?.close()
    window.clearTimeout(this.#retry)
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
  }

  async #load(): Promise<void> {
    this.#loading.abort()
    window.clearTimeout(this.#retry)
    this.#loading = new AbortController()
    const { signal } = this.#loading
    this.#source?.close()
    this.#sent = this.isLong ? { orderBy: this.#orderBy, named: this.#named } : NOTHING
    if (this.state.kind === 'live') this.#enter({ kind: 'loading' })
    try {
      let page = await this.#page('', signal)
      this.rows.clear()
      this.columns = [...(page.columnDefinitions ?? []), ...(this.#more === undefined ? [] : [this.#more.column])]
      for (;;) {
        for (const row of rowsOf(page, 0)) this.rows.put(this.#completed(row))
        const { continue: next = '', resourceVersion = '', remainingItemCount } = page.metadata ?? {}
        this.#version = this.#listed = resourceVersion
        this.left = next === '' ? 0 : remainingItemCount
        this.#changed()
        if (next === '' || this.rows.size >= MOST_ROWS) break
        page = await this.#page(next, signal)
      }
      const isFirst = !this.isLong && this.left !== 0
      this.isLong ||= isFirst
      if (isFirst && `${this.#orderBy}${this.#named}` !== '') await this.#load()
      else this.#follow()
    } catch (error) {
      if (!signal.aborted) this.#fail(error, () => this.#load())
    }
  }

  #page(next: string, signal: AbortSignal): Promise<TableDocument> {
    const asked = Object.entries({ limit: String(PAGE_ROWS), continue: next, orderBy: this.#sent.orderBy })
    const search = this.#search(Object.fromEntries(asked.filter(([, value]) => value !== '')))
    return ask<TableDocument>(`${this.#path}?${search}`, {
      accept: `application/json;${TABLE}`,
      signal,
    })
  }

  #search(more: Readonly<Record<string, string>>): string {
    const { namespace, labels, fields, where, accessible } = this.#query
    const search = new URLSearchParams({ includeObject: 'Metadata', ...more })
    if (labels !== '') search.set('labelSelector', labels)
    if (fields !== '') search.set('fieldSelector', fields)
    const condition = bothOf(where, namedLike(this.#sent.named))
    if (condition !== '') search.set('where', condition)
    if (namespace === '' && accessible !== '') search.set('accessible', accessible)
    return search.toString()
  }

  #watch(more: Readonly<Record<string, string>>): string {
    const search = { watch: '1', allowWatchBookmarks: 'true', resourceVersion: this.#version, ...more }
    return `${this.#path}?${this.#search(search)}`
  }

  #follow(): void {
    this.#source?.close()
    const source = new EventSource(`${API}${this.#watch({ accept: `text/event-stream;${TABLE}` })}`)
    this.#source = source
    source.addEventListener('open', () => this.#enter({ kind: 'live' }))
    source.addEventListener('error', () => this.#onBroken(source))
    for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']) {
      source.addEventListener(type, (event) => this.#take(type, event))
    }
    // The server ends the stream with an error, mostly because the version is too old.
    source.addEventListener('ERROR', () => void this.#load())
  }

  #take(type: string, { data, lastEventId }: MessageEvent<string>): void {
    // A watch begins with the changes of the listed version. The list already has them.
    const isNew = type === 'ADDED' && lastEventId !== this.#listed
    if (lastEventId !== '') this.#version = lastEventId
    if (type === 'BOOKMARK') return
    const document = JSON.parse(data) as TableDocument
    for (const row of rowsOf(document, performance.now())) {
      if (type === 'DELETED') this.rows.remove(row.key)
      else if (isNew || this.left === 0 || this.rows.get(row.key) !== undefined) {
        this.rows.put(this.#completed(row))
      }
    }
    this.#changed()
  }

  /**
   * The browser reconnects by itself, except after an error of the server. A short watch then reads the error, which the browser does not
   * show to scripts.
   */
  #onBroken(source: EventSource): void {
    this.#enter({ kind: 'reconnecting' })
    if (source.readyState === EventSource.CLOSED) this.#later(() => this.#resume())
  }

  async #resume(): Promise<void> {
    const { signal } = this.#loading
    try {
      await askText(this.#watch({ timeoutSeconds: '1' }), { signal })
      this.#follow()
    } catch (error) {
      if (signal.aborted) return
      const isExpired = error instanceof ApiFailure && error.code === 410
      this.#fail(error, () => (isExpired ? this.#load() : this.#resume()))
    }
  }

  #fail(error: unknown, again: () => unknown): void {
    if (this.#closing.signal.aborted) return
    this.#enter(problemOf(error))
    if (mayRecover(error)) this.#later(again)
  }

  #later(work: () => unknown, afterMs = RETRY_MS): void {
    window.clearTimeout(this.#retry)
    if (!this.#closing.signal.aborted) this.#retry = window.setTimeout(() => void work(), afterMs)
  }

  #enter(state: LiveState): void {
    this.state = state
    this.#changed()
  }

  #changed(): void {
    if (this.#closing.signal.aborted) return
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined
      this.#onChange()
    })
  }
}

/** A condition that matches the same objects as the filter of `TableRows`. */
function namedLike(text: string): string {
  const place = "object.metadata.?namespace.orValue('') + '/' + object.metadata.name"
  return text === '' ? '' : `(${place}).lowerAscii().contains(${JSON.stringify(text.toLowerCase())})`
}

function bothOf(one: string, other: string): string {
  return one === '' || other === '' ? `${one}${other}` : `(${one}) && (${other})`
}

/** Several namespaces become one query over all namespaces that the user may read. */
function inNamespaces(query: TableQuery): TableQuery {
  const { namespace, where } = query
  if (oneNamespace(namespace) === namespace) return query
  const isInThem = `object.metadata.namespace in ${JSON.stringify(namespacesIn(namespace))}`
  return { ...query, namespace: '', accessible: 'true', where: bothOf(where, isInThem) }
}
