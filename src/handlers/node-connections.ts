// The connections to kubelets and pods, for the handlers of logs, streams and the proxy.
import type { Node, Pod } from '../api/gen/kinds.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'

/** The server's connections to kubelets and pods. */
export interface NodeConnections {
  /** Calls kubelets for logs and streams. */
  readonly kubelets: OutgoingCaller
  /** Calls pods and nodes for the proxy. It reaches no loopback address (P-427). */
  readonly proxied: OutgoingCaller
  /** The types of node addresses, the preferred one first. */
  readonly addressTypes: readonly string[]
  /** The port of kubelets that do not report theirs. */
  readonly port: number
  /** The current certificates. */
  readonly files: () => KubeletFiles
  /** Connections to simulated nodes, within this process. Absent: there are no simulated nodes. */
  readonly simulated?: SimulatedConnections
}

type Connect = OutgoingTarget['connect']

/** Connects to simulated nodes. The methods return undefined for a real node. */
export interface SimulatedConnections {
  kubelet(node: Node): Promise<Connect>
  port(node: Node, pod: Pod, port: number): Promise<Connect>
}

export interface KubeletFiles {
  /** The client certificate. Undefined: the server shows none. */
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined
  /** The authority of kubelets; undefined: the authorities that the machine trusts. */
  readonly authority: string | undefined
}
