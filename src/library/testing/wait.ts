// Waits for a state of an object. A watch reports every change, so nothing is polled, and no state is missed even if it is short.
import { ApiStatusError, type Client, k8s, type Kind, type KubernetesObject, type Stored } from '../../client/client.ts'
import { programClock } from '../../lib/clock.ts'
import { checkOptions, checkValue, fits, type ValueType } from '../../lib/known-options.ts'
import { differences, formatDifferences, type Wanted } from './differences.ts'
import { type Sighting, Sightings } from './sightings.ts'

/** An object by its kind and name. */
export interface NamedObject<T extends KubernetesObject> {
  readonly kind: Kind<T, unknown>
  readonly name: string
  /** For a kind that has namespaces. */
  readonly namespace?: string
}

/** An object that came from the server or was made for it, or a kind with a name. */
export type Target<T extends KubernetesObject> = T | NamedObject<T>

/**
 * The wanted state. `exists`: the object exists. `deleted`: the object is gone, or another object has its name. `condition`: the status has
 * this condition, which is `True` unless `status` is given. A function is called for every version of the object, until it returns true. It
 * may throw before.
 */
export type WaitCondition<T extends KubernetesObject> =
  | 'exists'
  | 'deleted'
  | { readonly condition: string; readonly status?: 'True' | 'False' | 'Unknown' }
  | ((object: Stored<T>) => boolean | Promise<boolean>)

/** The limits of a wait. */
export interface WaitOptions {
  /** Default: 4 seconds. Most runners give more time to a test, so that the test fails with the error of the wait. */
  readonly timeoutMs?: number
  /** Ends the wait, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** The expected object or state did not come in time. The message has the last seen object, its changes, and the events about it. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
}

const DEFAULT_TIMEOUT_MS = 4000

const WAIT_CONDITION: ValueType = {
  wanted: "'exists', 'deleted', an object { condition, status } or a function",
  fits: (value) => ['exists', 'deleted'].includes(value as string) || fits(value, 'object') || fits(value, 'function'),
}

/**
 * Waits until the object meets the condition, and resolves to the object at that moment. Throws `WaitTimeoutError` when the time is over,
 * and `ApiStatusError` at once if the client may not watch such objects.
 *
 *     await waitFor(client, { kind: k8s.Deployment, name: 'web', namespace: 'default' }, { condition: 'Available' })
 */
export function waitFor<T extends KubernetesObject>(
  client: Client,
  target: Target<T>,
  condition: 'deleted',
  options?: WaitOptions,
): Promise<void>
export function waitFor<T extends KubernetesObject>(
  client: Client,
  target: Target<T>,
  condition: Exclude<WaitCondition<T>, 'deleted'>,
  options?: WaitOptions,
): Promise<Stored<T>>
export async function waitFor<T extends KubernetesObject>(
  client: Client,
  target: Target<T>,
  condition: WaitCondition<T>,
  options: WaitOptions = {},
): Promise<Stored<T> | void> {
  checkValue('waitFor', 'client', client, 'client')
  checkValue('waitFor', 'condition', condition, WAIT_CONDITION)
  if (typeof condition === 'object') {
    checkOptions('waitFor: condition', condition, { condition: 'text', status: ['True', 'False', 'Unknown'] })
    checkValue('waitFor', 'condition', condition.condition, 'text')
  }
  const place = placeOf(target)
  const met = await new Observation<T>(client, place, faultFinder(condition, place.uid)).run(options)
  return condition === 'deleted' ? undefined : met
}

/**
 * Waits until the object has the given members, or until it passes a function of assertions. The function is called for every version of
 * the object. Resolves to the object. Throws `WaitTimeoutError` with the difference when the time is over, and `ApiStatusError` at once if
 * the client may not watch such objects.
 *
 *     await eventually(client, widget, { status: { phase: 'Ready', replicas: 3 } })
 *     await eventually(client, widget, ({ status }) => expect(status?.replicas).toBeGreaterThan(2))
 */
export async function eventually<T extends KubernetesObject>(
  client: Client,
  target: Target<T>,
  wanted: Wanted<T> | ((object: Stored<T>) => unknown),
  options: WaitOptions = {},
): Promise<Stored<T>> {
  checkValue('eventually', 'client', client, 'client')
  checkValue('eventually', 'wanted object', wanted, 'object|function')
  const findFault: FindFault<T> = async (object) => {
    if (object === undefined) return { text: 'does not exist' }
    if (typeof wanted === 'function') return failureOf(() => wanted(object))
    const found = differences(wanted, object)
    return found.length === 0 ? undefined : { text: `is not as wanted:\n${formatDifferences(found)}` }
  }
  // The object exists if no fault is found.
  return (await new Observation<T>(client, placeOf(target), findFault).run(options))!
}

/** The reason why an object is not yet in the wanted state. */
interface Fault {
  readonly text: string
  /** The message must also show the object. */
  readonly showsObject?: boolean
  readonly cause?: unknown
}

/** Returns undefined if the object, or its absence, is the wanted state. */
type FindFault<T extends KubernetesObject> = (object: Stored<T> | undefined) => Promise<Fault | undefined>

function faultFinder<T extends KubernetesObject>(condition: WaitCondition<T>, uid: string | undefined): FindFault<T> {
  if (condition === 'deleted') {
    return async (object) =>
      object === undefined || (uid !== undefined && object.metadata.uid !== uid)
        ? undefined
        : { text: 'still exists', showsObject: true }
  }
  return async (object) => {
    if (object === undefined) return { text: 'does not exist' }
    if (condition === 'exists') return undefined
    if (typeof condition === 'function') {
      return failureOf(async () => {
        if (!(await condition(object))) throw new Error('the condition is false')
      })
    }
    const { condition: type, status: wanted = 'True' } = condition
    const found = conditionsOf(object).find((one) => one.type === type)
    if (found?.status === wanted) return undefined
    const seen =
      found === undefined ? 'is absent' : `is ${found.status} (${found.reason ?? ''}: ${found.message ?? ''})`
    return { text: `has no condition ${type}=${wanted}: it ${seen}`, showsObject: found === undefined }
  }
}

function conditionsOf(object: KubernetesObject): readonly k8s.Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly k8s.Condition[] } }
  return status?.conditions ?? []
}

async function failureOf(assert: () => unknown): Promise<Fault | undefined> {
  try {
    await assert()
    return undefined
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    return { text: `is not as wanted: ${text}`, showsObject: true, cause }
  }
}

interface Place<T extends KubernetesObject> {
  readonly kind: Kind<T>
  readonly name: string
  readonly namespace: string | undefined
  readonly uid?: string | undefined
}

function placeOf<T extends KubernetesObject>(target: Target<T>): Place<T> {
  checkValue('waiting', 'target', target, 'object')
  const place = 'metadata' in target ? placeOfObject(target) : placeByName(target)
  if (place.kind.namespaced === true && place.namespace === undefined) {
    throw namespaceMissing(place)
  }
  return place
}

function namespaceMissing(place: Place<KubernetesObject>): TypeError {
  return new TypeError(
    `in which namespace is ${labelOf(place)}? Set metadata.namespace of the object, or give { kind, name, namespace }`,
  )
}

function placeByName<T extends KubernetesObject>(target: NamedObject<T>): Place<T> {
  const { kind, name, namespace } = target
  checkOptions('waiting: target', { ...target, kind, name }, { kind: 'object', name: 'text', namespace: 'text?' })
  const { input: _input, ...read } = kind
  return { kind: read, name, namespace }
}

function placeOfObject<T extends KubernetesObject>({ apiVersion, kind, metadata }: T): Place<T> {
  const { name, namespace, uid } = metadata ?? {}
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    throw new TypeError(
      'an object to wait for needs its apiVersion, kind and metadata.name; or say { kind, name, namespace }',
    )
  }
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  return { kind: { group, version, kind }, name, namespace, uid }
}

function labelOf({ kind, name, namespace }: Place<KubernetesObject>): string {
  return `${kind.kind ?? kind.plural} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Watches one object until no fault is found. */
class Observation<T extends KubernetesObject> {
  readonly #client: Client
  readonly #place: Place<T>
  readonly #findFault: FindFault<T>
  readonly #sightings = new Sightings<T>()
  readonly #outcome = Promise.withResolvers<{ readonly met: Stored<T> | undefined } | 'late'>()
  #fault: Fault = { text: 'could not be watched' }
  #error: Error | undefined

  constructor(client: Client, place: Place<T>, findFault: FindFault<T>) {
    this.#client = client
    this.#place = place
    this.#findFault = findFault
  }

  async run(options: WaitOptions): Promise<Stored<T> | undefined> {
    checkOptions('waiting', options, { timeoutMs: 'duration?', signal: 'signal?' })
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
    signal?.throwIfAborted()
    const { kind, name, namespace } = this.#place
    const all = this.#client.resource<T>(kind)
    await using informer = (namespace === undefined ? all : all.inNamespace(namespace)).informer({
      fieldSelector: { 'metadata.name': name },
      onError: (error) => this.#failed(error),
    })
    const registration = informer.addHandler({
      add: (object) => this.#saw('ADDED', object),
      update: (_old, object) => this.#saw('MODIFIED', object),
      delete: (object) => this.#saw('DELETED', object),
    })
    const looked = registration.waitForSync().then(async () => {
      if (this.#sightings.latest === undefined) await this.#judge(undefined)
    })
    // This promise rejects if the wait ends before. The code below reports the error.
    looked.catch(() => undefined)
    const cancel = (): void => this.#outcome.reject(signal?.reason)
    const callOff = programClock.callAfter(timeoutMs, () => this.#outcome.resolve('late'))
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      informer.start()
      const outcome = await this.#outcome.promise
      if (outcome !== 'late') return outcome.met
      // The error is made here and not by the timer, so that its stack leads to the waiting test.
      throw new WaitTimeoutError(await this.#report(timeoutMs), { cause: this.#fault.cause ?? this.#error })
    } finally {
      callOff()
      signal?.removeEventListener('abort', cancel)
    }
  }

  async #saw(sighting: Sighting, object: Stored<T>): Promise<void> {
    // The seen object has a namespace, but the target names none. The wanted object may be in another namespace.
    const { namespace } = this.#place
    if (namespace === undefined && object.metadata.namespace !== undefined) {
      return this.#outcome.reject(namespaceMissing(this.#place))
    }
    this.#sightings.add(sighting, object)
    await this.#judge(sighting === 'DELETED' ? undefined : object)
  }

  async #judge(object: Stored<T> | undefined): Promise<void> {
    const fault = await this.#findFault(object)
    this.#error = undefined
    if (fault === undefined) this.#outcome.resolve({ met: object })
    else this.#fault = fault
  }

  /** Ends the wait if the error is final. The kind may be defined later, and a server may come back, but a refusal is final. */
  #failed(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error))
    const isFinal = error instanceof ApiStatusError && [400, 401, 403, 405, 422].includes(error.code)
    if (isFinal || error instanceof TypeError) this.#outcome.reject(error)
  }

  async #report(timeoutMs: number): Promise<string> {
    const { text, showsObject } = this.#fault
    const events = await this.#events()
    const parts = [
      `${labelOf(this.#place)} ${text}`,
      `(waited for ${timeoutMs} ms)`,
      this.#error === undefined ? '' : `The last watch failed: ${this.#error.message}`,
      this.#sightings.toString(),
      events.length === 0 ? '' : ['Events about it:', ...events].join('\n'),
      showsObject === true ? this.#sightings.objectText() : '',
    ]
    return parts.filter((part) => part !== '').join('\n')
  }

  /** The last events of controllers about the object, if they can be read. */
  async #events(): Promise<readonly string[]> {
    const uid = this.#sightings.latest?.metadata.uid
    if (uid === undefined) return []
    const events = this.#client.resource(k8s.Event).inNamespace(this.#place.namespace ?? 'default')
    try {
      const { items } = await events.list({
        fieldSelector: { 'involvedObject.uid': uid },
        timeoutMs: EVENTS_TIMEOUT_MS,
      })
      const inOrder = items.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
      return inOrder.slice(-MOST_EVENTS).map(({ type, reason, message, count = 1 }) => {
        return `  ${type} ${reason}${count > 1 ? ` (${count} times)` : ''}: ${message}`
      })
    } catch {
      return []
    }
  }
}

function timeOf({ lastTimestamp, eventTime, metadata }: Stored<k8s.Event>): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp
}

const MOST_EVENTS = 5
const EVENTS_TIMEOUT_MS = 500
