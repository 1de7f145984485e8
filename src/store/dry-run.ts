// A store that answers like the store below it and writes nothing. Objects that would be put or removed have the stored version. Objects
// that would be created have the version that they came with, if any (W-074).
import { jsonText } from '../api/json-text.ts'
import type { StoredObject } from '../api/read.ts'
import { layoutOf, spliceResourceVersion } from '../codec/resource-version-splice.ts'
import { encodeStored } from '../codec/stored-json.ts'
import type { ObjectKey, PutOutcome, Store, StoredItem } from './store.ts'
import { BytesObject } from './stored-object.ts'

export function dryRunOf(store: Store): Store {
  return {
    get: (key, at, signal) => store.get(key, at, signal),
    list: (request, signal) => store.list(request, signal),
    watch: (request, signal) => store.watch(request, signal),
    async write(key, decide, signal) {
      const { item: current } = await store.get(key, { kind: 'latest' }, signal)
      const outcome = await decide(current)
      switch (outcome.kind) {
        case 'keep':
          return { kind: 'kept', object: current }
        case 'put':
          return { kind: 'put', object: wouldBe(key, outcome, current), created: current === undefined }
        case 'remove': {
          if (current === undefined) return { kind: 'kept', object: undefined }
          const { last } = outcome
          return {
            kind: 'removed',
            object: last === undefined ? current : wouldBe(key, { kind: 'put', object: last }, current),
          }
        }
      }
    },
  }
}

function wouldBe(key: ObjectKey, put: PutOutcome, current: StoredItem | undefined): StoredObject {
  const { encode = jsonText } = key.resource
  if (current === undefined) return new BytesObject(key, 0, put.bytes ?? Buffer.from(encode(put.object)))
  const bytes = put.bytes ?? encodeStored(put.object, encode)
  const layout = layoutOf(bytes)
  const { revision } = current
  return new BytesObject(key, revision, layout === undefined ? bytes : spliceResourceVersion(bytes, layout, revision))
}
