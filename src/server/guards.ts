// The authorization of requests, and the connections to other servers.
import { gatesOn } from '../config/feature-gates.ts'
import { PeerFiles } from '../config/peer-files.ts'
import type { NodeConnections } from '../handlers/node-connections.ts'
import { logOf } from '../lib/log.ts'
import { OutgoingCaller } from '../outgoing/call.ts'
import { egressPolicy } from '../outgoing/egress-policy.ts'
import { type Authorization, openAuthorization } from './authorization.ts'
import type { Foundation } from './foundation.ts'

/** The authorization of requests, and the calls to other servers. */
export interface Guards {
  readonly authorization: Authorization
  /** Calls the webhooks. */
  readonly caller: OutgoingCaller
  /** Calls the servers of the operator's flags, which may run on this machine. */
  readonly operatorsCaller: OutgoingCaller
  /** The certificates by which nodes and other servers know this server. */
  readonly peerFiles: PeerFiles
  /** Reaches pods and kubelets. */
  readonly nodes: NodeConnections
}

export function openGuards(base: Foundation, opened: AsyncDisposableStack): Guards {
  const { config, log, measures, reloads, tracing } = base
  const { authorization: settings, egress, level } = config
  const peerFiles = new PeerFiles({ config, reloads, log: logOf(log, 'certificates') })
  const { auth, outgoing } = measures
  const toOperators = egressPolicy({ ...egress, loopback: true })
  return {
    authorization: openAuthorization({
      settings,
      level,
      gates: gatesOn(config.featureGates),
      egress,
      measures: auth,
      outgoing,
      tracing,
      log: logOf(log, 'authorization'),
      reloads,
    }),
    caller: opened.use(new OutgoingCaller({ egress: egressPolicy(egress), measures: outgoing, tracing })),
    operatorsCaller: opened.use(new OutgoingCaller({ egress: toOperators, measures: outgoing, tracing })),
    peerFiles,
    nodes: openNodeConnections(base, peerFiles, opened),
  }
}

/** Nodes may run on this machine too, so the addresses of its interfaces are open. The rules for loopback addresses still apply. */
const NO_OWN = (): readonly string[] => []

function openNodeConnections(
  { config: { egress, cluster }, tracing }: Foundation,
  peerFiles: PeerFiles,
  opened: AsyncDisposableStack,
): NodeConnections {
  const { addressTypes, port } = cluster.kubelets
  const { deny = [] } = egress
  return {
    kubelets: opened.use(new OutgoingCaller({ egress: egressPolicy(egress, NO_OWN), tracing })),
    proxied: opened.use(new OutgoingCaller({ egress: egressPolicy({ loopback: false, deny }, NO_OWN), tracing })),
    addressTypes,
    port,
    files: () => peerFiles.kubelets,
  }
}
