// The metrics of all folders of `src`, and the metrics that are computed at each scrape.
import { type ApiLevel, DEFAULT_LEVEL } from '../api/level.ts'
import { AdmissionMeasures } from '../admission/measures.ts'
import { PodSecurityMeasures } from '../plugins/pod-security-measures.ts'
import { PolicyMeasures } from '../admission/policy/policy.ts'
import { formatGroupResource } from '../api/object.ts'
import { AuthMeasures } from '../auth/measures.ts'
import type { IndexLoad, TypeLoad, WatchCache } from '../cache/cache.ts'
import { CacheMeasures } from '../cache/measures.ts'
import { QueueMeasures } from '../controllers/queue-measures.ts'
import { WatchMeasures } from '../handlers/watch-measures.ts'
import { HttpMeasures } from '../http/measures.ts'
import { type Count, counter, type Family, gauge } from '../lib/measure.ts'
import { OutgoingMeasures } from '../outgoing/measures.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { addressCount, NODE_PORTS, ServiceMeasures } from '../kinds/kinds.ts'
import { RuleMeasures } from '../schema/custom/custom.ts'
import { EncryptionMeasures } from '../store/encryption/encryption.ts'
import { StoreMeasures } from '../store/measures.ts'
import { WorkerMeasures } from '../workers/measures.ts'
import { versionInfo } from '../telemetry/version.ts'

export class ServerMeasures {
  readonly admission = new AdmissionMeasures()
  readonly auth = new AuthMeasures()
  readonly cache = new CacheMeasures()
  readonly encryption = new EncryptionMeasures()
  readonly http = new HttpMeasures()
  readonly outgoing = new OutgoingMeasures()
  readonly policies = new PolicyMeasures()
  readonly podSecurity: PodSecurityMeasures
  readonly queues = new QueueMeasures()
  readonly rules = new RuleMeasures()
  readonly services = new ServiceMeasures()
  readonly store = new StoreMeasures()
  readonly watch = new WatchMeasures()
  /** Only the supervisor counts workers. Other processes have these measures for the names of its counts. */
  readonly workers = new WorkerMeasures()

  constructor(level: ApiLevel = DEFAULT_LEVEL) {
    this.podSecurity = new PodSecurityMeasures(Number(versionInfo(level).minor))
  }

  /** Call this when series are removed. Code that keeps series looks them up again. */
  forgetFound(): void {
    this.cache.forgetFound()
    this.store.forgetFound()
  }

  all(): readonly Family[] {
    // `openMetrics` gets the families of `http` separately.
    const { http: _, ...rooms } = this
    return [...Object.values(rooms).flatMap((room) => room.all()), ...elsewhere()]
  }
}

/** Metrics that dashboards expect and the server does not count yet. */
function elsewhere(): readonly Family[] {
  return [
    counter('apiserver_stream_translator_requests_total', 'Requests handled by the stream translator.', ['code']),
    counter('apiserver_stream_tunnel_requests_total', 'Requests handled by the stream tunnel.', ['code']),
  ]
}

export interface StockParts {
  readonly table: () => ResourceTable
  readonly cache: WatchCache
  /** The ranges for the addresses and ports of services. */
  readonly serviceRange: string
  readonly nodePorts: { readonly first: number; readonly last: number }
}

/** The numbers and sizes of objects, type by type. The caller's list of types bounds the labels. */
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
    gauge(name, help, ['group', 'resource'], {
      refresh: (family) => {
        const { revision } = cache.status()
        eachType(family, ({ group, resource, load }) => {
          family.of(group, resource).value = read(load, revision)
        })
      },
    })
  return [
    gauge('apiserver_storage_objects', 'Objects stored.', ['resource'], {
      refresh: (family) =>
        eachType(family, ({ group, resource, load }) => {
          family.of(formatGroupResource({ group, resource })).value = load.objects
        }),
    }),
    of('apiserver_resource_objects', 'Objects stored.', ({ objects }) => objects),
    of('apiserver_resource_size_estimate_bytes', 'Estimated size of stored objects in bytes.', ({ bytes }) => bytes),
    of('apiserver_watch_cache_resource_version', 'Resource version of the watch cache.', (_load, revision) => revision),
    gauge(
      'quarterdeck_watch_cache_past_bytes',
      'Memory of past events and snapshots in the watch cache, in bytes.',
      [],
      {
        refresh: (family) => {
          family.of().value = cache.status().pastBytes
        },
      },
    ),
    ...indexFamilies(eachType),
    of('watch_cache_capacity', 'Capacity of the watch cache in events.', () => cache.capacity),
    ...serviceFamilies(parts),
  ]
}

type EachType = (family: Family<Count>, tell: (type: StockedType) => void) => void

/** The indexes for queries. */
function indexFamilies(eachType: EachType): readonly Family[] {
  const of = (name: string, help: string, read: (index: IndexLoad) => number): Family<Count> =>
    gauge(`quarterdeck_query_index_${name}`, help, ['group', 'resource', 'field'], {
      refresh: (family) =>
        eachType(family, ({ group, resource, load }) => {
          for (const index of load.indexes()) family.of(group, resource, index.name).value = read(index)
        }),
    })
  return [
    of('objects', 'Objects in the index.', ({ objects }) => objects),
    of('values', 'Different values in the index.', ({ values }) => values),
    of('ready', 'Whether queries use the index. An index is dropped at 200,000 values.', ({ state }) =>
      state === 'whole' ? 1 : 0,
    ),
  ]
}

/** The numbers of used and free addresses and ports of services. There are no series if the cache does not have the claims. */
function serviceFamilies({ table, cache, serviceRange, nodePorts }: StockParts): readonly Family[] {
  const addressTotal = addressCount(serviceRange)
  const portTotal = nodePorts.last - nodePorts.first + 1
  const usedAddresses = (): number | undefined => {
    const found = table().find({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
    return found === undefined ? undefined : cache.load(found.stored)?.objects
  }
  const usedPorts = (): number | undefined => cache.load(NODE_PORTS)?.objects
  const ofServices = (
    name: string,
    help: string,
    labels: Readonly<Record<string, string>>,
    read: () => number | undefined,
  ) =>
    gauge(`kube_apiserver_${name}`, help, Object.keys(labels), {
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
    ofServices('clusterip_allocator_allocated_ips', 'Cluster IPs in use.', cidr, usedAddresses),
    ofServices('clusterip_allocator_available_ips', 'Cluster IPs available.', cidr, () =>
      left(addressTotal, usedAddresses()),
    ),
    ofServices('nodeport_allocator_allocated_ports', 'Node ports in use.', {}, usedPorts),
    ofServices('nodeport_allocator_available_ports', 'Node ports available.', {}, () => left(portTotal, usedPorts())),
  ]
}

interface StockedType {
  readonly group: string
  readonly resource: string
  readonly load: TypeLoad
}

/** The metrics of health checks at `/metrics/slis` (P-246). */
export class HealthMeasures {
  readonly #now = gauge('kubernetes_healthcheck', 'Result of the last run of a health check: 1 success, 0 failure.', [
    'name',
    'type',
  ])
  readonly #all = counter('kubernetes_healthchecks_total', 'Runs of health checks, by result.', [
    'name',
    'type',
    'status',
  ])

  all(): readonly Family[] {
    return [this.#now, this.#all]
  }

  note(type: string, name: string, isFine: boolean): void {
    this.#now.of(name, type).value = isFine ? 1 : 0
    this.#all.of(name, type, isFine ? 'success' : 'error').value++
  }
}
