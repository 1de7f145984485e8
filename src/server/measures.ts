// Everything that the rooms count, made before them and shown by `/metrics`; and what is only looked up when somebody asks.
import { AdmissionMeasures } from '../admission/measures.ts'
import { PodSecurityMeasures } from '../plugins/pod-security-measures.ts'
import { PolicyMeasures } from '../admission/policy/policy.ts'
import { AuthMeasures } from '../auth/measures.ts'
import type { TypeLoad, WatchCache } from '../cache/cache.ts'
import { CacheMeasures } from '../cache/measures.ts'
import { QueueMeasures } from '../controllers/queue-measures.ts'
import { WatchMeasures } from '../handlers/watch-measures.ts'
import { HttpMeasures } from '../http/measures.ts'
import { type Count, counterFamily, type Family, gaugeFamily } from '../lib/measure.ts'
import { OutgoingMeasures } from '../outgoing/measures.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { addressCount, NODE_PORTS, ServiceMeasures } from '../kinds/kinds.ts'
import { RuleMeasures } from '../schema/custom/custom.ts'
import { EncryptionMeasures } from '../store/encryption/encryption.ts'
import { StoreMeasures } from '../store/measures.ts'
import { typeName } from '../telemetry/gone-series.ts'
import { versionInfo } from './version.ts'

export class ServerMeasures {
  readonly admission = new AdmissionMeasures()
  readonly auth = new AuthMeasures()
  readonly cache = new CacheMeasures()
  readonly encryption = new EncryptionMeasures()
  readonly http = new HttpMeasures()
  readonly outgoing = new OutgoingMeasures()
  readonly policies = new PolicyMeasures()
  readonly podSecurity = new PodSecurityMeasures(Number(versionInfo().minor))
  readonly queues = new QueueMeasures()
  readonly rules = new RuleMeasures()
  readonly services = new ServiceMeasures()
  readonly store = new StoreMeasures()
  readonly watch = new WatchMeasures()

  /** Series may be gone that were found before. */
  forgetFound(): void {
    this.cache.forgetFound()
    this.store.forgetFound()
  }

  all(): readonly Family[] {
    // Those of `http` are shown with the requests.
    const { http: _, ...rooms } = this
    return [...Object.values(rooms).flatMap((room) => room.all()), ...elsewhere()]
  }
}

/** Names that dashboards ask for and that nothing here has a number for yet. */
function elsewhere(): readonly Family[] {
  const counter = (name: string, help: string, ...labels: readonly string[]): Family<Count> =>
    counterFamily({ name, help, labels })
  return [
    counter('apiserver_stream_translator_requests_total', 'Streams passed on in another protocol.', 'code'),
    counter('apiserver_stream_tunnel_requests_total', 'Streams passed on as they are.', 'code'),
  ]
}

export interface StockParts {
  readonly table: () => ResourceTable
  readonly cache: WatchCache
  /** What services are given their addresses and ports from. */
  readonly serviceRange: string
  readonly nodePorts: { readonly first: number; readonly last: number }
}

/** How much there is, type by type; the caller’s list of types is the bound of the labels. */
export function stockFamilies(parts: StockParts): readonly Family[] {
  const { table, cache } = parts
  const eachType = (family: Family<Count>, tell: (type: StockedType) => void): void => {
    family.clear()
    const seen = new Set<string>()
    for (const { stored } of table().all()) {
      if (seen.has(stored.storagePrefix)) continue
      seen.add(stored.storagePrefix)
      const load = cache.load(stored)
      if (load !== undefined) tell({ group: stored.group, resource: stored.resource, load })
    }
  }
  const of = (name: string, help: string, read: (load: TypeLoad, revision: number) => number): Family<Count> =>
    gaugeFamily({
      name,
      help,
      labels: ['group', 'resource'],
      refresh: (family) => {
        const { revision } = cache.status()
        eachType(family, ({ group, resource, load }) => {
          family.of(group, resource).value = read(load, revision)
        })
      },
    })
  return [
    gaugeFamily({
      name: 'apiserver_storage_objects',
      help: 'Objects stored.',
      labels: ['resource'],
      refresh: (family) =>
        eachType(family, ({ group, resource, load }) => {
          family.of(typeName(group, resource)).value = load.objects
        }),
    }),
    of('apiserver_resource_objects', 'Objects stored.', ({ objects }) => objects),
    of('apiserver_resource_size_estimate_bytes', 'Bytes stored.', ({ bytes }) => bytes),
    of('apiserver_watch_cache_resource_version', 'How far the cache has come.', (_load, revision) => revision),
    gaugeFamily({
      name: 'quarterdeck_watch_cache_past_bytes',
      help: 'Bytes that changes and states of the past take in memory.',
      labels: [],
      refresh: (family) => {
        family.of().value = cache.status().pastBytes
      },
    }),
    of('watch_cache_capacity', 'How many changes of a type are remembered at most.', () => cache.capacity),
    ...serviceFamilies(parts),
  ]
}

/** How many addresses and ports services have, and how many are left; as far as the claims are kept here. */
function serviceFamilies({ table, cache, serviceRange, nodePorts }: StockParts): readonly Family[] {
  const addressTotal = addressCount(serviceRange)
  const portTotal = nodePorts.last - nodePorts.first + 1
  const usedAddresses = (): number | undefined => {
    const found = table().find({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
    return found === undefined ? undefined : cache.load(found.stored)?.objects
  }
  const usedPorts = (): number | undefined => cache.load(NODE_PORTS)?.objects
  const gauge = (
    name: string,
    help: string,
    labels: Readonly<Record<string, string>>,
    read: () => number | undefined,
  ) =>
    gaugeFamily({
      name: `kube_apiserver_${name}`,
      help,
      labels: Object.keys(labels),
      refresh: (family) => {
        family.clear()
        const value = read()
        if (value !== undefined) family.of(...Object.values(labels)).value = value
      },
    })
  const left = (total: number, used: number | undefined): number | undefined =>
    used === undefined ? undefined : Math.max(0, total - used)
  const cidr = { cidr: serviceRange }
  return [
    gauge('clusterip_allocator_allocated_ips', 'Addresses that services have.', cidr, usedAddresses),
    gauge('clusterip_allocator_available_ips', 'Addresses that are left.', cidr, () =>
      left(addressTotal, usedAddresses()),
    ),
    gauge('nodeport_allocator_allocated_ports', 'Ports of nodes that services have.', {}, usedPorts),
    gauge('nodeport_allocator_available_ports', 'Ports of nodes that are left.', {}, () =>
      left(portTotal, usedPorts()),
    ),
  ]
}

interface StockedType {
  readonly group: string
  readonly resource: string
  readonly load: TypeLoad
}

/** What `/metrics/slis` tells of the health checks (P-246). */
export class HealthMeasures {
  readonly #now = gaugeFamily({
    name: 'kubernetes_healthcheck',
    help: '1 where the check last found all well, 0 where it did not.',
    labels: ['name', 'type'],
  })
  readonly #all = counterFamily({
    name: 'kubernetes_healthchecks_total',
    help: 'Checks, and what they found.',
    labels: ['name', 'type', 'status'],
  })

  all(): readonly Family[] {
    return [this.#now, this.#all]
  }

  note(type: string, name: string, isFine: boolean): void {
    this.#now.of(name, type).value = isFine ? 1 : 0
    this.#all.of(name, type, isFine ? 'success' : 'error').value++
  }
}
