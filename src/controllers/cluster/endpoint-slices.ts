// EndpointSlices and Endpoints: the addresses of the pods that a service selects.
import type { Endpoint, Endpoints, EndpointSlice, EndpointSubset, Node, Pod, Service } from '../../api/gen/kinds.ts'
import { annotationsOf, labelsOf, withMeta } from '../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../api/value.ts'
import { getOrInsert } from '../../lib/map-entries.ts'
import { isReason } from '../writes.ts'
import type { Cluster, SyncQueue } from './cluster-state.ts'
import { controllerOf, keyOf } from './followed.ts'
import { hasEnded, isReady, ownerReference } from './ownership.ts'
import { TriggerTimes, withTriggerTime } from './trigger-times.ts'

const SERVICE_NAME = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const MANAGER = 'endpointslice-controller.k8s.io'
const HEADLESS = 'service.kubernetes.io/headless'
const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
const MOST_IN_SLICE = 100
const MOST_IN_ENDPOINTS = 1000
/** Changes of many pods within this time lead to one write. */
const GATHER_MS = 50
const ZONE = 'topology.kubernetes.io/zone'

interface Port {
  readonly name: string
  readonly protocol: string
  readonly port: number
  readonly appProtocol?: string
}

/** Pods with the same numbers for the ports of the service. */
interface PortGroup {
  readonly ports: readonly Port[]
  readonly pods: Pod[]
}

/**
 * Calls `sync` for a service with a selector when the service or one of its pods has changed. A change of a pod concerns the services that
 * select its old or its new labels.
 */
function watchedServices(
  cluster: Cluster,
  name: string,
  sync: (service: Service, groups: readonly PortGroup[], triggerTime: string | undefined) => Promise<void>,
): SyncQueue<Service> {
  const services = cluster.follow('core_v1.Service')
  const pods = cluster.follow('core_v1.Pod')
  const times = new TriggerTimes()
  const queue = cluster.queue(name, services, async (service) => {
    if (!selects(service)) return
    const all = [...pods.in(service.metadata.namespace ?? '')].filter((pod) => isSelected(service, pod))
    const selected = all.filter(({ status }) => status.podIP !== undefined && !hasEnded(status))
    await sync(
      service,
      byPorts(
        service,
        selected.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
      ),
      times.next(service, all),
    )
  })
  services.listen({ changed: () => {}, gone: (service) => times.forget(service) })
  const tell = (pod: Pod): void => {
    for (const service of services.in(pod.metadata.namespace ?? '')) {
      if (selects(service) && isSelected(service, pod)) queue.addAfter(service, GATHER_MS)
    }
  }
  pods.listen({
    changed: (pod, before) => {
      if (before !== undefined && shown(before) === shown(pod)) return
      tell(pod)
      if (before !== undefined && before.metadata.labels !== pod.metadata.labels) tell(before)
    },
    gone: tell,
  })
  return queue
}

/** The parts of a pod that its endpoint depends on. */
function shown({ metadata, spec, status }: Pod): string {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status ?? ''
  return JSON.stringify([
    metadata.labels ?? {},
    metadata.deletionTimestamp ?? '',
    spec.nodeName ?? '',
    status.podIP ?? '',
    status.phase ?? '',
    ready,
  ])
}

function selects({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && entriesOf(spec.selector ?? {}).length > 0
}

function isSelected({ spec }: Service, pod: Pod): boolean {
  const labels = labelsOf(pod)
  return entriesOf(spec.selector ?? {}).every(([key, value]) => own(labels, key) === value)
}

/** Groups pods by the numbers of their ports: a named port can differ between pods. A port that a pod does not have is left out. */
function byPorts({ spec }: Service, pods: readonly Pod[]): readonly PortGroup[] {
  const groups = new Map<string, PortGroup>()
  for (const pod of pods) {
    const ports = (spec.ports ?? []).flatMap(
      ({ name = '', protocol = 'TCP', targetPort, appProtocol }): readonly Port[] => {
        const found = typeof targetPort === 'number' ? targetPort : namedPort(pod, targetPort, protocol)
        if (found === undefined) return []
        return [{ name, protocol, port: found, ...(appProtocol === undefined ? {} : { appProtocol }) }]
      },
    )
    const key = JSON.stringify(ports)
    getOrInsert(groups, key, () => ({ ports, pods: [] })).pods.push(pod)
  }
  return [...groups.values()]
}

function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort
}

const targetOf = ({ metadata }: Pod) => {
  const { namespace = '', name = '', uid = '' } = metadata
  return { kind: 'Pod', namespace, name, uid }
}

/** The host name of a pod, if the pod has a DNS name below the name of its service. */
function hostnameOf({ metadata, spec }: Service, pod: Pod): { readonly hostname?: string } {
  const { hostname, subdomain } = pod.spec
  return hostname !== undefined && subdomain === metadata.name && spec.clusterIP === 'None' ? { hostname } : {}
}

function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === 'None'
}

export function endpointSlices(cluster: Cluster): void {
  const slices = cluster.follow('discovery.k8s.io_v1.EndpointSlice')
  const nodes = cluster.follow('core_v1.Node')
  const services = cluster.follow('core_v1.Service')
  const queue = watchedServices(cluster, 'endpointslice', async (service, groups, triggerTime) => {
    const kept = [...slices.ownedBy(service.metadata.uid ?? '')].filter(
      (slice) => own(labelsOf(slice), MANAGED_BY) === MANAGER,
    )
    const labels: Record<string, string> = {
      ...labelsOf(service),
      [SERVICE_NAME]: service.metadata.name ?? '',
      [MANAGED_BY]: MANAGER,
    }
    if (isHeadless(service)) labels[HEADLESS] = ''
    const wanted = groups.flatMap(({ ports, pods }) =>
      Array.from({ length: Math.ceil(pods.length / MOST_IN_SLICE) }, (_, i) => ({
        ports,
        endpoints: pods
          .slice(i * MOST_IN_SLICE, (i + 1) * MOST_IN_SLICE)
          .map((pod) => endpointOf(service, pod, nodes.get('', pod.spec.nodeName ?? ''))),
      })),
    )
    // A service without pods has a slice without endpoints.
    for (const { ports, endpoints } of wanted.length === 0 ? [{ ports: [], endpoints: [] }] : wanted) {
      const at = kept.findIndex((slice) => equalValues(slice.ports ?? [], ports as never) || kept.length === 1)
      const [slice] = at === -1 ? [] : kept.splice(at, 1)
      const made = { addressType: 'IPv4', endpoints, ports }
      if (slice === undefined) {
        const { name = '', namespace = '' } = service.metadata
        const own = { generateName: `${name}-`, labels, ownerReferences: [ownerReference(service)] }
        const annotations = withTriggerTime({}, triggerTime)
        const meta = { namespace, ...own, ...(annotations === undefined ? {} : { annotations }) }
        await cluster.create(slices, meta, made)
      } else await replace(slice, { ...made, metadata: { ...slice.metadata, labels } }, triggerTime)
    }
    for (const slice of kept) await cluster.remove(slices, slice)
  })
  // Others may change and delete slices, which are then as before.
  const tellOwner = (slice: EndpointSlice): void => {
    const owner = controllerOf(slice)
    const service = services.get(slice.metadata.namespace ?? '', owner?.name ?? '')
    if (service !== undefined && service.metadata.uid === owner?.uid) queue.addAfter(service, GATHER_MS)
  }
  slices.listen({
    changed: (slice, before) => {
      tellOwner(slice)
      if (before !== undefined) tellOwner(before)
    },
    gone: tellOwner,
  })

  async function replace(
    slice: EndpointSlice,
    made: Omit<EndpointSlice, 'kind' | 'apiVersion'>,
    triggerTime: string | undefined,
  ): Promise<void> {
    const wanted = slices.resource.toCanonical({ ...slice, ...made })
    if (equalValues(wanted, slice)) return
    await cluster.update(slices, slice, (live) =>
      withMeta(
        { ...live, ...made, metadata: live.metadata },
        { labels: made.metadata.labels, annotations: withTriggerTime(annotationsOf(live), triggerTime) },
      ),
    )
  }
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined): Endpoint {
  const isServing = isReady(pod)
  const isTerminating = pod.metadata.deletionTimestamp !== undefined
  const zone = node === undefined ? undefined : own(labelsOf(node), ZONE)
  const { nodeName } = pod.spec
  return {
    addresses: [pod.status.podIP ?? ''],
    conditions: {
      ready: service.spec.publishNotReadyAddresses === true || (isServing && !isTerminating),
      serving: isServing,
      terminating: isTerminating,
    },
    ...hostnameOf(service, pod),
    targetRef: targetOf(pod),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
  }
}

export function endpointsObjects(cluster: Cluster): void {
  const followed = cluster.follow('core_v1.Endpoints')
  const services = cluster.follow('core_v1.Service')
  const queue = watchedServices(cluster, 'endpoints', async (service, groups, triggerTime) => {
    const { name = '', namespace = '' } = service.metadata
    const labels: Record<string, string> = { ...labelsOf(service), [ENDPOINTS_MANAGED_BY]: 'endpoint-controller' }
    if (isHeadless(service)) labels[HEADLESS] = ''
    const subsets = groups.flatMap((group) => subsetOf(service, group))
    const known = followed.get(namespace, name)
    if (known === undefined) {
      try {
        const annotations = withTriggerTime({}, triggerTime)
        const meta = { namespace, name, labels, ...(annotations === undefined ? {} : { annotations }) }
        await cluster.create(followed, meta, { subsets })
      } catch (error) {
        if (!isReason(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error
      }
      return
    }
    const change = (live: Endpoints): Endpoints => ({ ...live, subsets, metadata: { ...live.metadata, labels } })
    if (equalValues(followed.resource.toCanonical(change(known)), known)) return
    await cluster.update(followed, known, (live) =>
      withMeta(change(live), { annotations: withTriggerTime(annotationsOf(live), triggerTime) }),
    )
  })
  followed.listen({
    changed: () => {},
    gone: ({ metadata: { namespace = '', name = '' } }) => {
      const service = services.get(namespace, name)
      if (service !== undefined) queue.addAfter(service, GATHER_MS)
    },
  })
  // Endpoints are left behind by services that are gone, even while no controller was running.
  const leftBehind = cluster.queue('endpoints-left-behind', followed, async (endpoints) => {
    const { name = '', namespace = '' } = endpoints.metadata
    if (services.get(namespace, name) !== undefined) return
    if (own(labelsOf(endpoints), ENDPOINTS_MANAGED_BY) !== undefined) await cluster.remove(followed, endpoints)
  })
  services.listen({
    changed: () => {},
    gone: ({ metadata: { name = '', namespace = '' } }) => {
      const left = followed.get(namespace, name)
      if (left !== undefined) leftBehind.add(left)
    },
  })
}

function subsetOf(service: Service, { ports, pods }: PortGroup): readonly EndpointSubset[] {
  const addressOf = (pod: Pod) => {
    const { nodeName } = pod.spec
    return {
      ip: pod.status.podIP ?? '',
      ...hostnameOf(service, pod),
      ...(nodeName === undefined ? {} : { nodeName }),
      targetRef: targetOf(pod),
    }
  }
  const isPublished = (pod: Pod): boolean =>
    service.spec.publishNotReadyAddresses === true || (isReady(pod) && pod.metadata.deletionTimestamp === undefined)
  const living = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined || service.spec.publishNotReadyAddresses === true,
  )
  const [ready, unready] = [living.filter(isPublished), living.filter((pod) => !isPublished(pod))]
  if (ready.length + unready.length === 0) return []
  return [
    {
      ...(ready.length === 0 ? {} : { addresses: ready.slice(0, MOST_IN_ENDPOINTS).map(addressOf) }),
      ...(unready.length === 0
        ? {}
        : { notReadyAddresses: unready.slice(0, MOST_IN_ENDPOINTS - ready.length).map(addressOf) }),
      ...(ports.length === 0
        ? {}
        : { ports: ports.map(({ name, ...port }) => (name === '' ? port : { name, ...port })) }),
    },
  ]
}
