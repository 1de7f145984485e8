// A table that follows a watch: first the pages of the list, then the events after it. A broken stream resumes after the last event.
// If that is too long ago, everything is read again, so that no change is missing.
import { API, ApiFailure, ask, askText, mayRecover, type Problem, problemOf, RETRY_MS } from './api.ts'
import { collectionPath, type Kind, namespacesIn, oneNamespace } from './kind.ts'
import type { TableQuery } from './routes.ts'
import { type Column, rowsOf, type TableDocument, TableRows } from './table-rows.ts'

export type LiveState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting' }
  | Problem

const TABLE = 'as=Table;v=v1;g=meta.k8s.io'
const PAGE_ROWS = 1000

export class LiveTable {
  readonly rows = new TableRows()
  columns: readonly Column[] = []
  state: LiveState = { kind: 'loading' }
  readonly #path: string
  readonly #query: TableQuery
  readonly #onChange: () => void
  readonly #closing = new AbortController()
  #source: EventSource | undefined
  #version = ''
  #retry: number | undefined
  #frame: number | undefined

  /** `onChange` is called at most once a frame. */
  constructor(kind: Kind, query: TableQuery, onChange: () => void) {
    this.#path = collectionPath(kind, oneNamespace(query.namespace))
    this.#query = kind.namespaced ? inNamespaces(query) : query
    this.#onChange = onChange
    void this.#load()
  }

  close(): void {
    this.#closing.abort()
    this.#source?.close()
    window.clearTimeout(this.#retry)
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
  }

  async #load(): Promise<void> {
    const { signal } = this.#closing
    this.#source?.close()
    try {
      let page = await this.#page('', signal)
      this.rows.clear()
      this.columns = page.columnDefinitions ?? []
      for (;;) {
        for (const row of rowsOf(page, 0)) this.rows.put(row)
        this.#changed()
        const { continue: next = '', resourceVersion = '' } = page.metadata ?? {}
        this.#version = resourceVersion
        if (next === '') break
        page = await this.#page(next, signal)
      }
      this.#follow()
    } catch (error) {
      this.#fail(error, () => this.#load())
    }
  }

  #page(next: string, signal: AbortSignal): Promise<TableDocument> {
    const more = next === '' ? {} : { continue: next }
    return ask<TableDocument>(`${this.#path}?${this.#search({ limit: String(PAGE_ROWS), ...more })}`, {
      accept: `application/json;${TABLE}`,
      signal,
    })
  }

  #search(more: Readonly<Record<string, string>>): string {
    const { namespace, labels, fields, where, accessible } = this.#query
    const search = new URLSearchParams({ includeObject: 'Metadata', ...more })
    if (labels !== '') search.set('labelSelector', labels)
    if (fields !== '') search.set('fieldSelector', fields)
    if (where !== '') search.set('where', where)
    if (namespace === '' && accessible !== '') search.set('accessible', accessible)
    return search.toString()
  }

  #watch(more: Readonly<Record<string, string>>): string {
    const search = { watch: '1', allowWatchBookmarks: 'true', resourceVersion: this.#version, ...more }
    return `${this.#path}?${this.#search(search)}`
  }

  #follow(): void {
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
    if (lastEventId !== '') this.#version = lastEventId
    if (type === 'BOOKMARK') return
    const document = JSON.parse(data) as TableDocument
    for (const row of rowsOf(document, performance.now())) {
      if (type === 'DELETED') this.rows.remove(row.key)
      else this.rows.put(row)
    }
    this.#changed()
  }

  /** The browser reconnects by itself, except after an error of the server, which it does not tell. A short watch gets the error. */
  #onBroken(source: EventSource): void {
    this.#enter({ kind: 'reconnecting' })
    if (source.readyState === EventSource.CLOSED) this.#later(() => this.#resume())
  }

  async #resume(): Promise<void> {
    try {
      await askText(this.#watch({ timeoutSeconds: '1' }), { signal: this.#closing.signal })
      this.#follow()
    } catch (error) {
      const isExpired = error instanceof ApiFailure && error.code === 410
      this.#fail(error, () => (isExpired ? this.#load() : this.#resume()))
    }
  }

  #fail(error: unknown, again: () => unknown): void {
    if (this.#closing.signal.aborted) return
    this.#enter(problemOf(error))
    if (mayRecover(error)) this.#later(again)
  }

  #later(work: () => unknown): void {
    window.clearTimeout(this.#retry)
    if (!this.#closing.signal.aborted) this.#retry = window.setTimeout(() => void work(), RETRY_MS)
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

/** Several namespaces are one query over all that the user may read. */
function inNamespaces(query: TableQuery): TableQuery {
  const { namespace, where } = query
  if (oneNamespace(namespace) === namespace) return query
  const isInThem = `object.metadata.namespace in ${JSON.stringify(namespacesIn(namespace))}`
  return { ...query, namespace: '', accessible: 'true', where: where === '' ? isInThem : `(${where}) && ${isInThem}` }
}
