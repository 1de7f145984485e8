// The answers of a program for containers on simulated nodes: their logs, the commands in them, and their ports.
import type { Duplex } from 'node:stream'

export interface ContainerName {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

export interface LogCall extends ContainerName {
  /** Whether the client requests the log of the run before the current one. */
  readonly previous: boolean
  /** Whether the client waits for further lines. */
  readonly follow: boolean
  readonly signal: AbortSignal
}

export interface ExecCall extends ContainerName {
  readonly command: readonly string[]
  readonly tty: boolean
  /** Empty if the client sends nothing. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Resolves when there is room for more. */
  readonly stdout: (output: string | Uint8Array) => Promise<void>
  readonly stderr: (output: string | Uint8Array) => Promise<void>
  /** Fires when the client is gone. */
  readonly signal: AbortSignal
}

export interface PortCall {
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

export interface SimulatedContainers {
  /** The log as a text, or line by line. Undefined: the text of the pod's annotation, or nothing. */
  readonly logs?: (call: LogCall) => string | Iterable<string> | AsyncIterable<string> | undefined
  /** Runs a command. The result is its exit code. No result counts as 0. */
  readonly exec?: (call: ExecCall) => number | void | Promise<number | void>
  /** The local port, or the connection, that a port of a pod leads to. Undefined: nothing listens there. */
  readonly port?: (call: PortCall) => number | Duplex | undefined | Promise<number | Duplex | undefined>
}
