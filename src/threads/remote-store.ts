// The store of the main thread, for a write in another thread. The thread makes the decisions, on bytes that the main thread sends.
import type { ApiObject } from '../api/object.ts'
import { layoutOf, spliceResourceVersion } from '../codec/resource-version-splice.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { InvariantError } from '../lib/errors.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ObjectKey,
  Outcome,
  Store,
  StoredItem,
  Watch,
  WriteResult,
} from '../store/store.ts'
import { atRevision, BytesObject } from '../store/stored-object.ts'
import { alone, bufferOf } from './messages.ts'
import type { MainThread } from './thread-side.ts'
import type { SentDecision, SentItem, SentKey, StoreMessage } from './write-messages.ts'

export class RemoteStore implements Store {
  readonly #main: MainThread

  constructor(main: MainThread) {
    this.#main = main
  }

  async get(key: ObjectKey): Promise<GetResult> {
    const item = itemOf(key, (await this.#main.call('get', sentKey(key))) as SentItem)
    return { revision: item?.revision ?? 0, item }
  }

  list(): Promise<ListPage> {
    throw new InvariantError('a write lists no objects')
  }

  watch(): Promise<Watch> {
    throw new InvariantError('a write watches no objects')
  }

  async write(key: ObjectKey, decide: Decide): Promise<WriteResult> {
    let current: StoredItem | undefined
    let decided: Decided = { decision: { kind: 'keep' } }
    let message = (await this.#main.call('write', sentKey(key))) as StoreMessage
    while (message.kind === 'decide') {
      current = itemOf(key, message.current)
      decided = await decidedOn(current, decide, key)
      message = (await this.#main.call('decided', decided.decision)) as StoreMessage
    }
    if (message.kind === 'thrown') throw decided.error
    if (message.kind === 'kept') return { kind: 'kept', object: current }
    return written(key, { ...message, decided, current })
  }
}

interface Decided {
  readonly decision: SentDecision
  readonly error?: unknown
  /** The object with which the caller answers a removal. */
  readonly last?: ApiObject | undefined
}

async function decidedOn(current: StoredItem | undefined, decide: Decide, key: ObjectKey): Promise<Decided> {
  try {
    return sentOutcome(await decide(current), key)
  } catch (error) {
    return { decision: { kind: 'thrown' }, error }
  }
}

function sentOutcome(outcome: Outcome, { resource }: ObjectKey): Decided {
  if (outcome.kind === 'keep') return { decision: outcome }
  if (outcome.kind === 'remove') return { decision: { kind: 'remove' }, last: outcome.last }
  const bytes = outcome.bytes ?? encodeStored(outcome.object, resource.encode)
  return { decision: { kind: 'put', bytes: alone(bytes), ttlSeconds: outcome.ttlSeconds } }
}

interface Written {
  readonly kind: 'put' | 'removed'
  readonly revision: number
  readonly created: boolean
  readonly decided: Decided
  readonly current: StoredItem | undefined
}

function written(key: ObjectKey, { kind, revision, created, decided, current }: Written): WriteResult {
  const { decision, last } = decided
  if (kind === 'put' && decision.kind === 'put') {
    return { kind, object: atVersion(key, bufferOf(decision.bytes), revision), created }
  }
  if (last !== undefined) {
    return { kind: 'removed', object: atVersion(key, encodeStored(last, key.resource.encode), revision) }
  }
  if (current === undefined) throw new InvariantError('an object that was not stored was removed')
  const object = current.kind === 'object' ? atRevision(current, revision) : { ...current, revision }
  return { kind: 'removed', object }
}

function atVersion({ namespace, name }: ObjectKey, bytes: Buffer, revision: number): BytesObject {
  const layout = layoutOf(bytes)
  if (layout === undefined) throw new InvariantError('an object without metadata was written')
  return new BytesObject({ namespace, name }, revision, spliceResourceVersion(bytes, layout, revision))
}

function sentKey({ namespace, name }: ObjectKey): SentKey {
  return { namespace, name }
}

function itemOf({ namespace, name }: ObjectKey, sent: SentItem): StoredItem | undefined {
  if (sent?.kind !== 'object') return sent
  return new BytesObject({ namespace, name }, sent.revision, bufferOf(sent.bytes))
}
