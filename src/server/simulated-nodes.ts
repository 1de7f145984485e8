// Connections to simulated nodes. The code that serves them is loaded for the first connection.
import type { SimulatedConnections, SimulatedContainers } from '../controllers/cluster/cluster.ts'
import type { ControllerParts } from '../controllers/controllers.ts'
import type { NodeConnections } from '../handlers/node-connections.ts'

interface Simulation {
  readonly cluster: { readonly nodes: number }
  /** The logs, commands and ports of containers, from a program. */
  readonly containers: SimulatedContainers | undefined
  readonly nodes: NodeConnections | undefined
}

/** The connections to nodes, and with `--nodes` the connections to simulated ones. */
export function withSimulatedNodes(
  { cluster, containers = {}, nodes }: Simulation,
  parts: Pick<ControllerParts, 'registry' | 'resources' | 'clock'>,
): NodeConnections | undefined {
  if (cluster.nodes === 0 || nodes === undefined) return nodes
  let opened: Promise<SimulatedConnections> | undefined
  const open = (): Promise<SimulatedConnections> =>
    (opened ??= import('../controllers/cluster/cluster.ts').then(({ simulatedConnections }) =>
      simulatedConnections(parts, containers),
    ))
  return {
    ...nodes,
    simulated: {
      kubelet: async (node) => (await open()).kubelet(node),
      port: async (...asked) => (await open()).port(...asked),
    },
  }
}
