// The service `kubernetes` in the namespace default, its endpoints, and the ServiceCIDR of its address. Every replica renews a master
// lease. The endpoints are the replicas with unexpired leases (W-624, W-625, W-628).
import { isIP } from 'node:net'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject } from '../api/object.ts'
import type { Value } from '../api/value.ts'
import { equalValues, own } from '../api/value.ts'
import { pause } from '../lib/pause.ts'
import { createObject } from '../registry/create.ts'
import type { Resource, WriteContext } from '../registry/registry.ts'
import { withAppliedCondition } from './applied-condition.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { isReason, type LiveUpdate, newObject, serverContext, succeeds, updateLive } from './writes.ts'

const NAME = 'kubernetes'
const NAMESPACE = 'default'
const RANGE_MANAGER = 'kubernetes-service-cidr-controller'
const RENEW_MS = 10_000
const WAIT_FOR_PORT_MS = 100
/** The pause before the next attempt, while the namespace or another object does not exist yet. */
const WAIT_FOR_NAMESPACE_MS = 200
/** Objects that still cannot be created after this many attempts do not delay the start. */
const FIRST_ATTEMPTS = 10
const LEASE_SECONDS = 15
/** Addresses that endpoints may not have. Another server may advertise one. */
const LOCAL = /^(?:127\.|169\.254\.|::1$|fe80:)/i

export interface Advertised {
  /** The address at which other machines reach this replica. Undefined: they cannot. */
  readonly address: string | undefined
  /** 0 until the server listens. */
  readonly port: () => number
  /** The range of the addresses of services, and the first address in it. */
  readonly serviceRange: { readonly text: string; readonly firstAddress: string }
  /** False: the endpoints are managed elsewhere. */
  readonly keepsEndpoints?: boolean
  /** The node port that the service gets when it is made. 0 or absent: none. */
  readonly nodePort?: number
}

/** The type of the master leases. Each replica has one, under its address. A lease expires unless it is renewed. */
export const MASTER_LEASES = Object.freeze({
  group: '',
  resource: 'masterleases',
  storagePrefix: 'masterleases',
  namespaced: false,
  selectableFields: [],
} satisfies Resource['stored'])

/** Creates the missing objects, once, before anything is served. The system namespaces exist already. */
export async function makeKubernetesService(
  parts: ControllerParts,
  advertised: Advertised,
  signal: AbortSignal,
): Promise<void> {
  const reconciler = new ServiceReconciler(parts, advertised, signal)
  let attempts = FIRST_ATTEMPTS
  do await reconciler.reconcile()
  while (reconciler.isBlocked && --attempts > 0 && (await pause(parts.clock, WAIT_FOR_NAMESPACE_MS, signal)))
}

export function kubernetesService(parts: ControllerParts, advertised: Advertised): Controller {
  const deregistering = new AbortController()
  let reconciling = Promise.resolve()
  return {
    name: 'kubernetes-service',
    async run(signal) {
      const stop = AbortSignal.any([signal, deregistering.signal])
      while (advertised.port() === 0) if (!(await pause(parts.clock, WAIT_FOR_PORT_MS, stop))) break
      const reconciler = new ServiceReconciler(parts, advertised, signal)
      while (!stop.aborted) {
        reconciling = reconciler.reconcile()
        await reconciling
        await pause(parts.clock, reconciler.isBlocked ? WAIT_FOR_NAMESPACE_MS : RENEW_MS, stop)
      }
      // After the deregistration, this promise stays pending, so that the controller is not restarted before the server ends.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    async deregister(signal) {
      deregistering.abort()
      await reconciling.catch(() => {})
      await new ServiceReconciler(parts, advertised, signal).deregister()
    },
  }
}

class ServiceReconciler {
  /** Whether an object could not be created yet. */
  isBlocked = false
  readonly #parts: ControllerParts
  readonly #advertised: Advertised
  readonly #signal: AbortSignal

  constructor(parts: ControllerParts, advertised: Advertised, signal: AbortSignal) {
    this.#parts = parts
    this.#advertised = advertised
    this.#signal = signal
  }

  async reconcile(): Promise<void> {
    this.isBlocked = false
    await this.#ensureRange()
    await this.#ensureService()
    if (this.#advertised.keepsEndpoints !== false) await this.#reconcileEndpoints(await this.#addresses())
  }

  /** Removes this replica from the endpoints, unless it is the last one. */
  async deregister(): Promise<void> {
    const { address, keepsEndpoints = true } = this.#advertised
    if (address === undefined || !keepsEndpoints) return
    const key = { resource: MASTER_LEASES, namespace: '', name: address }
    await this.#parts.registry.store.write(key, () => ({ kind: 'remove' }), this.#signal)
    const others = (await this.#liveAddresses()).filter((name) => name !== address)
    if (others.length > 0) await this.#reconcileEndpoints(others)
  }

  async #reconcileEndpoints(addresses: readonly string[]): Promise<void> {
    const port = this.#advertised.port()
    await this.#ensure(servedResource(this.#parts.resources(), 'endpoints'), endpoints(addresses, port))
    const slices = servedResource(this.#parts.resources(), 'endpointslices', 'discovery.k8s.io')
    await this.#ensure(slices, endpointSlice(addresses, port))
  }

  #context(namespace: string): WriteContext {
    return serverContext(this.#parts, namespace, this.#signal)
  }

  #made(resource: Resource, metadata: ApiObject['metadata'], rest: object): ApiObject {
    const object = newObject(resource, metadata, rest)
    return resource.withDefaults(object, { gates: this.#parts.gates, now: this.#parts.now })
  }

  /** Creates the object if it is missing. An existing one is not changed. Resolves to whether it was created. */
  async #create(resource: Resource, object: ApiObject, namespace: string): Promise<boolean> {
    const key = { resource: resource.stored, namespace, name: NAME }
    if ((await this.#parts.registry.store.get(key, { kind: 'any' }, this.#signal)).item !== undefined) return false
    try {
      await createObject(this.#parts.registry, resource, object, this.#context(namespace))
      return true
    } catch (error) {
      // Invalid: another replica is creating the service, and has already allocated its address.
      if (!isReason(error, 'AlreadyExists', 'NotFound', 'Forbidden', 'Invalid')) throw error
      if (!isReason(error, 'AlreadyExists')) this.isBlocked = true
      return false
    }
  }

  async #ensureRange(): Promise<void> {
    const ranges = servedResource(this.#parts.resources(), 'servicecidrs', 'networking.k8s.io')
    const cidrs = [this.#advertised.serviceRange.text]
    if (!(await this.#create(ranges, this.#made(ranges, { name: NAME }, { spec: { cidrs } }), ''))) return
    const message = 'Kubernetes default Service CIDR is ready'
    const now = this.#parts.now()
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: now, message }
    const change = (live: ApiObject): ApiObject =>
      isKind(live, 'networking.k8s.io_v1.ServiceCIDR')
        ? withAppliedCondition(live, ready, { manager: RANGE_MANAGER, now })
        : live
    const update = { name: NAME, subresource: 'status', change, tracksFields: true } as const
    await this.#update(ranges, update, '')
  }

  async #ensureService(): Promise<void> {
    const services = servedResource(this.#parts.resources(), 'services')
    const metadata = { name: NAME, labels: { component: 'apiserver', provider: 'kubernetes' } }
    const { nodePort = 0, serviceRange } = this.#advertised
    const port = { name: 'https', protocol: 'TCP', port: 443, targetPort: this.#advertised.port() }
    const spec = {
      type: nodePort === 0 ? 'ClusterIP' : 'NodePort',
      clusterIP: serviceRange.firstAddress,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [nodePort === 0 ? port : { ...port, nodePort }],
    }
    await this.#create(services, this.#made(services, metadata, { spec }), NAMESPACE)
  }

  /** Renews the lease of this replica. Resolves to the addresses of all replicas with an unexpired lease. */
  async #addresses(): Promise<readonly string[]> {
    const { store } = this.#parts.registry
    const { address } = this.#advertised
    if (address !== undefined) {
      // The object has the form of kube-apiserver, which reads the leases of all servers. Its times are new in every write: the store would
      // not renew the lease of an unchanged object.
      const metadata = {
        name: address,
        creationTimestamp: this.#parts.now(),
        uid: String(this.#parts.clock.timeOfDay()),
      }
      const object = { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets: [{ addresses: [{ ip: address }] }] }
      const key = { resource: MASTER_LEASES, namespace: '', name: address }
      await store.write(key, () => ({ kind: 'put', object, ttlSeconds: LEASE_SECONDS }), this.#signal)
    }
    const names = new Set([...(address === undefined ? [] : [address]), ...(await this.#liveAddresses())])
    return [...names].sort()
  }

  /** The addresses of the replicas whose lease has not expired. */
  async #liveAddresses(): Promise<readonly string[]> {
    const { store } = this.#parts.registry
    const page = await store.list(
      { resource: MASTER_LEASES, at: { kind: 'latest' }, skipUnreadable: true },
      this.#signal,
    )
    const names: string[] = []
    for await (const batch of page.batches) for (const { name } of batch) names.push(name)
    return names.filter((name) => isIP(name) !== 0 && !LOCAL.test(name)).sort()
  }

  /** Creates the object, or reverts the changes of other clients. */
  async #ensure(resource: Resource, { metadata, ...rest }: WantedObject): Promise<void> {
    const made = this.#made(resource, { name: NAME, ...metadata }, rest)
    if (await this.#create(resource, made, NAMESPACE)) return
    const key = { resource: resource.stored, namespace: NAMESPACE, name: NAME }
    const { item } = await this.#parts.registry.store.get(key, { kind: 'any' }, this.#signal)
    if (item?.kind !== 'object') return
    const live = item.object()
    if (Object.keys(rest).every((member) => equalValues(own(live, member), own(resource.toCanonical(made), member))))
      return
    const change = (current: ApiObject): ApiObject => ({ ...current, ...rest })
    await this.#update(resource, { name: NAME, change }, NAMESPACE)
  }

  async #update(resource: Resource, update: LiveUpdate, namespace: string): Promise<void> {
    await succeeds(updateLive(this.#parts, resource, update, this.#context(namespace)), 'NotFound', 'Conflict')
  }
}

interface WantedObject {
  readonly metadata: ApiObject['metadata']
  readonly [member: string]: Value
}

const PORT_NAME = 'https'

function endpoints(addresses: readonly string[], port: number): WantedObject {
  const metadata = { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }
  if (addresses.length === 0) return { metadata }
  const ports = [{ name: PORT_NAME, port, protocol: 'TCP' }]
  return { metadata, subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] }
}

function endpointSlice(addresses: readonly string[], port: number): WantedObject {
  const addressType = addresses.some((address) => address.includes(':')) ? 'IPv6' : 'IPv4'
  return {
    metadata: { labels: { 'kubernetes.io/service-name': NAME } },
    addressType,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
  }
}
