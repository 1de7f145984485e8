// The only way to write: decide by the stored object, try, and decide again if another write won. Unchanged objects are not
// written, and no decision is based on stale data.
import type { ApiObject } from '../api/object.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { ABSENT, putKey, removeKey, type WriteResult as KvWriteResult } from '../kv/kv.ts'
import { InvariantError, throwIfCancelled } from '../lib/errors.ts'
import { conditionLost, notFound, type Operation, translate } from './errors.ts'
import { keyInType } from './keys.ts'
import { type Current, expectationOf, fullKey, type KvObjects, readCurrent } from './kv-objects.ts'
import type { Decide, ObjectKey, Outcome, PutOutcome, WriteResult } from './store.ts'
import { atRevision } from './stored-object.ts'
import { isStored, WrittenObject } from './written-object.ts'

export interface WriteRequest {
  readonly key: ObjectKey
  readonly decide: Decide
  /** The object that is probably stored, to save a read. The write verifies it. `current` undefined: probably no object is stored. */
  readonly assumed?: { readonly current: Current | undefined }
}

export async function writeObject(
  objects: KvObjects,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const inType = keyInType(request.key)
  if (inType === undefined) throw notFound(request.key.resource, request.key.name)
  const attempt = new Attempt(objects, request.key, fullKey(objects, request.key.resource, inType))
  let isCertain = request.assumed === undefined
  let current = request.assumed === undefined ? await attempt.read(signal) : request.assumed.current
  for (;;) {
    throwIfCancelled(signal)
    const decision = await decideOn(current, request.decide)
    const result = decision.kind === 'thrown' ? undefined : await attempt.carryOut(decision.outcome, current, signal)
    if (result?.kind === 'lost') {
      current = result.current
      isCertain = true
      continue
    }
    const wrote = result !== undefined && result.kind !== 'kept'
    if (!wrote && !isCertain) {
      const found = await attempt.read(signal)
      isCertain = true
      // The object may have become stale since it was read: encryption keys change.
      const isAsAssumed = revisionOf(found) === revisionOf(current) && hasSameForm(found, current)
      current = found
      if (!isAsAssumed) continue
    }
    if (decision.kind === 'thrown') throw decision.error
    if (result === undefined) throw new InvariantError('a decision was neither thrown nor carried out')
    return result
  }
}

type Decision =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'thrown'; readonly error: unknown }

async function decideOn(current: Current | undefined, decide: Decide): Promise<Decision> {
  try {
    return { kind: 'outcome', outcome: await decide(current?.item) }
  } catch (error) {
    return { kind: 'thrown', error }
  }
}

function revisionOf(current: Current | undefined): number {
  return current === undefined ? ABSENT : current.item.revision
}

function hasSameForm(one: Current | undefined, other: Current | undefined): boolean {
  return one?.stale === other?.stale && (one?.foreign ?? false) === (other?.foreign ?? false)
}

type Lost = { readonly kind: 'lost'; readonly current: Current | undefined }

class Attempt {
  readonly #objects: KvObjects
  readonly #key: ObjectKey
  readonly #kvKey: string

  constructor(objects: KvObjects, key: ObjectKey, kvKey: string) {
    this.#objects = objects
    this.#key = key
    this.#kvKey = kvKey
  }

  async read(signal: AbortSignal): Promise<Current | undefined> {
    try {
      const { kv, measures } = this.#objects
      const { item } = await measures.time('get', this.#key.resource, () => kv.get(this.#kvKey, {}, signal))
      return item === undefined ? undefined : await readCurrent(this.#objects, this.#key.resource, item)
    } catch (error) {
      throw this.#told(error, 'get')
    }
  }

  carryOut(
    outcome: Outcome,
    current: Current | undefined,
    signal: AbortSignal,
  ): Promise<WriteResult | Lost> | WriteResult {
    switch (outcome.kind) {
      case 'keep':
        return { kind: 'kept', object: current?.item }
      case 'put':
        return this.#put(outcome, current, signal)
      case 'remove':
        return current === undefined ? { kind: 'kept', object: undefined } : this.#remove(outcome.last, current, signal)
    }
  }

  async #put(outcome: PutOutcome, current: Current | undefined, signal: AbortSignal): Promise<WriteResult | Lost> {
    const bytes = outcome.bytes ?? encodeStored(outcome.object, this.#key.resource.encode)
    const isInForm = current?.stale === false && !(outcome.inOwnForm === true && current.foreign === true)
    if (isInForm && isStored(bytes, current.item)) return { kind: 'kept', object: current.item }
    const created = current === undefined
    const operation = created ? 'create' : 'update'
    const { kv, measures, transformer } = this.#objects
    try {
      const transformed = transformer.toStorage(bytes, this.#kvKey)
      const value = transformed instanceof Promise ? await transformed : transformed
      const { ttlSeconds, onlyIf, isIncrement } = outcome
      const alsoExpected = onlyIf && onlyIf.map((condition) => expectationOf(this.#objects, condition))
      const request = { key: this.#kvKey, value, expected: revisionOf(current), ttlSeconds, alsoExpected, isIncrement }
      const result = await measures.time(operation, this.#key.resource, () => putKey(kv, request, signal))
      if (!result.ok) {
        // If there is no `current`, the key of the object or of a condition is gone.
        if (onlyIf !== undefined && result.current?.key !== this.#kvKey) throw conditionLost(this.#key, onlyIf)
        return await this.#lost(result)
      }
      return { kind: 'put', object: new WrittenObject(this.#key, result.revision, outcome.object, bytes), created }
    } catch (error) {
      throw this.#told(error, operation)
    }
  }

  async #remove(last: ApiObject | undefined, current: Current, signal: AbortSignal): Promise<WriteResult | Lost> {
    const { kv, measures } = this.#objects
    const request = { key: this.#kvKey, expected: current.item.revision }
    try {
      const result = await measures.time('delete', this.#key.resource, () => removeKey(kv, request, signal))
      if (!result.ok) return await this.#lost(result)
      const { revision } = result
      if (last !== undefined) {
        return {
          kind: 'removed',
          object: new WrittenObject(this.#key, revision, last, encodeStored(last, this.#key.resource.encode)),
        }
      }
      const { item } = current
      return { kind: 'removed', object: item.kind === 'object' ? atRevision(item, revision) : { ...item, revision } }
    } catch (error) {
      throw this.#told(error, 'delete')
    }
  }

  async #lost(result: Extract<KvWriteResult, { ok: false }>): Promise<Lost> {
    const { current } = result
    return {
      kind: 'lost',
      current: current === undefined ? undefined : await readCurrent(this.#objects, this.#key.resource, current),
    }
  }

  #told(error: unknown, verb: Operation['verb']): unknown {
    return translate(error, { verb, resource: this.#key.resource })
  }
}
