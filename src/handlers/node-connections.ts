// The connections to kubelets and pods, for the handlers of logs, streams and the proxy.
import type { Node, Pod } from '../api/gen/kinds.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'

/** Connections of the server to kubelets, and through them to pods and services. */
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
  /** Connections within this process; absent: no simulated nodes. */
  readonly simulated?: SimulatedConnections
}

type Connect = OutgoingTarget['connect']

/** Undefined: the node is a real one. */
export interface SimulatedConnections {
  kubelet(node: Node): Promise<Connect>
  port(node: Node, pod: Pod, port: number): Promise<Connect>
}

export interface KubeletFiles {
  /** The client certificate; undefined: none is shown. */
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined
  /** The authority of kubelets; undefined: the authorities that the machine trusts. */
  readonly authority: string | undefined
}
