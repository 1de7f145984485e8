// The groups that other servers serve: which they are, in step with the APIServices that are stored, and how they stand among
// our own in discovery (P-388, P-389).
import { readRemoteService, type RemoteService } from '../api/remote-service.ts'
import type { LocateService } from '../api/webhook-client.ts'
import { follow } from '../controllers/controllers.ts'
import { InvariantError } from '../lib/errors.ts'
import { systemClock } from '../lib/clock.ts'
import { type Family, gaugeFamily } from '../lib/measure.ts'
import type { OutgoingTarget } from '../lib/outgoing-call.ts'
import { pause } from '../lib/pause.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { ReadRemote } from './remote-discovery.ts'

type Resources = DiscoveryGroup['versions'][number]['resources']

const REFRESH_MS = 30_000

export class RemoteGroups {
  readonly #services = new Map<string, RemoteService>()
  /** What those that can be reached hold, as far as it is known. */
  readonly #resources = new Map<string, Resources>()
  readonly #read: ReadRemote
  #merged: { readonly own: readonly DiscoveryGroup[]; readonly all: readonly DiscoveryGroup[] } | undefined

  readonly measures: readonly Family[] = [
    gaugeFamily({
      name: 'aggregator_unavailable_apiservice',
      help: 'Whether the server of a group cannot be reached.',
      labels: ['name'],
      refresh: (family) => {
        family.clear()
        for (const { name, isAvailable } of this.#services.values()) family.of(name).value = isAvailable ? 0 : 1
      },
    }),
  ]

  constructor(read: ReadRemote) {
    this.#read = read
  }

  get isEmpty(): boolean {
    return this.#services.size === 0
  }

  /** Undefined where the version of the group is served here, or nowhere. */
  find(group: string, version: string): RemoteService | undefined {
    return this.#services.get(`${version}.${group}`)
  }

  /** With the others among them; the same list as long as nothing changes. */
  among(own: readonly DiscoveryGroup[]): readonly DiscoveryGroup[] {
    if (this.#services.size === 0) return own
    if (this.#merged?.own !== own)
      this.#merged = { own, all: merge(own, [...this.#services.values()], this.#resources) }
    return this.#merged.all
  }

  /** Until the signal fires. */
  async follow(store: Store, resources: ResourceTable, signal: AbortSignal): Promise<void> {
    const found = resources.find({ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' })
    if (found === undefined) throw new InvariantError('apiservices are not served')
    const put = (name: string, service: RemoteService | undefined): void => {
      const isKnown = this.#services.has(name)
      if (service === undefined) this.#services.delete(name)
      else this.#services.set(name, service)
      if (service?.isAvailable !== true) this.#resources.delete(name)
      else if (!this.#resources.has(name)) void this.#load(service, signal)
      if (isKnown || service !== undefined) this.#merged = undefined
    }
    const followed = follow(
      store,
      found,
      {
        onPresent: (stored) => put(stored.name, readRemoteService(stored.object())),
        onGone: ({ name }) => put(name, undefined),
      },
      signal,
    )
    while (await pause(systemClock, REFRESH_MS, signal)) {
      const open = [...this.#services.values()].filter(({ isAvailable }) => isAvailable)
      await Promise.all(open.map((service) => this.#load(service, signal)))
    }
    await followed
  }

  /** Where it cannot be read now, what was read before still holds. */
  async #load(service: RemoteService, signal: AbortSignal): Promise<void> {
    try {
      const resources = await this.#read(service, signal)
      if (this.#services.get(service.name)?.isAvailable !== true) return
      this.#resources.set(service.name, resources)
      this.#merged = undefined
    } catch {
      // Whether it can be reached is found out, and told, by the controller.
    }
  }
}

function merge(
  own: readonly DiscoveryGroup[],
  services: readonly RemoteService[],
  resources: ReadonlyMap<string, Resources>,
): readonly DiscoveryGroup[] {
  const byGroup = Map.groupBy(services, ({ group }) => group)
  const versionsOf = (group: string): DiscoveryGroup['versions'] =>
    (byGroup.get(group) ?? [])
      .toSorted((a, b) => b.versionPriority - a.versionPriority || (a.version < b.version ? -1 : 1))
      .map(({ name, version, groupPriority, versionPriority }) => ({
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
    return more.length === 0 ? each : { ...each, versions: [...each.versions, ...more] }
  })
  const others = [...byGroup.keys()].filter((group) => !names.has(group))
  return [...joined, ...others.sort().map((group) => ({ group, versions: versionsOf(group) }))]
}

/** The other server, as it is called: through its service, with our certificate where we have one. */
export function remoteTarget(
  { service, tls }: RemoteService,
  locate: LocateService,
  certificate: { readonly certificate: string; readonly key: string } | undefined,
): OutgoingTarget {
  return {
    url: `https://${service.name}.${service.namespace}.svc:${service.port}/`,
    tls: { ...tls, ...certificate },
    locate: () => locate(service),
  }
}
