// The groups that other servers serve: which they are, in step with the APIServices that are stored, and how they stand among
// our own in discovery (P-388, P-389).
import { readRemoteService, type RemoteService } from '../api/remote-service.ts'
import type { LocateService } from '../api/webhook-client.ts'
import { follow } from '../controllers/controllers.ts'
import type { ProbeRemote } from '../controllers/remote-availability.ts'
import { InvariantError } from '../lib/errors.ts'
import type { OutgoingCaller, OutgoingTarget } from '../lib/outgoing-call.ts'
import { OutgoingCallError } from '../lib/outgoing-failure.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'

export class RemoteGroups {
  readonly #services = new Map<string, RemoteService>()
  #merged: { readonly own: readonly DiscoveryGroup[]; readonly all: readonly DiscoveryGroup[] } | undefined

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
    if (this.#merged?.own !== own) this.#merged = { own, all: merge(own, [...this.#services.values()]) }
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
      if (isKnown || service !== undefined) this.#merged = undefined
    }
    await follow(
      store,
      found,
      {
        onPresent: (stored) => put(stored.name, readRemoteService(stored.object())),
        onGone: ({ name }) => put(name, undefined),
      },
      signal,
    )
  }
}

function merge(own: readonly DiscoveryGroup[], services: readonly RemoteService[]): readonly DiscoveryGroup[] {
  const byGroup = Map.groupBy(services, ({ group }) => group)
  const versionsOf = (group: string): DiscoveryGroup['versions'] =>
    (byGroup.get(group) ?? [])
      .toSorted((a, b) => b.versionPriority - a.versionPriority || (a.version < b.version ? -1 : 1))
      .map(({ version, groupPriority, versionPriority }) => ({
        version,
        priority: { group: groupPriority, version: versionPriority },
        resources: [],
        custom: true,
        stale: true,
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

const PROBE_MS = 5_000
const PROBE_BYTES = 16 * 1024 * 1024

/** Asks for what a version of a group holds, as the server itself. Throws with words for people. */
export function probeBy(caller: OutgoingCaller, targetOf: (service: RemoteService) => OutgoingTarget): ProbeRemote {
  return async (service, signal) => {
    const target = targetOf(service)
    const url = `${target.url}apis/${service.group}/${service.version}`
    const headers = { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' }
    const call = { userAgent: 'kube-apiserver', timeoutMs: PROBE_MS, tellTimeout: false, maxAnswerBytes: PROBE_BYTES }
    let status: number
    try {
      status = (await caller.call({ ...target, url, headers }, call, signal)).status
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      throw new Error(`failing or missing response from ${url}: ${error.message}`, { cause: error })
    }
    if (status < 200 || status > 299)
      throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`)
  }
}
