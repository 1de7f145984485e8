// A controller as controller-runtime has them: informers put the names of objects into a work queue, and `reconcile` is called for each.
// Invariant: `reconcile` runs for an object after its last change, and never twice at the same time for one object.
import { hostname } from 'node:os'
import type { Clock } from '../lib/clock.ts'
import { checkOptions, checkValue, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { pathPart } from './endpoint.ts'
import type { Informer } from './informer.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { LeaderElectionOptions } from './leader-election.ts'
import type { KubernetesObject, Stored } from './objects.ts'
import {
  checkFinalizer,
  type Finalizer,
  type ObjectWrites,
  setFinalizers,
  type Writers,
  writesFor,
} from './reconciled-object.ts'
import type { Resource, Selection } from './resource.ts'
import { WorkQueue } from './work-queue.ts'

/** The part of a client that a controller uses. */
export interface ControllerClient {
  readonly clock: Clock
  resource<T extends KubernetesObject, Sent extends KubernetesObject = T>(kind: Kind<T, Sent>): Resource<T, Sent>
  runAsLeader<R>(options: LeaderElectionOptions, lead: (signal: AbortSignal) => Promise<R>): Promise<R>
}

/** The name of an object. Leave the namespace out for objects that have none. */
export interface ObjectName {
  readonly name: string
  readonly namespace?: string | undefined
}

/** A kind, and which of its objects are followed. Default: all. */
export interface Followed<T extends KubernetesObject> extends Selection {
  readonly kind: Kind<T, KubernetesObject>
}

/** A kind whose changes concern other objects. */
export interface Watched<T extends KubernetesObject> extends Followed<T> {
  /** The objects to reconcile after a change of this object. */
  readonly to: (object: Stored<T>) => readonly ObjectName[]
}

/** The argument of `reconcile`. */
export interface Reconciliation<T extends KubernetesObject> extends ObjectWrites<T> {
  /** The namespace and the name: `default/blog`. Without a namespace, the name alone. */
  readonly key: string
  readonly name: string
  readonly namespace: string | undefined
  /** The object in the informer's copy, maybe older than the server's. Undefined: the object is deleted. Do not change the object. */
  readonly object: Stored<T> | undefined
  /** Fires when the controller stops, or no longer leads. */
  readonly signal: AbortSignal
  /** The informer of a kind that the controller follows. */
  readonly cached: <U extends KubernetesObject>(kind: Kind<U, KubernetesObject>) => Informer<U>
}

/** The argument of `cleanUp`. */
export type Deletion<T extends KubernetesObject> = Reconciliation<T> & { readonly object: Stored<T> }

/** Without a delay the object is reconciled again after its next change. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined
}

/** The options of `runController`. */
export interface ControllerOptions<T extends KubernetesObject, W extends readonly KubernetesObject[]> {
  readonly client: ControllerClient
  /** The kind that is reconciled. */
  readonly for: Kind<T, KubernetesObject> | Followed<T>
  /**
   * Brings about the state that the object specifies. It must be repeatable. When it throws, it is called again after a delay that doubles
   * with each failure. After a `TerminalError` it is called again only when something changes.
   */
  readonly reconcile: (request: Reconciliation<T>) => Promise<ReconcileResult | void>
  readonly finalizer?: Finalizer<Deletion<T>>
  /** The name by which the controller owns the fields that `apply` sets. */
  readonly fieldManager?: string
  /** Kinds of objects that the controller makes. A change of such an object reconciles its owner with `controller: true`. */
  readonly owns?: readonly (Kind<KubernetesObject> | Followed<KubernetesObject>)[]
  readonly watches?: { readonly [I in keyof W]: Watched<W[I]> }
  /** Only objects in this namespace. Default: all namespaces. */
  readonly namespace?: string
  /** The largest number of objects that are reconciled at the same time. Default: 1. */
  readonly concurrency?: number
  /** Only the leader reconciles. Default: no election. Default of `identity`: the name of this machine and a random part. */
  readonly leaderElection?: Omit<LeaderElectionOptions, 'identity' | 'signal'> & { readonly identity?: string }
  /** The delay after the first failure. Default: 5 milliseconds. */
  readonly firstRetryMs?: number
  /** The longest delay. Default: 1,000 seconds. */
  readonly longestRetryMs?: number
  /** The time of the transitions of conditions. Default: the time of the client's clock. */
  readonly now?: () => number | Promise<number>
  /** Stops the controller. Default: SIGTERM and SIGINT. A second such signal ends the process. */
  readonly signal?: AbortSignal
  /** Called when `reconcile` fails (with the object's name), and when the server refuses or cannot be reached. Default: `console.error`. */
  readonly onError?: (error: unknown, object?: ObjectName) => void
}

const POSITIVE: ValueType = {
  wanted: 'a whole number from 1 on',
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}
const NEEDED = { client: 'client', for: 'object', reconcile: 'function' } as const
const FOLLOWED = { owns: 'list?', watches: 'list?', namespace: 'text', concurrency: POSITIVE } as const
const TIMES = { firstRetryMs: 'interval?', longestRetryMs: 'interval?' } as const
const WRITES = { finalizer: 'object?', fieldManager: 'text' } as const
const REST = { leaderElection: 'object?', now: 'function?', signal: 'signal?', onError: 'function?' } as const
const OPTIONS: OptionTypes<ControllerOptions<KubernetesObject, []>> = {
  ...NEEDED,
  ...FOLLOWED,
  ...WRITES,
  ...TIMES,
  ...REST,
}

/**
 * Runs until the controller is stopped. Then it waits for `reconcile` and releases the lease. Rejects with `LeadershipLostError` when this
 * process no longer leads: most programs exit then, and are started again.
 */
export async function runController<T extends KubernetesObject, const W extends readonly KubernetesObject[] = []>(
  options: ControllerOptions<T, W>,
): Promise<void> {
  checkOptions('runController', options, OPTIONS)
  for (const [name, type] of Object.entries(NEEDED)) checkValue('runController', name, Reflect.get(options, name), type)
  checkFinalizer(options.finalizer)
  const { client, leaderElection } = options
  const sources = sourcesOf(options)
  using stop = stopOf(options.signal)
  const { signal } = stop
  try {
    if (leaderElection === undefined) return await reconcileAll(options, sources, signal)
    const identity = `${hostname()}_${crypto.randomUUID()}`
    await client.runAsLeader({ identity, ...leaderElection, signal }, (leads) => reconcileAll(options, sources, leads))
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
  }
}

type Options<T extends KubernetesObject> = Omit<ControllerOptions<T, []>, 'watches'>
type Source = Watched<KubernetesObject>

/** The kind that is reconciled comes first. */
function sourcesOf<T extends KubernetesObject>(options: ControllerOptions<T, readonly KubernetesObject[]>): Source[] {
  const { for: reconciled, owns = [], watches = [] } = options
  const own = followed('for', reconciled)
  if (owns.length > 0 && own.kind.kind === undefined)
    throw new TypeError('runController: give the kind of "for": owner references need it')
  return [
    { ...own, to: ({ metadata: { name, namespace } }) => [{ name, namespace }] },
    ...owns.map((given) => ({
      ...followed('owns', given),
      to: (object: KubernetesObject) => ownersOf(object, own.kind),
    })),
    ...watches.map((given) => {
      const { to } = given
      checkValue('runController: watches', 'to', to, 'function')
      return { ...followed('watches', given), to }
    }),
  ]
}

/** The option is a kind, or a record with a kind. The member `kind` of a kind is a name. */
function followed(
  option: string,
  given: Kind<KubernetesObject> | Followed<KubernetesObject>,
): Followed<KubernetesObject> {
  checkValue(`runController: ${option}`, 'kind', given, 'object')
  const all =
    typeof given.kind === 'object' ? (given as Followed<KubernetesObject>) : { kind: given as Kind<KubernetesObject> }
  checkValue(`runController: ${option}`, 'kind', all.kind, 'object')
  return all
}

/** The owner that controls the object, if it is of the kind. */
function ownersOf({ metadata }: KubernetesObject, owner: Kind<unknown>): readonly ObjectName[] {
  const references = metadata.ownerReferences ?? []
  const isOwner = ({ apiVersion, kind, controller }: (typeof references)[number]): boolean =>
    controller === true && kind === owner.kind && groupOf(apiVersion) === groupOf(apiVersionOf(owner))
  const namespace = owner.namespaced === false ? undefined : metadata.namespace
  return references.filter(isOwner).map(({ name }) => ({ name, namespace }))
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}

async function reconcileAll<T extends KubernetesObject>(
  options: Options<T>,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace: only, onError = tell } = options
  const informers = new Map<Kind<KubernetesObject>, Informer<KubernetesObject>>()
  await using copies = new AsyncDisposableStack()
  const cached = <U extends KubernetesObject>(kind: Kind<U, KubernetesObject>): Informer<U> => {
    const found = informers.get(kind)
    if (found === undefined) throw new TypeError(`the controller does not follow ${kind.kind ?? kind.plural}`)
    return found as unknown as Informer<U>
  }
  const { fieldManager, now = () => client.clock.timeOfDay() } = options
  const writers = { client, kind: sources[0]!.kind, fieldManager, now }
  const queue = new WorkQueue({
    clock: client.clock,
    concurrency: options.concurrency ?? 1,
    firstRetryMs: options.firstRetryMs ?? 5,
    longestRetryMs: options.longestRetryMs ?? 1_000_000,
    onError: (key, error) => onError(error, nameIn(key)),
    work: async (key) => {
      const { name, namespace } = nameIn(key)
      const object = informers.get(writers.kind)!.get(name, namespace) as Stored<T> | undefined
      const read = (): Stored<T> => {
        if (object === undefined) throw new TypeError(`${name} is deleted: there is nothing to write for it`)
        return object
      }
      const path = namespace === undefined ? name : key
      const request = { key: path, name, namespace, object, signal, cached, ...writesFor(read, writers) }
      const result = await reconcileOrFinalize(request, options, writers)
      const { requeueAfterMs } = result ?? {}
      checkValue('reconcile', 'requeueAfterMs', requeueAfterMs, 'duration?')
      return requeueAfterMs
    },
  })
  const all: Informer<KubernetesObject>[] = []
  for (const { kind, to, ...selection } of sources) {
    const everywhere = client.resource(kind)
    const resource = only === undefined || kind.namespaced === false ? everywhere : everywhere.inNamespace(only)
    const informer = copies.use(resource.informer({ ...selection, onError: (error) => onError(error) }))
    all.push(informer)
    if (!informers.has(kind)) informers.set(kind, informer)
    // An object may have had another owner before. A repeated name is reconciled once.
    const add = (...versions: readonly Stored<KubernetesObject>[]): void => {
      for (const key of new Set(versions.flatMap(to).map(keyOf))) queue.add(key)
    }
    informer.addHandler({ add, update: add, delete: add })
    informer.start()
  }
  await Promise.all(all.map((informer) => informer.waitForSync(signal)))
  await queue.run(signal)
}

/** A change of the finalizers reconciles the object again, so nothing else is done for it now. */
async function reconcileOrFinalize<T extends KubernetesObject>(
  request: Reconciliation<T>,
  { reconcile, finalizer }: Options<T>,
  writers: Writers,
): Promise<ReconcileResult | void> {
  const { object } = request
  if (object === undefined || finalizer === undefined) return reconcile(request)
  const { finalizers = [], deletionTimestamp } = object.metadata
  const isHeld = finalizers.includes(finalizer.name)
  if (deletionTimestamp === undefined) {
    if (isHeld) return reconcile(request)
    return setFinalizers(object, [...finalizers, finalizer.name], writers)
  }
  if (!isHeld) return
  await finalizer.cleanUp({ ...request, object })
  const others = finalizers.filter((name) => name !== finalizer.name)
  return setFinalizers(object, others, writers)
}

function keyOf({ name, namespace = '' }: ObjectName): string {
  pathPart('runController', 'name of an object', name)
  return `${namespace}/${name}`
}

function nameIn(key: string): { readonly name: string; readonly namespace: string | undefined } {
  const [namespace, name] = key.split('/') as [string, string]
  return { name, namespace: namespace === '' ? undefined : namespace }
}

function tell(error: unknown, object?: ObjectName): void {
  console.error(object === undefined ? 'controller:' : `reconcile of ${keyOf(object)}:`, error)
}

function stopOf(given: AbortSignal | undefined): { readonly signal: AbortSignal } & Disposable {
  const stop = new AbortController()
  const end = (): void => {
    process.off('SIGTERM', end).off('SIGINT', end)
    stop.abort()
  }
  if (given === undefined) process.on('SIGTERM', end).on('SIGINT', end)
  return {
    signal: given ?? stop.signal,
    [Symbol.dispose]: () => void process.off('SIGTERM', end).off('SIGINT', end),
  }
}
