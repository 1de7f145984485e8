// Simulated nodes: Node objects with capacity and with the condition Ready, and Leases that are renewed. Every node with the annotation
// `quarterdeck.dev/node: simulated` is simulated; any client may have made it.
import type { Node } from '../../api/gen/kinds.ts'
import { annotationsOf, metaText } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { forEachAtOnce } from '../../lib/together.ts'
import { pause } from '../../lib/pause.ts'
import { isReason, succeeds } from '../writes.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'

const SIMULATED = 'quarterdeck.dev/node'
const LEASES = 'kube-node-lease'
const LEASE_SECONDS = 40
const HEARTBEAT_MS = 10_000
/** The number of nodes that report at the same time. */
const AT_ONCE = 8
const NOT_READY = 'node.kubernetes.io/not-ready'
const ZONES = ['a', 'b', 'c'] as const
const CAPACITY: Readonly<Record<string, string>> = {
  cpu: '32',
  memory: '256Gi',
  'ephemeral-storage': '1Ti',
  pods: '110',
}
const KUBELET = { manager: 'kubelet' } as const

const HEALTHY = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const

export function isSimulated(node: Node | undefined): boolean {
  return node !== undefined && own(annotationsOf(node), SIMULATED) === 'simulated'
}

export function simulatedNodes(cluster: Cluster): void {
  const nodes = cluster.follow('core_v1.Node')
  const leases = cluster.follow('coordination.k8s.io_v1.Lease')
  cluster.queue('simulated-nodes', nodes, async (node) => {
    if (isSimulated(node) && node.metadata.deletionTimestamp === undefined) await register(cluster, nodes, node)
  })
  cluster.onReady(async () => {
    const missing = new Set(Array.from({ length: cluster.options.nodes }, (_, i) => i))
    do {
      for (const i of missing)
        if (await cluster.attempt(`make node ${i}`, () => makeNode(cluster, nodes, i))) missing.delete(i)
      const simulated = [...nodes.all()].filter(isSimulated)
      await forEachAtOnce(simulated, { most: AT_ONCE, signal: cluster.signal }, (node) =>
        cluster.attempt(`renew the lease of ${metaText(node, 'name')}`, () => renew(node)),
      )
    } while (await pause(cluster.parts.clock, HEARTBEAT_MS, cluster.signal))
  })

  async function renew(node: Node): Promise<void> {
    const lease = leases.get(LEASES, metaText(node, 'name'))
    const renewTime = new Date(cluster.nowMs).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: metaText(node, 'name'), leaseDurationSeconds: LEASE_SECONDS, renewTime }
    if (lease !== undefined)
      await cluster.update(leases, lease, (live) => ({ ...live, spec: { ...live.spec, ...spec } }), KUBELET)
    else await makeLease(node, spec)
  }

  async function makeLease({ apiVersion, kind, metadata }: Node, spec: object): Promise<void> {
    const { name = '', uid = '' } = metadata
    const meta = { namespace: LEASES, name, ownerReferences: [{ apiVersion, kind, name, uid }] }
    await succeeds(cluster.create(leases, meta, { spec }, KUBELET), 'AlreadyExists', 'NotFound', 'Forbidden')
  }
}

/** Makes a new node ready, and removes the taint that admission gives to new nodes. */
async function register(cluster: Cluster, nodes: Followed<Node>, node: Node): Promise<void> {
  const { taints = [] } = node.spec
  const rest = taints.filter(({ key }) => key !== NOT_READY)
  if (rest.length < taints.length) {
    const { taints: _, ...spec } = node.spec
    await cluster.update(
      nodes,
      node,
      (live) => ({ ...live, spec: rest.length === 0 ? spec : { ...spec, taints: rest } }),
      KUBELET,
    )
    return
  }
  const { conditions = [] } = node.status
  if (conditions.some(({ type }) => type === 'Ready')) return
  await cluster.setStatus(nodes, node, statusOf(cluster, node), KUBELET)
}

function statusOf(cluster: Cluster, { metadata, status }: Node): Node['status'] {
  const { now } = cluster
  const conditions = HEALTHY.map(([type, healthy, reason, message]) => ({
    type,
    status: healthy,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  }))
  const name = metadata.name ?? ''
  const at = Number(/\d+$/.exec(name)?.[0] ?? 0) + 1
  const addresses = [
    { type: 'InternalIP', address: `172.30.${(at >> 8) & 255}.${at & 255}` },
    { type: 'Hostname', address: name },
  ]
  return {
    capacity: CAPACITY,
    allocatable: CAPACITY,
    ...status,
    addresses: status.addresses ?? addresses,
    conditions: [...(status.conditions ?? []), ...conditions],
    nodeInfo: {
      machineID: '',
      systemUUID: metadata.uid ?? '',
      bootID: '',
      kernelVersion: 'simulated',
      osImage: 'simulated',
      containerRuntimeVersion: 'simulated://1.0',
      kubeletVersion: cluster.options.version,
      kubeProxyVersion: cluster.options.version,
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  }
}

async function makeNode(cluster: Cluster, nodes: Followed<Node>, i: number): Promise<void> {
  const name = `node-${i}`
  if (nodes.get('', name) !== undefined) return
  const annotations: Record<string, string> = { [SIMULATED]: 'simulated' }
  const labels: Record<string, string> = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'topology.kubernetes.io/region': 'simulated',
    'topology.kubernetes.io/zone': `simulated-${ZONES[i % ZONES.length]}`,
  }
  const podCIDR = `10.${244 + (i >> 8)}.${i & 255}.0/24`
  const spec = { podCIDR, podCIDRs: [podCIDR], providerID: `simulated://${name}` }
  try {
    await cluster.create(nodes, { name, labels, annotations }, { spec }, KUBELET)
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error
  }
}
