// Watch events as frames. One frame is made for all watchers that want an event in one form: it is kept with the event, which is
// one and the same record for all of them.
import type { BookmarkEvent, ObjectEvent, WatchEvent } from '../api/read.ts'
import type { Status } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { ListItem, ListType } from './list-json.ts'
import { partialMetadata } from './partial-metadata.ts'
import { parseStored } from './stored-json.ts'
import { tableDocument } from './table.ts'
import type { TableForm } from './table.ts'
import { jsonText } from './tables/cell-text.ts'

/** In what form the objects of events are sent. Errors are never transformed. */
export type WatchForm =
  | { readonly kind: 'object' }
  /** `apiVersion` is that of PartialObjectMetadata. */
  | { readonly kind: 'metadata'; readonly apiVersion: string }
  | { readonly kind: 'table'; readonly table: Omit<TableForm, 'now'> }

export interface WatchFramesOptions {
  readonly form: WatchForm
  /** What is watched. */
  readonly type: Pick<ListType, 'apiVersion' | 'itemKind' | 'custom'>
  /** The object in the version asked for; absent: that is the stored one. Must depend on `type` alone. */
  readonly convert?: (object: ListItem) => ListItem
  /** In milliseconds since the epoch; ages in tables are counted to here. */
  readonly now: () => number
}

/** The frames of one watch, in JSON: a line an event. */
export class WatchFrames {
  readonly #options: WatchFramesOptions
  readonly #memoKey: string
  /** Only the first event of a watch says what the columns of its tables are. */
  #columns: 'columns' | 'noColumns' = 'columns'

  constructor(options: WatchFramesOptions) {
    this.#options = options
    this.#memoKey = `${formKey(options.form)} ${options.type.apiVersion}`
  }

  frame(event: WatchEvent): Buffer {
    if (event.type === 'BOOKMARK') return this.#bookmark(event)
    const columns = this.#columns
    this.#columns = 'noColumns'
    const key = this.#options.form.kind === 'table' ? `${this.#memoKey} ${columns}` : this.#memoKey
    return event.memo.get(key, () => this.#object(event, columns))
  }

  /** The last frame of a watch that cannot go on. */
  error(status: Status): Buffer {
    return jsonFrame('ERROR', Buffer.from(jsonText(status as unknown as ValueMap)))
  }

  #object(event: ObjectEvent, columns: 'columns' | 'noColumns'): Buffer {
    const { convert } = this.#options
    const item = convert === undefined ? event.object : convert(event.object)
    return jsonFrame(event.type, this.#transformed(item, columns))
  }

  #transformed(item: ListItem, columns: 'columns' | 'noColumns'): Buffer {
    const { form, now } = this.#options
    switch (form.kind) {
      case 'object':
        return item.bytes
      case 'metadata':
        return partialMetadata(item.bytes, form.apiVersion)
      case 'table':
        return tableDocument({ ...form.table, now: now() }, item, columns)
    }
  }

  #bookmark(event: BookmarkEvent): Buffer {
    const { form, type } = this.#options
    const columns = this.#columns
    this.#columns = 'noColumns'
    const item = bookmarkItem(type, event)
    if (form.kind !== 'table') return jsonFrame('BOOKMARK', this.#transformed(item, columns))
    // The mark that ends the initial events is in the row's object: it is sent even where objects are not asked for.
    const include = event.initialEventsEnd && form.table.include === 'None' ? 'Metadata' : form.table.include
    const table = { ...form.table, include, now: this.#options.now() }
    return jsonFrame('BOOKMARK', tableDocument(table, item, columns))
  }
}

function formKey(form: WatchForm): string {
  switch (form.kind) {
    case 'object':
      return 'json'
    case 'metadata':
      return `json metadata ${form.apiVersion}`
    case 'table':
      return `json table ${form.table.apiVersion} ${form.table.include}`
  }
}

function jsonFrame(type: string, object: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END])
}

const END = Buffer.from('}\n')

/** Kind, version and how far the watch has come; nothing else (D7). */
function bookmarkItem(type: WatchFramesOptions['type'], { revision, initialEventsEnd }: BookmarkEvent): ListItem {
  const [kind, apiVersion] = [`"kind":${jsonText(type.itemKind)}`, `"apiVersion":${jsonText(type.apiVersion)}`]
  const mark = initialEventsEnd ? ['"annotations":{"k8s.io/initial-events-end":"true"}'] : []
  const version = `"resourceVersion":"${revision}"`
  const bytes = type.custom
    ? Buffer.from(`{${apiVersion},${kind},"metadata":{${[...mark, version].join(',')}}}`)
    : Buffer.from(`{${kind},${apiVersion},"metadata":{${[version, ...mark].join(',')}}}`)
  return { bytes, object: () => parseStored(bytes) ?? {} }
}
