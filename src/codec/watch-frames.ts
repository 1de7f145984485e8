// Watch events as frames. A frame is made once for all watchers of an event in one form, and kept with the event.
import type { BookmarkEvent, ObjectEvent, WatchEvent } from '../api/read.ts'
import type { Status } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { plainJson, stringJson } from './json-encode.ts'
import type { ListItem, ListType } from './list-json.ts'
import { partialMetadata } from './partial-metadata.ts'
import { parseStored } from './stored-json.ts'
import { tableDocument } from './table.ts'
import type { TableForm } from './table.ts'
import type { TypeNames } from './protobuf.ts'
import type { FrameEncoding, Resume } from './watch-encodings.ts'

/** The form in which the objects of events are sent. Errors are never transformed. */
export type WatchForm =
  | { readonly kind: 'object' }
  /** `apiVersion` is the version of PartialObjectMetadata. */
  | { readonly kind: 'metadata'; readonly apiVersion: string }
  | { readonly kind: 'table'; readonly table: Omit<TableForm, 'now'> }

export interface WatchFramesOptions {
  readonly form: WatchForm
  readonly encoding: FrameEncoding
  /** The watched type. */
  readonly type: Pick<ListType, 'apiVersion' | 'itemKind' | 'custom'>
  /** Converts an object to the requested version. Absent: the stored version is requested. Must depend on `type` and `select` alone. */
  readonly convert?: (object: ListItem) => ListItem
  /** The fields that objects have. Absent: all fields. */
  readonly select?: string | undefined
  /** The moment to which ages in tables are counted, in milliseconds since the epoch. */
  readonly now: () => number
}

/** Only the first event of a watch has the columns of the table. */
type Columns = 'columns' | 'noColumns'

/** The frames of one watch. */
export class WatchFrames {
  readonly #options: WatchFramesOptions
  readonly #memoKey: string
  #columns: Columns = 'columns'

  constructor(options: WatchFramesOptions) {
    this.#options = options
    const { select } = options
    const key = `${options.encoding.name} ${formKey(options.form)} ${options.type.apiVersion}`
    this.#memoKey = select === undefined ? key : `${key} ${select}`
  }

  /** Whether a frame is made from a parsed object, and not only around its bytes. */
  get isMade(): boolean {
    const { form, convert, encoding } = this.#options
    return form.kind !== 'object' || convert !== undefined || encoding.parts === undefined
  }

  frame(event: WatchEvent): Buffer {
    const columns = this.#columns
    this.#columns = 'noColumns'
    if (event.type === 'BOOKMARK') return this.#bookmark(event, columns)
    const key = this.#options.form.kind === 'table' ? `${this.#memoKey} ${columns}` : this.#memoKey
    return event.memo.get(key, () => this.#object(event, columns))
  }

  /** The frame in parts, for an event that is sent only once. If the encoding has parts, no frame is kept with the event. */
  parts(event: WatchEvent): readonly Buffer[] {
    const { encoding, form, convert } = this.#options
    if (event.type === 'BOOKMARK' || form.kind !== 'object' || convert !== undefined) return [this.frame(event)]
    return encoding.parts?.(event.type, event.object.bytes, resumeAfter(event)) ?? [this.frame(event)]
  }

  /** The last frame of a watch that cannot continue. */
  error(status: Status): Buffer {
    const object = Buffer.from(plainJson(status as unknown as ValueMap))
    const form = { apiVersion: status.apiVersion, kind: status.kind }
    return this.#options.encoding.frame('ERROR', form, object, status.reason === 'Expired' ? 'anew' : undefined)
  }

  #object(event: ObjectEvent, columns: Columns): Buffer {
    const { convert, encoding, form } = this.#options
    const item = convert === undefined ? event.object : convert(event.object)
    return encoding.frame(event.type, this.#formOf(), this.#transformed(form, item, columns), resumeAfter(event))
  }

  #bookmark(event: BookmarkEvent, columns: Columns): Buffer {
    const { encoding, form, type } = this.#options
    const item = bookmarkItem(type, event)
    const object = this.#transformed(bookmarkForm(form, event), item, columns)
    return encoding.frame('BOOKMARK', this.#formOf(), object, event.revision)
  }

  #transformed(form: WatchForm, item: ListItem, columns: Columns): Buffer {
    switch (form.kind) {
      case 'object':
        return item.bytes
      case 'metadata':
        return partialMetadata(item, form.apiVersion)
      case 'table':
        return tableDocument({ ...form.table, now: this.#options.now() }, item, columns)
    }
  }

  #formOf(): TypeNames {
    const { form, type } = this.#options
    switch (form.kind) {
      case 'object':
        return { apiVersion: type.apiVersion, kind: type.itemKind }
      case 'metadata':
        return { apiVersion: form.apiVersion, kind: 'PartialObjectMetadata' }
      case 'table':
        return { apiVersion: form.table.apiVersion, kind: 'Table' }
    }
  }
}

/** The objects of a state come in the order of their names, so a client cannot resume in the middle of a state. */
function resumeAfter({ at, object }: ObjectEvent): Resume {
  return at === undefined ? undefined : object.revision
}

function formKey(form: WatchForm): string {
  switch (form.kind) {
    case 'object':
      return 'object'
    case 'metadata':
      return `metadata ${form.apiVersion}`
    case 'table':
      return `table ${form.table.apiVersion} ${form.table.include}`
  }
}

/** The mark that ends the initial events is in the object of a row, so the object is sent even if the client wants only the cells. */
function bookmarkForm(form: WatchForm, { initialEventsEnd }: BookmarkEvent): WatchForm {
  if (!initialEventsEnd || form.kind !== 'table' || form.table.include !== 'None') return form
  return { ...form, table: { ...form.table, include: 'Metadata' } }
}

/** The object of a bookmark. It has only the kind, the apiVersion, the revision of the watch and the mark (D7). */
function bookmarkItem(type: WatchFramesOptions['type'], { revision, initialEventsEnd }: BookmarkEvent): ListItem {
  const [kind, apiVersion] = [`"kind":${stringJson(type.itemKind)}`, `"apiVersion":${stringJson(type.apiVersion)}`]
  const mark = initialEventsEnd ? ['"annotations":{"k8s.io/initial-events-end":"true"}'] : []
  const version = `"resourceVersion":"${revision}"`
  const bytes = type.custom
    ? Buffer.from(`{${apiVersion},${kind},"metadata":{${[...mark, version].join(',')}}}`)
    : Buffer.from(`{${kind},${apiVersion},"metadata":{${[version, ...mark].join(',')}}}`)
  return { bytes, object: () => parseStored(bytes) ?? {} }
}
