// Leader election: the replica that holds a Lease in kube-system and renews it runs the controllers. Clocks of replicas are never
// compared: a lease has expired if the candidate saw no renewal for its duration, by its own clock.
import { isKind } from '../api/kind-guard.ts'
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { cancellable } from '../lib/cancellable.ts'
import { CancelledError } from '../lib/errors.ts'
import { pause } from '../lib/pause.ts'
import { createObject } from '../registry/create.ts'
import type { Resource } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { runControllers } from './controllers.ts'
import type { Fence } from './fence.ts'
import { servedResource } from '../registry/served-resource.ts'
import { controllerContext, isReason, newObject, updateLive } from './writes.ts'

export const LEASE = { namespace: 'kube-system', name: 'quarterdeck-controllers' } as const

/** The time that other candidates wait after the last renewal. */
const LEASE_SECONDS = 6
/** The time after its last renewal for which the holder may write. It stops before another candidate can take over. */
const HOLD_MS = 4_000
const RENEW_EVERY_MS = 2_000
const LOOK_EVERY_MS = 500
const RELEASE_WITHIN_MS = 1_000

export interface Candidacy {
  /** Unique to this run of this replica. */
  readonly identity: string
  /** Whether a holder is known to have ended, so that candidates need not wait for its lease. */
  readonly isGone?: (holder: string) => boolean
}

export interface LeaderElectionOptions extends Candidacy {
  readonly parts: ControllerParts
  /** Open while this replica leads. */
  readonly fence: Fence
}

/** Runs the controllers while this replica holds the lease. A replica that shuts down releases the lease while it still serves. */
export function withLeaderElection(controllers: readonly Controller[], options: LeaderElectionOptions): Controller {
  const leaving = new AbortController()
  let ended = Promise.resolve()
  return {
    name: 'leadership',
    async run(signal) {
      ended = new Candidate(controllers, options).run(AbortSignal.any([signal, leaving.signal]))
      await ended
      // This promise stays pending until the server ends, so that the replica does not become a candidate again.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    async deregister(signal) {
      leaving.abort()
      await cancellable(ended, signal)
    },
  }
}

class Candidate {
  readonly #controllers: readonly Controller[]
  readonly #options: LeaderElectionOptions
  readonly #lease: Resource
  /** The last version of the lease that was seen, and the time when it was first seen. */
  #seen = { resourceVersion: '', atMs: 0 }

  constructor(controllers: readonly Controller[], options: LeaderElectionOptions) {
    this.#controllers = controllers
    this.#options = options
    this.#lease = servedResource(options.parts.resources(), 'leases', 'coordination.k8s.io')
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options.parts
    while (!signal.aborted) {
      try {
        if (await this.#acquire(signal)) await this.#lead(signal)
      } catch (error) {
        if (signal.aborted || error instanceof CancelledError) continue
        // The store is unavailable, or kube-system does not exist yet: try again.
        log.debug({ err: error }, 'leader election attempt failed')
      }
      await pause(clock, LOOK_EVERY_MS, signal)
    }
  }

  /** Takes the lease if it is free. Resolves to whether this replica has taken it. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { parts } = this.#options
    const { clock } = parts
    const key = { resource: this.#lease.stored, ...LEASE }
    const { item } = await parts.registry.store.get(key, { kind: 'any' }, signal)
    if (item !== undefined && item.kind !== 'object') return false
    const current = item?.object()
    if (current !== undefined) {
      const resourceVersion = metaText(current, 'resourceVersion')
      if (this.#seen.resourceVersion !== resourceVersion) this.#seen = { resourceVersion, atMs: clock.now() }
      if (!this.#isFree(current)) return false
    }
    const askedAt = clock.now()
    const taken = await this.#write(current, signal)
    if (taken) this.#options.fence.openUntil(askedAt + HOLD_MS)
    return taken
  }

  #isFree(lease: ApiObject): boolean {
    const { clock } = this.#options.parts
    if (!isKind(lease, 'coordination.k8s.io_v1.Lease')) return false
    const { holderIdentity: holder = '', leaseDurationSeconds: seconds = LEASE_SECONDS } = lease.spec
    if (holder === '' || this.#options.isGone?.(holder) === true) return true
    return clock.now() - this.#seen.atMs > seconds * 1000
  }

  /** Runs the controllers until the lease is lost or the signal fires. If the signal fires, releases the lease. */
  async #lead(signal: AbortSignal): Promise<void> {
    const { parts, fence } = this.#options
    parts.log.info({ lease: `${LEASE.namespace}/${LEASE.name}` }, 'became leader, starting controllers')
    const term = new AbortController()
    const end = (): void => term.abort()
    signal.addEventListener('abort', end, { once: true })
    const running = runControllers(this.#controllers, parts, term.signal)
    try {
      await this.#renew(signal)
    } finally {
      signal.removeEventListener('abort', end)
      term.abort()
      await running
    }
    if (!signal.aborted) parts.log.warn({}, 'lost leadership, stopping controllers')
    else if (fence.isOpen) await this.#release()
    fence.close()
  }

  /** Resolves when the lease is lost or the signal fires. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { fence, parts } = this.#options
    const { clock } = parts
    let wait = RENEW_EVERY_MS
    while (fence.isOpen && (await pause(clock, wait, signal))) {
      const askedAt = clock.now()
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(HOLD_MS)])
      try {
        if (!(await this.#write('own', inTime))) return
        fence.openUntil(askedAt + HOLD_MS)
        wait = RENEW_EVERY_MS
      } catch {
        // The lease may still be valid, and the next attempt may succeed.
        wait = LOOK_EVERY_MS
      }
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#write('release', AbortSignal.timeout(RELEASE_WITHIN_MS))
    } catch {
      // The lease expires.
    }
  }

  /** Acquires the lease seen as `target`, creates a missing one, or renews or releases our own. False: another candidate was faster. */
  async #write(target: ApiObject | undefined | 'own' | 'release', signal: AbortSignal): Promise<boolean> {
    const { parts, identity } = this.#options
    const context = controllerContext(parts, LEASE.namespace, signal)
    const renewTime = new Date(parts.clock.timeOfDay()).toISOString().replace('Z', '000Z')
    try {
      if (target === undefined) {
        const spec = { ...holding(identity, renewTime), leaseTransitions: 0 }
        await createObject(parts.registry, this.#lease, newObject(this.#lease, { name: LEASE.name }, { spec }), context)
        return true
      }
      const change = (live: ApiObject): ApiObject => {
        if (!isKind(live, 'coordination.k8s.io_v1.Lease')) throw new LostError()
        const { spec } = live
        if (typeof target === 'object') {
          if (metaText(live, 'resourceVersion') !== metaText(target, 'resourceVersion')) throw new LostError()
          const leaseTransitions = (spec.leaseTransitions ?? 0) + 1
          return { ...live, spec: { ...spec, ...holding(identity, renewTime), leaseTransitions } }
        }
        if (spec.holderIdentity !== identity) throw new LostError()
        return { ...live, spec: target === 'own' ? { ...spec, renewTime } : { ...spec, holderIdentity: '', renewTime } }
      }
      await updateLive(parts, this.#lease, { name: LEASE.name, change }, context)
      return true
    } catch (error) {
      if (error instanceof LostError || isReason(error, 'AlreadyExists', 'Conflict')) return false
      if (target !== undefined && isReason(error, 'NotFound')) return false
      throw error
    }
  }
}

class LostError extends Error {
  override readonly name = 'LostError'
}

function holding(identity: string, now: string): ValueMap {
  return { holderIdentity: identity, leaseDurationSeconds: LEASE_SECONDS, acquireTime: now, renewTime: now }
}
