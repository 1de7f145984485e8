// The aggregated API groups of the stored APIServices, and their order among our own groups in discovery (P-388, P-389).
import {
  compareVersions,
  type RankedVersion,
  readNamedVersion,
  readAggregatedService,
  type AggregatedService,
} from '../kinds/kinds.ts'
import type { ResolveService } from '../outgoing/webhook-client.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { Clock } from '../lib/clock.ts'
import { counter, type Family, gauge } from '../lib/measure.ts'
import type { OutgoingTarget } from '../outgoing/call.ts'
import { pause } from '../lib/pause.ts'
import { together } from '../lib/together.ts'
import { type DiscoveryGroup, groupPriority } from '../registry/discovery.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { OpenApiDocuments } from '../codec/openapi-documents.ts'
import type { ReadAggregatedDiscovery } from './aggregated-discovery.ts'
import {
  type PublishedDocuments,
  publishedDocuments,
  type ReadAggregatedDocuments,
  type AggregatedDocuments,
} from './aggregated-openapi.ts'
import { type InformerHandler, runInformer } from './informer.ts'

type Resources = DiscoveryGroup['versions'][number]['resources']

const REFRESH_MS = 30_000

/** The functions that read the other servers. */
export interface AggregatedReaders {
  readonly resources: ReadAggregatedDiscovery
  readonly documents: ReadAggregatedDocuments
  /** The clock for the repeated reads of discovery. */
  readonly clock: Clock
}

export class AggregatedGroups {
  readonly #services = new Map<string, AggregatedService>()
  /** Versions that APIServices name and no server serves. */
  readonly #named = new Map<string, RankedVersion>()
  /** The resources of each available APIService, as far as they are known. */
  readonly #resources = new Map<string, Resources>()
  readonly #documents = new Map<string, AggregatedDocuments>()
  readonly #read: AggregatedReaders
  #merged: { readonly own: readonly DiscoveryGroup[]; readonly all: readonly DiscoveryGroup[] } | undefined
  #told: { readonly groups: readonly DiscoveryGroup[]; readonly all: readonly DiscoveryGroup[] } | undefined
  #published: { readonly own: OpenApiDocuments; readonly all: PublishedDocuments } | undefined

  readonly #losses = counter(
    'aggregator_unavailable_apiservice_total',
    'Times an APIService became unavailable, by reason.',
    ['name', 'reason'],
    {
      // An APIService can have any text as its reason.
      most: 1_000,
    },
  )

  readonly measures: readonly Family[] = [
    this.#losses,
    gauge(
      'aggregator_unavailable_apiservice',
      '1 for each APIService that is unavailable, 0 for each available one.',
      ['name'],
      {
        refresh: (family) => {
          family.clear()
          for (const { name, isAvailable } of this.#services.values()) family.of(name).value = isAvailable ? 0 : 1
        },
      },
    ),
  ]

  constructor(read: AggregatedReaders) {
    this.#read = read
  }

  get isEmpty(): boolean {
    return this.#services.size === 0
  }

  /** The server of a version of a group. Undefined if this server serves the version, or no server does. */
  find(group: string, version: string): AggregatedService | undefined {
    return this.#services.get(`${version}.${group}`)
  }

  /** Our groups and those of other servers. Returns the same list until something changes. */
  among(own: readonly DiscoveryGroup[]): readonly DiscoveryGroup[] {
    if (this.#services.size === 0) return own
    if (this.#merged?.own !== own)
      this.#merged = { own, all: merge(own, [...this.#services.values()], this.#resources) }
    return this.#merged.all
  }

  /** The given groups, and the versions that APIServices name and no server serves. `/apis` shows these groups (P-389). */
  withNamed(groups: readonly DiscoveryGroup[]): readonly DiscoveryGroup[] {
    if (this.#named.size === 0) return groups
    if (this.#told?.groups !== groups) {
      this.#told = { groups, all: merge(groups, [...this.#named.values()], new Map()) }
    }
    return this.#told.all
  }

  /** Our documents and those of other servers. Returns the same object until something changes. */
  documents(own: OpenApiDocuments): PublishedDocuments {
    if (this.#documents.size === 0) return own
    if (this.#published?.own !== own) {
      this.#published = { own, all: publishedDocuments(own, [...this.#documents.values()]) }
    }
    return this.#published.all
  }

  /** Follows the APIServices until the signal fires. */
  async follow(store: Store, resources: ResourceTable, signal: AbortSignal): Promise<void> {
    const put = (name: string, service: AggregatedService | undefined): void => {
      const before = this.#services.get(name)
      if (service === undefined) {
        this.#services.delete(name)
        this.#losses.forget(([gone]) => gone === name)
      } else this.#services.set(name, service)
      if (before?.isAvailable === true && service?.isAvailable === false) this.#losses.of(name, service.reason).value++
      if (service?.isAvailable !== true) this.#forget(name)
      else if (!this.#resources.has(name)) void this.#load(service, signal)
      if (before !== undefined || service !== undefined) this.#merged = undefined
    }
    const name = (key: string, version: RankedVersion | undefined): void => {
      if (version === undefined && !this.#named.has(key)) return
      if (version === undefined) this.#named.delete(key)
      else this.#named.set(key, version)
      this.#told = undefined
    }
    const handler: InformerHandler = {
      onPresent: (stored) => {
        const object = stored.object()
        put(stored.name, readAggregatedService(object))
        name(stored.name, readNamedVersion(object))
      },
      onGone: (stored) => {
        put(stored.name, undefined)
        name(stored.name, undefined)
      },
    }
    const resource = servedResource(resources, 'apiservices', 'apiregistration.k8s.io')
    await together(signal, (until) => [runInformer(store, resource, handler, until), this.#refresh(until)])
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    while (await pause(this.#read.clock, REFRESH_MS, signal)) {
      const open = [...this.#services.values()].filter(({ isAvailable }) => isAvailable)
      await Promise.all(open.map((service) => this.#load(service, signal)))
    }
  }

  #forget(name: string): void {
    this.#resources.delete(name)
    if (this.#documents.delete(name)) this.#published = undefined
  }

  /** Reads the resources and documents of a server. If that fails, the last result stays valid. */
  async #load(service: AggregatedService, signal: AbortSignal): Promise<void> {
    const isWanted = (): boolean => this.#services.get(service.name)?.isAvailable === true
    try {
      const resources = await this.#read.resources(service, signal)
      if (!isWanted()) return
      this.#resources.set(service.name, resources)
      this.#merged = undefined
      const before = this.#documents.get(service.name)
      const documents = await this.#read.documents(service, before, signal)
      if (!isWanted()) return
      this.#documents.set(service.name, documents)
      if (documents.v3Address !== before?.v3Address || documents.v2 !== before?.v2) this.#published = undefined
    } catch {
      // A controller checks and reports the availability (`api-service-availability.ts`).
    }
  }
}

function merge(
  own: readonly DiscoveryGroup[],
  services: readonly RankedVersion[],
  resources: ReadonlyMap<string, Resources>,
): readonly DiscoveryGroup[] {
  const byGroup = Map.groupBy(services, ({ group }) => group)
  const versionsOf = (group: string): DiscoveryGroup['versions'] =>
    (byGroup.get(group) ?? []).map(({ name, version, groupPriority, versionPriority }) => ({
      version,
      priority: { group: groupPriority, version: versionPriority },
      resources: resources.get(name) ?? [],
      custom: true,
      ...(resources.has(name) ? {} : { stale: true }),
    }))
  const names = new Set(own.map(({ group }) => group))
  const joined = own.map((each) => {
    const told = new Set(each.versions.map(({ version }) => version))
    const more = versionsOf(each.group).filter(({ version }) => !told.has(version))
    return more.length === 0 ? each : { ...each, versions: [...each.versions, ...more].sort(byPriority) }
  })
  const others = [...byGroup.keys()].filter((group) => !names.has(group))
  const all = [...joined, ...others.map((group) => ({ group, versions: versionsOf(group).toSorted(byPriority) }))]
  return all.sort((a, b) => rankOf(b) - rankOf(a) || (a.group < b.group ? -1 : 1))
}

type Version = DiscoveryGroup['versions'][number]

function byPriority(a: Version, b: Version): number {
  return (b.priority?.version ?? 0) - (a.priority?.version ?? 0) || compareVersions(a.version, b.version)
}

/** The core group comes first, then groups without a priority, then the other groups by the highest group priority of a version (P-388). */
function rankOf({ group, versions }: DiscoveryGroup): number {
  if (group === '') return Infinity
  return Math.max(...versions.map(groupPriority))
}

/** The target of calls to the other server: through its service, with our certificate if we have one. */
export function aggregatedTarget(
  { service, tls }: AggregatedService,
  locate: ResolveService,
  certificate: { readonly certificate: string; readonly key: string } | undefined,
): OutgoingTarget {
  return {
    url: `https://${service.name}.${service.namespace}.svc:${service.port}/`,
    tls: { ...tls, ...certificate },
    locate: () => locate(service),
  }
}
