// A store that answers as the one below it would, and writes nothing. What it says was put or removed has the version that
// is really stored; what would have been created has the one that it came with, if any (W-074).
import { jsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import type { ReadAt, StoredObject } from '../api/read.ts'
import { layoutOf, spliceResourceVersion } from '../codec/resource-version-splice.ts'
import { encodeStored } from '../codec/stored-json.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ListRequest,
  ObjectKey,
  Store,
  StoredItem,
  Watch,
  WatchRequest,
  WriteResult,
} from './store.ts'
import { BytesObject } from './stored-object.ts'

export class DryRunStore implements Store {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get(key: ObjectKey, at: Exclude<ReadAt, { kind: 'exact' }>, signal: AbortSignal): Promise<GetResult> {
    return this.#store.get(key, at, signal)
  }

  list(request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    return this.#store.list(request, signal)
  }

  watch(request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    return this.#store.watch(request, signal)
  }

  async write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult> {
    const { item: current } = await this.#store.get(key, { kind: 'latest' }, signal)
    const outcome = await decide(current)
    switch (outcome.kind) {
      case 'keep':
        return { kind: 'kept', object: current }
      case 'put':
        return { kind: 'put', object: wouldBe(key, outcome, current), created: current === undefined }
      case 'remove':
        if (current === undefined) return { kind: 'kept', object: undefined }
        return {
          kind: 'removed',
          object: outcome.last === undefined ? current : wouldBe(key, { object: outcome.last }, current),
        }
    }
  }
}

interface Put {
  readonly object: ApiObject
  readonly text?: string | undefined
}

function wouldBe(key: ObjectKey, { object, text }: Put, current: StoredItem | undefined): StoredObject {
  const { encode = jsonText } = key.resource
  if (current === undefined) {
    const isWritten = text !== undefined && !('resourceVersion' in object.metadata)
    return new BytesObject(key, 0, Buffer.from(isWritten ? text : encode(object)))
  }
  const bytes = text === undefined ? encodeStored(object, encode) : Buffer.from(text)
  const layout = layoutOf(bytes)
  const { revision } = current
  return new BytesObject(key, revision, layout === undefined ? bytes : spliceResourceVersion(bytes, layout, revision))
}
