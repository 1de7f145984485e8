// The effects of a write that runs in another thread: admission, authorization, reservations, conversions and the store. The thread calls
// the main thread for each.
import type { AdmissionRequest } from '../admission/admission.ts'
import { jsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import type { Access, Authorizer } from '../auth/authorizer.ts'
import { type HandedWrite, type ResourceParts, writeContext } from '../handlers/resource-parts.ts'
import { CancelledError, InvariantError } from '../lib/errors.ts'
import { actionStep } from '../registry/action.ts'
import type { ActionContext, RegistryParts, Reservation, Resource, WriteContext } from '../registry/registry.ts'
import { reserve } from '../registry/held-reservation.ts'
import { keyOf } from '../registry/steps.ts'
import type { Decide, Outcome, PutOutcome, Store, StoredItem, WriteResult } from '../store/store.ts'
import { alone, bufferOf, readObject } from './messages.ts'
import { changeOf } from './object-changes.ts'
import type {
  SentAccess,
  SentAction,
  SentActionAnswer,
  SentAdmission,
  SentContext,
  SentConversion,
  SentDecision,
  SentDenial,
  SentGuardedWrite,
  SentItem,
  SentKey,
  SentReservation,
  SentReserve,
  SentVerdict,
  StoreMessage,
} from './write-messages.ts'

export interface EffectOptions {
  readonly authorizer: Authorizer
  /** The parts of the handlers in the main thread. Threads get none of them. */
  readonly parts: () => ResourceParts
  /** The store of objects in their stored form. */
  readonly store: Store
  readonly onWritten: (key: Parameters<Store['write']>[0], result: WriteResult) => void
}

/** The effects of one write. */
export class WriteEffects {
  readonly #options: EffectOptions
  readonly #write: HandedWrite
  readonly #parts: RegistryParts
  readonly #context: WriteContext
  readonly #reservations = new Map<number, Reservation | undefined>()
  #storing: RemoteDecisions | undefined
  /** The conditions of admission for the object that is stored next. */
  #onlyIf: PutOutcome['onlyIf']

  constructor(options: EffectOptions, write: HandedWrite) {
    const parts = write.batch?.parts ?? options.parts()
    this.#options = options
    this.#write = write
    this.#parts = parts.registry
    this.#context = writeContext(parts, write.request, NO_OPTIONS)
  }

  readonly all = {
    mutate: (step: SentAdmission) => this.#mutate(step),
    validate: (step: SentAdmission) => this.#validate(step),
    authorize: (asked: { readonly verb: string; readonly subresource?: string }) =>
      this.#options.parts().authorize(this.#write.request, asked),
    authorizeWrite: (write: SentGuardedWrite) => this.#authorizeWrite(write),
    reserve: (change: SentReserve) => this.#reserve(change),
    settle: ({ id, stored }: { readonly id: number; readonly stored: boolean }) =>
      this.#reservations.get(id)?.settle(stored),
    authorizeAccess: (asked: SentAccess) => this.#options.authorizer.authorize(accessOf(asked), this.#context.signal),
    explainAccess: ({ asked, ...denied }: SentDenial) =>
      this.#options.authorizer.explain?.({ ...denied, access: accessOf(asked) }, this.#context.signal),
    act: (action: SentAction) => this.#act(action),
    convert: (conversion: SentConversion) => this.#convert(conversion),
    get: (key: SentKey) => this.#get(key),
    write: (key: SentKey) => this.#store(key),
    decided: (decision: SentDecision) => this.#storing?.take(decision, this.#onlyIf),
  }

  /** Call this when the thread does not answer any more. */
  end(): void {
    this.#storing?.end()
  }

  get #resource(): Resource {
    const { request } = this.#write
    if ('resource' in request) return request.resource
    throw new InvariantError('an action has no resource')
  }

  #contextOf({ dryRun, fieldManager, options }: SentContext): WriteContext {
    return { ...this.#context, dryRun, fieldManager, options }
  }

  async #mutate(step: SentAdmission): Promise<SentVerdict> {
    try {
      const request = this.#admission(step)
      const changed = await this.#parts.admission.mutate(request, this.#context.signal)
      const change = changed === undefined ? undefined : changeOf(request.object ?? null, changed)
      return change === undefined ? ADMITTED : { kind: 'changed', change }
    } catch (error) {
      return objectsMissing(error)
    }
  }

  async #validate(step: SentAdmission): Promise<SentVerdict> {
    try {
      const request = this.#admission(step)
      await this.#parts.admission.validate(request, this.#context.signal)
      this.#onlyIf = request.onlyIf
      return ADMITTED
    } catch (error) {
      return objectsMissing(error)
    }
  }

  #admission({ texts, ...step }: SentAdmission): AdmissionRequest {
    const { user, warn, annotate, deadline, batch } = this.#context
    const [readObject, readOldObject] = [lazyObject(texts, 'object'), lazyObject(texts, 'oldObject')]
    return {
      ...step,
      user,
      warn,
      annotate,
      deadline,
      atEnd: batch?.atEnd,
      get object() {
        return readObject()
      },
      get oldObject() {
        return readOldObject()
      },
    }
  }

  #authorizeWrite({ object, oldObject, name, ...sent }: SentGuardedWrite): Promise<void> | undefined {
    const write = { object: readObject(object)!, stored: readObject(oldObject), name }
    const { batch } = this.#context
    return this.#resource.strategy.authorizeWrite?.(write, this.#contextOf(sent), batch?.registry ?? this.#parts)
  }

  async #reserve({ object, oldObject, ...sent }: SentReserve): Promise<SentReservation> {
    const change = { object: readObject(object), stored: readObject(oldObject) }
    const parts = { parts: this.#parts, context: this.#contextOf(sent) }
    const reservation = await reserve(this.#resource, change, parts)
    const id = this.#reservations.size
    this.#reservations.set(id, reservation)
    const reserved = reservation?.object
    const isChanged = reserved !== undefined && reserved !== change.object
    return { id, object: isChanged ? jsonText(reserved) : undefined }
  }

  async #act({ body, explain, ...sent }: SentAction): Promise<SentActionAnswer> {
    const { request } = this.#write
    if (!('action' in request)) throw new InvariantError('the request is not an action')
    const { action, info } = request
    const { signal } = this.#context
    const asked = {
      ...this.#contextOf(sent),
      parts: this.#parts,
      resources: this.#options.parts().resources(),
      name: info.name ?? '',
      explain,
    }
    const validate: ActionContext['validate'] = async (shown) =>
      this.#parts.admission.validate(actionStep(action, asked, shown), signal)
    const sentBody = readObject(body)!
    const answer = await action.run(sentBody, { ...asked, validate })
    return answer.kind === 'done' ? answer : { kind: 'object', change: changeOf(sentBody, answer.object) }
  }

  async #convert({ objects, toApiVersion }: SentConversion): Promise<readonly string[]> {
    const { custom } = this.#resource
    const convert = custom?.convert
    if (convert === undefined) throw new InvariantError('the kind has no other versions')
    const sent = objects.map((object) => readObject(object)!)
    return (await convert(sent, toApiVersion, this.#context.signal)).map((object) => jsonText(object))
  }

  async #get({ namespace, name }: SentKey): Promise<SentItem> {
    const key = keyOf(this.#resource, namespace, name)
    const { store } = this.#write.batch ?? this.#options
    return sentItem((await store.get(key, { kind: 'latest' }, this.#context.signal)).item)
  }

  #store({ namespace, name }: SentKey): Promise<StoreMessage> {
    const { onWritten } = this.#options
    const { batch } = this.#write
    const { store } = batch ?? this.#options
    const key = keyOf(this.#resource, namespace, name)
    this.#storing = new RemoteDecisions()
    return this.#storing.start(async (decide) => {
      const result = await store.write(key, decide, this.#context.signal)
      if (batch === undefined) onWritten(key, result)
      return result
    })
  }
}

const NO_OPTIONS = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: false, body: {} } as const

function accessOf({ access, selectors }: SentAccess): Access {
  return access.kind === 'path' || selectors === undefined ? access : { ...access, selectors: () => selectors }
}

const ADMITTED: SentVerdict = { kind: 'admitted' }

/** Thrown when a plugin reads an object that was not sent. */
class ObjectsMissing extends Error {}

function objectsMissing(error: unknown): SentVerdict {
  if (error instanceof ObjectsMissing) return { kind: 'objectsMissing' }
  throw error
}

function lazyObject(texts: SentAdmission['texts'], name: 'object' | 'oldObject'): () => ApiObject | undefined {
  let parsed: ApiObject | undefined
  return () => {
    if (texts === undefined) throw new ObjectsMissing()
    return (parsed ??= readObject(texts[name]))
  }
}

/** A write to the store whose decisions a thread makes. Each call returns the next step of the store. */
class RemoteDecisions {
  #next = Promise.withResolvers<StoreMessage>()
  #decision: PromiseWithResolvers<Outcome> | undefined
  readonly #thrown = new Error('the thread has thrown an error')

  start(write: (decide: Decide) => Promise<WriteResult>): Promise<StoreMessage> {
    const asked = this.#next.promise
    write((current) => this.#ask(current)).then(
      (result) => this.#next.resolve(resultMessage(result)),
      (error: unknown) => {
        if (error === this.#thrown) this.#next.resolve({ kind: 'thrown' })
        else this.#next.reject(error)
      },
    )
    return asked
  }

  take(decision: SentDecision, onlyIf: PutOutcome['onlyIf']): Promise<StoreMessage> {
    this.#next = Promise.withResolvers()
    const next = this.#next.promise
    if (decision.kind === 'thrown') this.#decision?.reject(this.#thrown)
    else this.#decision?.resolve(outcomeOf(decision, onlyIf))
    return next
  }

  /** The store must not wait for a thread that is gone. */
  end(): void {
    this.#next.promise.catch(() => {})
    this.#decision?.reject(new CancelledError())
  }

  #ask(current: StoredItem | undefined): Promise<Outcome> {
    this.#decision = Promise.withResolvers()
    this.#next.resolve({ kind: 'decide', current: sentItem(current) })
    return this.#decision.promise
  }
}

function sentItem(item: StoredItem | undefined): SentItem {
  if (item?.kind !== 'object') return item
  return { kind: 'object', revision: item.revision, bytes: alone(item.bytes) }
}

function outcomeOf(
  decision: Exclude<SentDecision, { readonly kind: 'thrown' }>,
  onlyIf: PutOutcome['onlyIf'],
): Outcome {
  if (decision.kind !== 'put') return decision
  const { ttlSeconds } = decision
  const bytes = bufferOf(decision.bytes)
  return { kind: 'put', bytes, onlyIf, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }
}

function resultMessage(result: WriteResult): StoreMessage {
  if (result.kind === 'kept') return { kind: 'kept' }
  return { kind: result.kind, revision: result.object.revision, created: result.kind === 'put' && result.created }
}
