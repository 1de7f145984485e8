// The condition Available of APIServices: aggregated API servers are probed when something about them changes and every 30
// seconds (P-382).
import type { EndpointSlice, Service } from '../api/gen/kinds.ts'
import { isKind, type KindName, type ObjectOf } from '../api/kind-guard.ts'
import { labelsOf, metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { availabilityOf, readAggregatedService, type AggregatedService } from '../kinds/kinds.ts'
import { own } from '../api/value.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import type { Resource } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import type { WorkQueue } from './work-queue.ts'
import { serverContext, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const RECHECK_MS = 30_000
const PROBES = 5

/** Asks the other server for its discovery document. If that fails, throws an error with the reason. */
export type ProbeApiService = (service: AggregatedService, signal: AbortSignal) => Promise<unknown>

interface Verdict {
  readonly isAvailable: boolean
  readonly reason: string
  readonly message: string
}

export function apiServiceAvailability(parts: ControllerParts, probe: ProbeApiService): Controller {
  const options = { name: 'remote-availability', canWait: true, workers: 2, whenSynced: true }
  return keyedController(parts, options, (queue) => new RemoteAvailability(parts, probe, queue))
}

class RemoteAvailability implements KeyedWork {
  /** The work begins when all types are synced: before that, every service would count as missing. */
  readonly followed: readonly FollowedType[]
  readonly #parts: ControllerParts
  readonly #probe: ProbeApiService
  readonly #remotes = new Map<string, AggregatedService>()
  /** By the service. */
  readonly #services = new Map<string, Set<KnownService>>()
  readonly #slices = new Map<string, Set<KnownSlice>>()
  readonly #queue: WorkQueue
  readonly #apiServices: Resource

  constructor(parts: ControllerParts, probe: ProbeApiService, queue: WorkQueue) {
    this.#parts = parts
    this.#probe = probe
    this.#queue = queue
    this.#apiServices = servedResource(parts.resources(), 'apiservices', 'apiregistration.k8s.io')
    const services = servedResource(parts.resources(), 'services')
    const slices = servedResource(parts.resources(), 'endpointslices', 'discovery.k8s.io')
    this.followed = [
      {
        type: this.#apiServices,
        onPresent: (stored) => this.#onRemote(stored),
        onGone: ({ name }) => void this.#remotes.delete(name),
      },
      { type: services, ...this.#kept('core_v1.Service', this.#services, serviceOf) },
      { type: slices, ...this.#kept('discovery.k8s.io_v1.EndpointSlice', this.#slices, sliceOf) },
    ]
  }

  #onRemote(stored: StoredObject): void {
    const remote = readAggregatedService(stored.object())
    if (remote === undefined) this.#remotes.delete(stored.name)
    else this.#remotes.set(stored.name, remote)
    if (remote !== undefined) this.#queue.add(stored.name)
  }

  #kept<N extends KindName, T extends { readonly service: string }>(
    kind: N,
    into: Map<string, Set<T>>,
    read: (object: ObjectOf<N>) => T,
  ): Omit<FollowedType, 'type'> {
    const known = new Map<string, T>()
    const forget = (key: string): T | undefined => {
      const before = known.get(key)
      known.delete(key)
      if (before !== undefined) removeFromSet(into, before.service, before)
      return before
    }
    const tell = (service: string): void => {
      for (const [name, remote] of this.#remotes) if (keyOfReference(remote) === service) this.#queue.add(name)
    }
    return {
      onPresent: (stored) => {
        const object = stored.object()
        if (!isKind(object, kind)) return
        const key = `${stored.namespace}/${stored.name}`
        const one = read(object)
        forget(key)
        known.set(key, one)
        addToSet(into, one.service, one)
        tell(one.service)
      },
      onGone: (stored) => {
        const gone = forget(`${stored.namespace}/${stored.name}`)
        if (gone !== undefined) tell(gone.service)
      },
    }
  }

  async work(name: string, signal: AbortSignal): Promise<void> {
    const remote = this.#remotes.get(name)
    if (remote === undefined) return
    const verdict = this.#findFault(remote) ?? (await this.#ask(remote, signal))
    await this.#tell(name, verdict, signal)
    this.#queue.addAfter(name, RECHECK_MS)
  }

  /** The first fault that is found without a call to the other server. Undefined: none. */
  #findFault({ service }: AggregatedService): Verdict | undefined {
    const { namespace, name, port } = service
    const subject = `service/${name} in ${JSON.stringify(namespace)}`
    const key = `${namespace}/${name}`
    const [found] = this.#services.get(key) ?? []
    if (found === undefined) return fault('ServiceNotFound', `${subject} is not present`)
    if (found.type !== 'ClusterIP') return undefined
    const listening = found.ports.find((each) => each.port === port)
    if (listening === undefined) return fault('ServicePortError', `${subject} is not listening on port ${port}`)
    const { name: portName = '' } = listening
    const slices = [...(this.#slices.get(key) ?? [])]
    if (slices.length === 0) return fault('EndpointsNotFound', `cannot find endpointslices for ${subject}`)
    const isReady = slices.some(
      ({ ports, hasReady }) => hasReady && ports.some((each) => (each.name ?? '') === portName),
    )
    if (isReady) return undefined
    const why = `endpointslices for ${subject} have no addresses with port name ${JSON.stringify(portName)}`
    return fault('MissingEndpoints', why)
  }

  /** Sends several requests. One successful answer is enough: the other requests may have reached a stopping instance of the service. */
  async #ask(remote: AggregatedService, signal: AbortSignal): Promise<Verdict> {
    try {
      await Promise.any(Array.from({ length: PROBES }, () => this.#probe(remote, signal)))
      return { isAvailable: true, reason: 'Passed', message: 'all checks passed' }
    } catch (error) {
      const first: unknown = error instanceof AggregateError ? error.errors[0] : error
      return fault('FailedDiscoveryCheck', first instanceof Error ? first.message : String(first))
    }
  }

  async #tell(name: string, { isAvailable, reason, message }: Verdict, signal: AbortSignal): Promise<void> {
    const context = serverContext(this.#parts, '', signal)
    const status = isAvailable ? 'True' : 'False'
    const change = (live: ApiObject): ApiObject => {
      if (!isKind(live, 'apiregistration.k8s.io_v1.APIService')) return live
      const before = availabilityOf(live)
      const since = before?.status === status ? before.lastTransitionTime : undefined
      const condition = { type: 'Available', status, lastTransitionTime: since ?? context.now, reason, message }
      const others = (live.status.conditions ?? []).filter(({ type }) => type !== 'Available')
      return { ...live, status: { ...live.status, conditions: [...others, condition] } }
    }
    const update = { name, subresource: 'status', change } as const
    await succeeds(updateLive(this.#parts, this.#apiServices, update, context), 'NotFound')
  }
}

function fault(reason: string, message: string): Verdict {
  return { isAvailable: false, reason, message }
}

function keyOfReference({ service }: AggregatedService): string {
  return `${service.namespace}/${service.name}`
}

/** The inputs of the checks. `service` is the key of the service. */
interface KnownService {
  readonly service: string
  readonly type: string | undefined
  readonly ports: NonNullable<Service['spec']['ports']>
}

interface KnownSlice {
  readonly service: string
  readonly ports: NonNullable<EndpointSlice['ports']>
  /** Whether an endpoint is ready. The endpoints themselves are not kept: there can be many of them. */
  readonly hasReady: boolean
}

function serviceOf(object: Service): KnownService {
  const { type, ports = [] } = object.spec
  return { service: `${metaText(object, 'namespace')}/${metaText(object, 'name')}`, type, ports }
}

function sliceOf(slice: EndpointSlice): KnownSlice {
  const name = own(labelsOf(slice), 'kubernetes.io/service-name') ?? ''
  const { ports, endpoints } = slice
  const hasReady = (endpoints ?? []).some(({ conditions }) => conditions.ready !== false)
  return { service: `${metaText(slice, 'namespace')}/${name}`, ports: ports ?? [], hasReady }
}
