// The front door: a cluster in this process (`--nodes`), made of simulated nodes, a scheduler and the controllers of workloads. They run on
// the leader. They use shared informers, and the clock and the random numbers of the server. The server loads this folder only with
// `--nodes`.
import type { Duplex } from 'node:stream'
import type { Node, Pod } from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import { together } from '../../lib/together.ts'
import { servedResource } from '../../registry/served-resource.ts'
import type { ControllerParts } from '../controllers.ts'
import { type ClusterOptions, Cluster } from './cluster-state.ts'
import { cronJobs } from './cron-jobs.ts'
import { daemonSets } from './daemon-sets.ts'
import { deployments } from './deployments.ts'
import { disruptionBudgets } from './disruption-budgets.ts'
import { endpointSlices, endpointsObjects } from './endpoint-slices.ts'
import { finishedJobs } from './finished-jobs.ts'
import { SimulatedKubelet } from './kubelet/kubelet.ts'
import { untilPodChanged } from './kubelet/pod-changes.ts'
import type { SimulatedContainers } from './kubelet/containers.ts'
import { jobs } from './jobs.ts'
import { podGarbage } from './pod-garbage.ts'
import { replicaSets, replicationControllers } from './replica-sets.ts'
import { scheduler } from './scheduler.ts'
import { isSimulated, simulatedNodes } from './simulated-nodes.ts'
import { simulatedPods } from './simulated-pods.ts'
import { statefulSets } from './stateful-sets.ts'
import { volumeClaims } from './volume-claims.ts'

/** Each controller names the objects that it follows, and the loops that run when these objects are known. */
const CONTROLLERS: Readonly<Record<string, readonly ((cluster: Cluster) => void)[]>> = {
  'simulated-nodes': [simulatedNodes, simulatedPods],
  scheduler: [scheduler],
  replicaset: [replicaSets],
  replicationcontroller: [replicationControllers],
  deployment: [deployments],
  statefulset: [statefulSets],
  daemonset: [daemonSets],
  job: [jobs],
  cronjob: [cronJobs],
  endpointslice: [endpointSlices],
  endpoints: [endpointsObjects],
  disruption: [disruptionBudgets],
  'persistentvolume-binder': [volumeClaims],
  'pod-garbage-collector': [podGarbage],
  'ttl-after-finished': [finishedJobs],
}

export type { SimulatedContainers }

/** Connections to the containers of simulated nodes. Undefined: the node is a real one. */
export interface SimulatedConnections {
  kubelet(node: Node): Promise<Connect | undefined>
  port(node: Node, pod: Pod, port: number): Promise<Connect | undefined>
}

type Connect = () => Promise<Duplex>

export function simulatedConnections(
  { registry: { store }, resources, clock }: Pick<ControllerParts, 'registry' | 'resources' | 'clock'>,
  containers: SimulatedContainers,
): SimulatedConnections {
  const { stored } = servedResource(resources(), 'pods')
  const kubelet = new SimulatedKubelet({
    containers,
    nowMs: () => clock.timeOfDay(),
    async findPod(namespace, name, signal) {
      const { item } = await store.get({ resource: stored, namespace, name }, { kind: 'latest' }, signal)
      const pod = item?.kind === 'object' ? item.object() : undefined
      return isKind(pod, 'core_v1.Pod') ? pod : undefined
    },
    untilChanged: (pod, isSame, signal) => untilPodChanged({ store, stored }, pod, { isSame, signal }),
  })
  return {
    kubelet: async (node) => (isSimulated(node) ? async () => kubelet.connect() : undefined),
    port: async (node, { metadata: { namespace = '', name = '' } }, port) =>
      isSimulated(node) ? () => kubelet.connectTo(namespace, name, port) : undefined,
  }
}

/** Runs until the signal fires. No controller acts before all informers have synced. */
export async function runCluster(parts: ControllerParts, options: ClusterOptions, signal: AbortSignal): Promise<void> {
  await together(signal, (until) => {
    const cluster = new Cluster(parts, options, until)
    for (const [name, controllers] of Object.entries(CONTROLLERS)) {
      if (options.isOn(name)) for (const controller of controllers) controller(cluster)
    }
    return cluster.run()
  })
}
