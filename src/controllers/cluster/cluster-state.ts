// State that the controllers of a cluster share: the followed objects, queues, writes and events.
import type { KindName, ObjectOf } from '../../api/kind-guard.ts'
import type { ApiLevel } from '../../api/level.ts'
import { metaText, withMembers } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { ApiError } from '../../api/status.ts'
import { cancellable } from '../../lib/cancellable.ts'
import { systemRandom, type Random } from '../../lib/random.ts'
import { CountedTurns } from '../../lib/turns.ts'
import { createObject } from '../../registry/create.ts'
import { deleteObject } from '../../registry/delete.ts'
import type { Propagation, WriteContext } from '../../registry/registry.ts'
import { servedResource } from '../../registry/served-resource.ts'
import type { ControllerParts } from '../controllers.ts'
import { WorkQueue } from '../work-queue.ts'
import { controllerContext, isReason, newObject, updateLive } from '../writes.ts'
import { EventLog } from './event-log.ts'
import { type Followed, followedOf, keyOf } from './followed.ts'

export interface ClusterOptions {
  /** The number of simulated nodes. */
  readonly nodes: number
  /** Whether the controller of this name runs. */
  readonly isOn: (name: string) => boolean
  /** The version that nodes report. */
  readonly version: string
  readonly level: ApiLevel
}

const PLURALS = {
  'core_v1.Pod': 'pods',
  'core_v1.Node': 'nodes',
  'core_v1.Namespace': 'namespaces',
  'coordination.k8s.io_v1.Lease': 'leases',
  'apps_v1.ReplicaSet': 'replicasets',
  'core_v1.ReplicationController': 'replicationcontrollers',
  'apps_v1.Deployment': 'deployments',
  'apps_v1.StatefulSet': 'statefulsets',
  'apps_v1.DaemonSet': 'daemonsets',
  'apps_v1.ControllerRevision': 'controllerrevisions',
  'batch_v1.Job': 'jobs',
  'batch_v1.CronJob': 'cronjobs',
  'core_v1.PersistentVolumeClaim': 'persistentvolumeclaims',
  'core_v1.PersistentVolume': 'persistentvolumes',
  'core_v1.Service': 'services',
  'core_v1.Endpoints': 'endpoints',
  'discovery.k8s.io_v1.EndpointSlice': 'endpointslices',
  'policy_v1.PodDisruptionBudget': 'poddisruptionbudgets',
  'storage.k8s.io_v1.StorageClass': 'storageclasses',
} as const satisfies { readonly [N in KindName]?: string }

type ClusterKind = keyof typeof PLURALS

/** The manager of the written fields. */
export type Manager = 'kube-controller-manager' | 'kube-scheduler' | 'kubelet'

export interface WriteOptions {
  readonly manager?: Manager
  readonly subresource?: 'status'
}

export interface RemoveOptions {
  readonly graceSeconds?: number
  readonly propagation?: Propagation
}

export interface SyncQueue<T> {
  add(object: T): void
  addAfter(object: T, milliseconds: number): void
}

const WORKERS = 4
/** The number of writes, of a few milliseconds each, that begin in one turn of the event loop. */
const MOST_IN_TURN = 4
const LONGEST_WAIT_MS = 24 * 3_600_000

export class Cluster {
  readonly parts: ControllerParts
  readonly options: ClusterOptions
  /** Fires when the cluster ends. */
  readonly signal: AbortSignal
  readonly events: EventLog
  readonly random: Random
  /** Shares turns of the event loop: with a store in memory, one write after another would hold it. */
  readonly #turns = new CountedTurns(MOST_IN_TURN)
  readonly #followed = new Map<ClusterKind, Followed>()
  readonly #loops: (() => Promise<void>)[] = []

  constructor(parts: ControllerParts, options: ClusterOptions, signal: AbortSignal) {
    this.parts = parts
    this.options = options
    this.signal = signal
    this.random = parts.random ?? systemRandom
    this.events = new EventLog(parts, () => this.turn(), signal)
  }

  /** The time in RFC 3339, in whole seconds. */
  get now(): string {
    return this.parts.now()
  }

  get nowMs(): number {
    return this.parts.clock.timeOfDay()
  }

  /** Call this before a write, and before other work of milliseconds. */
  turn(): Promise<void> {
    return this.#turns.next()
  }

  /** Follows all objects of a kind. Call this before `run`. */
  follow<N extends ClusterKind>(kind: N): Followed<ObjectOf<N>> {
    const known = this.#followed.get(kind)
    if (known !== undefined) return known as unknown as Followed<ObjectOf<N>>
    const group = kind.slice(0, kind.indexOf('_'))
    const resource = servedResource(this.parts.resources(), PLURALS[kind], group === 'core' ? '' : group)
    const followed = followedOf<N>(resource, kind)
    this.#followed.set(kind, followed as unknown as Followed)
    return followed
  }

  /** Adds a loop that begins when all objects are known, and ends with the signal. Call this before `run`. */
  onReady(loop: () => Promise<void>): void {
    this.#loops.push(loop)
  }

  /**
   * Calls `sync` with the newest state of an object after every change of it, and when it is added. If `sync` resolves to true, it is
   * called again. It is not called for objects that are gone.
   */
  queue<T extends ApiObject>(
    name: string,
    followed: Followed<T>,
    sync: (object: T) => Promise<boolean | void>,
  ): SyncQueue<T> {
    const work = async (key: string): Promise<boolean | void> => {
      await this.turn()
      const object = followed.byKey(key)
      return object === undefined ? undefined : sync(object)
    }
    const queue = new WorkQueue(this.parts, { name, workers: WORKERS, work })
    followed.listen({ changed: (object) => queue.add(keyOf(object)) })
    this.onReady(() => queue.run(this.signal))
    return {
      add: (object) => queue.add(keyOf(object)),
      addAfter: (object, milliseconds) =>
        queue.addAfter(keyOf(object), Math.min(Math.max(milliseconds, 0), LONGEST_WAIT_MS)),
    }
  }

  /** Does work that is tried again later. A failure is logged, and ends nothing else. Resolves to whether the work has succeeded. */
  async attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (this.signal.aborted) throw error
      this.parts.log.warn({ err: error }, `could not ${what}, will retry`)
      return false
    }
  }

  run(): readonly Promise<void>[] {
    const { store } = this.parts.registry
    const followed = [...this.#followed.values()]
    const synced = cancellable(Promise.all(followed.map((one) => one.synced)), this.signal)
    const loops = async (): Promise<void> => {
      await synced
      await Promise.all(this.#loops.map((loop) => loop()))
    }
    return [...followed.map((one) => one.run(store, this.signal)), loops(), this.events.run()]
  }

  context(namespace: string, manager: Manager = 'kube-controller-manager'): WriteContext {
    return { ...controllerContext(this.parts, namespace, this.signal), fieldManager: manager }
  }

  /** Throws `ApiError` if the object is refused. */
  async create<T extends ApiObject>(
    followed: Followed<T>,
    metadata: T['metadata'],
    rest: Omit<T, 'kind' | 'apiVersion' | 'metadata' | 'status'> & { readonly status?: Partial<T['status']> },
    { manager }: WriteOptions = {},
  ): Promise<T> {
    const { resource } = followed
    const context = this.context(textOf(metadata.namespace), manager)
    const made = newObject(resource, metadata, rest)
    const complete = resource.withDefaults(made, { gates: this.parts.gates, now: () => context.now })
    await this.turn()
    const { object } = await createObject(this.parts.registry, resource, complete, context)
    return followed.note(object)
  }

  /** Undefined: the object is gone, or another one has its name. */
  async update<T extends ApiObject>(
    followed: Followed<T>,
    object: T,
    change: (live: T) => T,
    { manager, subresource }: WriteOptions = {},
  ): Promise<T | undefined> {
    const { resource } = followed
    const context = this.context(metaText(object, 'namespace'), manager)
    const request = {
      name: metaText(object, 'name'),
      uid: metaText(object, 'uid'),
      change: (live: ApiObject) => change(live as T),
      ...(subresource === undefined ? {} : { subresource }),
    }
    await this.turn()
    try {
      return followed.note((await updateLive(this.parts, resource, request, context)).object)
    } catch (error) {
      if (isReason(error, 'NotFound', 'Conflict')) return undefined
      throw error
    }
  }

  /** Writes a status that differs from the known one. Members that are undefined are left out. */
  async setStatus<T extends ApiObject & { readonly status: ValueMap }>(
    followed: Followed<T>,
    object: T,
    members: { readonly [K in keyof T['status']]?: T['status'][K] | undefined },
    options: WriteOptions = {},
  ): Promise<T | undefined> {
    const status = withMembers({}, members)
    const wanted = followed.resource.toCanonical({ ...object, status })
    if (equalValues(wanted['status'], object.status)) return object
    return this.update(followed, object, (live) => ({ ...live, status }), { ...options, subresource: 'status' })
  }

  /** Deletes the object with this uid. Without a grace period, the object's own applies. False: the object is gone already. */
  async remove<T extends ApiObject>(
    followed: Followed<T>,
    object: T,
    { manager, graceSeconds, propagation = 'Background' }: WriteOptions & RemoveOptions = {},
  ): Promise<boolean> {
    const { resource } = followed
    const options = {
      gracePeriodSeconds: graceSeconds,
      preconditions: { uid: metaText(object, 'uid'), resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: propagation,
      ignoreReadErrors: false,
    } as const
    const context = this.context(metaText(object, 'namespace'), manager)
    await this.turn()
    try {
      const request = { name: metaText(object, 'name'), options }
      const answer = await deleteObject(this.parts.registry, resource, request, context)
      if (answer.kind === 'gone' || answer.removed) followed.noteRemoved(object)
      else followed.note(answer.object)
      return true
    } catch (error) {
      if (isReason(error, 'NotFound', 'Conflict')) return false
      throw error
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The message of a refusal. Throws every other error. */
export function refusalOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  throw error
}
