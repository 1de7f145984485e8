// The front door: a cluster in this process (`--nodes`), made of simulated nodes, a scheduler and the controllers of workloads. They run
// on shared informers, on the leader, by the server's clock and randomness. No other part of the server loads this folder.
import { together } from '../../lib/together.ts'
import type { ControllerParts } from '../controllers.ts'
import { type ClusterOptions, Cluster } from './cluster-state.ts'
import { cronJobs } from './cron-jobs.ts'
import { daemonSets } from './daemon-sets.ts'
import { deployments } from './deployments.ts'
import { disruptionBudgets } from './disruption-budgets.ts'
import { endpointSlices, endpointsObjects } from './endpoint-slices.ts'
import { finishedJobs } from './finished-jobs.ts'
import { jobs } from './jobs.ts'
import { replicaSets } from './replica-sets.ts'
import { scheduler } from './scheduler.ts'
import { simulatedNodes } from './simulated-nodes.ts'
import { simulatedPods } from './simulated-pods.ts'
import { statefulSets } from './stateful-sets.ts'
import { volumeClaims } from './volume-claims.ts'

/** Each takes part in the cluster: it names the objects that it follows, and the loops that run when these are known. */
const CONTROLLERS: Readonly<Record<string, readonly ((cluster: Cluster) => void)[]>> = {
  'simulated-nodes': [simulatedNodes, simulatedPods],
  scheduler: [scheduler],
  replicaset: [replicaSets],
  deployment: [deployments],
  statefulset: [statefulSets],
  daemonset: [daemonSets],
  job: [jobs],
  cronjob: [cronJobs],
  endpointslice: [endpointSlices],
  endpoints: [endpointsObjects],
  disruption: [disruptionBudgets],
  'persistentvolume-binder': [volumeClaims],
  'ttl-after-finished': [finishedJobs],
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
