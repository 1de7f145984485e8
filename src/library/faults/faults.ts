// Injects faults on purpose: the front door of this folder. In servers of the library, and in servers with `--dev`, requests, watches and
// the store each pass through a part of it. Other servers do not load it.
import type { CallerFilter, HttpRequest } from '../../http/http.ts'
import type { Route } from '../../http/router.ts'
import type { Kv } from '../../kv/kv.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Watch } from '../../store/store.ts'
import type { Cut, Delay, Failure, FaultSpec, Repeated, RequestMatch, WatchMatch } from './fault-spec.ts'
import { faultRoutes } from './fault-routes.ts'
import { readFault } from './fault-spec.ts'
import { type Fault, InjectedFault } from './injected-fault.ts'
import { RequestFaults, type RequestFaultsOptions } from './request-faults.ts'
import { StoreFaults } from './store-faults.ts'
import { OpenWatches, type WatchRequest } from './open-watches.ts'

export type { Cut, Delay, Failure, FailureStatus, FaultSpec, FaultVerb } from './fault-spec.ts'
export type { Repeated, RequestMatch, WatchMatch } from './fault-spec.ts'
export type { Fault } from './injected-fault.ts'

/**
 * Injects faults into the server. A method that injects a fault returns it. The fault counts its hits and can be removed. The method throws
 * if the fault could never strike: an unknown verb, resource or kind, or a status that such requests never get.
 *
 * server.faults.fail({ verb: 'update', resource: 'deployments.apps', name: 'web' }, { status: 409, times: 2 }) server.faults.watches({
 * resource: 'pods' }).cut()
 *
 * Delays use the system's clock, even if the server's own clock is virtual. The server's own work, such as garbage collection, is not a
 * request: only faults of the store affect it.
 */
export interface Faults {
  /** The next requests that match are refused before anything is done. */
  fail(match: RequestMatch, failure: Failure): Fault
  /** The next requests that match take this much longer. */
  delay(match: RequestMatch, delay: Delay): Fault
  /** The next requests that match wait until the fault is removed, at most until their deadline. */
  hold(match: RequestMatch, repeated?: Repeated): Fault
  /** The connections of the next matching requests break off, with all their open requests. */
  cut(match: RequestMatch, cut?: Cut): Fault
  /** Faults of open watches that match. Absent: all watches. `fail` and the other faults of requests make the opening of a watch fail. */
  watches(match?: WatchMatch): WatchFaults
  /**
   * The server no longer gets changes of the store. Lists and reads of resourceVersion 0 are answered from the server's present state,
   * watches get no events, and requests for a newer resourceVersion wait until they time out. Consistent reads are still correct. When the
   * fault is removed, the server catches up.
   */
  staleReplica(): Fault
  /**
   * The store cannot be reached. Writes and consistent reads fail with `ServerTimeout` at once; with a real store they would fail after a while.
   * The server is not ready, watches stall, and reads of resourceVersion 0 are answered from memory. When the fault is removed everything goes
   * on, and nothing is lost.
   */
  storeOutage(): Fault
  /** Injects any of these faults, as JSON in the form of `/debug/faults`. */
  inject(spec: FaultSpec): Fault
  /** Removes all faults. */
  clear(): void
}

/** The result of `faults.watches(match)`. */
export interface WatchFaults {
  /** Open watches break off in the middle, as if the network had failed. */
  cut(): Fault
  /** Watches stay open and silent until the fault is removed, also watches that are opened later. Even the end of a watch is held back. */
  freeze(): Fault
  /** Every event is delayed by this time, also in watches that are opened later. */
  slow(delay: { readonly milliseconds: number }): Fault
  /**
   * Open watches lose their next events, 1 by default, and end with 410 `Expired`, like those of a client that was too slow for the server's
   * history.
   */
  dropEvents(loss?: { readonly events?: number }): Fault
}

/** The resources that requests can name. */
export type KnownResources = Pick<RequestFaultsOptions, 'groups' | 'find'>

export class FaultInjector implements Faults {
  readonly #requests: RequestFaults
  readonly #watches: OpenWatches
  readonly #store = new StoreFaults()
  readonly #faults = new Map<string, InjectedFault>()
  #known: KnownResources = { groups: () => [], find: () => undefined }
  #lastId = 0

  constructor(log: Log) {
    const clock = systemClock
    const groups: KnownResources['groups'] = () => this.#known.groups()
    const find: KnownResources['find'] = (resource) => this.#known.find(resource)
    const onHit = ({ spec }: InjectedFault, { auditId, method, path }: HttpRequest): void =>
      log.info({ fault: spec, auditId, method, path }, 'fault injected')
    this.#requests = new RequestFaults({ groups, find, clock, onHit })
    this.#watches = new OpenWatches({ groups, clock })
  }

  /** Sets the served resources. Before this call, no fault for a resource or kind can be injected. */
  know(resources: KnownResources): void {
    this.#known = resources
  }

  /** A filter that runs after authorization. */
  get requests(): CallerFilter {
    return this.#requests.filter
  }

  /** Wraps every watch that is opened. */
  get watched(): (request: WatchRequest, watch: Watch) => Watch {
    return this.#watches.wrap
  }

  stored(kv: Kv): Kv {
    return this.#store.wrap(kv)
  }

  /** The routes of `/debug/faults`. */
  get routes(): readonly Route[] {
    return faultRoutes(this)
  }

  fail(match: RequestMatch, failure: Failure): Fault {
    return this.inject({ ...failure, fault: 'fail', match })
  }

  delay(match: RequestMatch, delay: Delay): Fault {
    return this.inject({ ...delay, fault: 'delay', match })
  }

  hold(match: RequestMatch, repeated: Repeated = {}): Fault {
    return this.inject({ ...repeated, fault: 'hold', match })
  }

  cut(match: RequestMatch, cut: Cut = {}): Fault {
    return this.inject({ ...cut, fault: 'cut', match })
  }

  watches(match: WatchMatch = {}): WatchFaults {
    return {
      cut: () => this.inject({ fault: 'cutWatches', match }),
      freeze: () => this.inject({ fault: 'freezeWatches', match }),
      slow: (delay) => this.inject({ ...delay, fault: 'slowWatches', match }),
      dropEvents: (loss = {}) => this.inject({ ...loss, fault: 'dropEvents', match }),
    }
  }

  staleReplica(): Fault {
    return this.inject({ fault: 'staleReplica' })
  }

  storeOutage(): Fault {
    return this.inject({ fault: 'storeOutage' })
  }

  inject(given: FaultSpec): InjectedFault {
    const spec = readFault(given)
    const id = String(++this.#lastId)
    const made = <Spec extends FaultSpec>(of: Spec): InjectedFault<Spec> =>
      new InjectedFault(id, of, () => this.#faults.delete(id))
    const fault = this.#add(spec, made)
    this.#faults.set(id, fault)
    return fault
  }

  #add(spec: FaultSpec, made: <Spec extends FaultSpec>(of: Spec) => InjectedFault<Spec>): InjectedFault {
    switch (spec.fault) {
      case 'fail':
      case 'delay':
      case 'hold':
      case 'cut':
        return added(made(spec), this.#requests)
      case 'cutWatches':
      case 'freezeWatches':
      case 'slowWatches':
      case 'dropEvents':
        return added(made(spec), this.#watches)
      case 'staleReplica':
      case 'storeOutage':
        return added(made(spec), this.#store)
    }
  }

  all(): readonly InjectedFault[] {
    return [...this.#faults.values()]
  }

  find(id: string): InjectedFault | undefined {
    return this.#faults.get(id)
  }

  clear(): void {
    for (const fault of this.#faults.values()) fault.remove()
  }
}

function added<Spec extends FaultSpec>(
  fault: InjectedFault<Spec>,
  to: { add(fault: InjectedFault<Spec>): void },
): InjectedFault<Spec> {
  to.add(fault)
  return fault
}
