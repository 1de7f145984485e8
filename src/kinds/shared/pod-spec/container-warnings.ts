// Warnings about the containers of a pod: resources, environment variables, ports.
import type { Container, EnvVar } from '../../../api/gen/kinds.ts'
import { addToList } from '../../../lib/map-entries.ts'
import { fractionWarnings } from '../warnings.ts'
import type { PlacedContainer } from './container-scope.ts'

/** Resources that are counted in whole bytes. */
export const WHOLE_BYTES = ['memory', 'ephemeral-storage'] as const

export function containerWarnings(container: Container, path: string): readonly string[] {
  const warnings: string[] = []
  for (const name of WHOLE_BYTES) {
    for (const kind of ['limits', 'requests'] as const) {
      const amounts = container.resources[kind] ?? {}
      if (Object.hasOwn(amounts, name)) warnings.push(...fractionWarnings(`${path}.resources.${kind}`, amounts, name))
    }
  }
  const seen = new Set<string>()
  for (const [i, variable] of (container.env ?? []).entries()) {
    const { name } = variable
    if (seen.has(name) && !refersTo(name, variable)) {
      warnings.push(
        `${path}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      )
    }
    seen.add(name)
  }
  return warnings
}

/** A variable may be redefined by a value that refers to the old value. */
function refersTo(name: string, { value = '', valueFrom }: EnvVar): boolean {
  const reference = `$(${name})`
  return valueFrom === undefined && value !== reference && value.includes(reference)
}

interface Port {
  /** The position of the port among all ports of the pod. */
  readonly index: number
  readonly path: string
  readonly name: string
  readonly containerPort: number
  readonly protocol: string
  readonly hostPort: number
  readonly hostIP: string
}

/** Warnings about conflicting ports, across all containers of a pod. */
export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const all = containers.flatMap(([container]) => container.ports ?? [])
  // A single port conflicts with no other port.
  if (all.length < 2 && all.every(({ hostIP = '' }) => hostIP === '')) return []
  const placed = containers.flatMap(([container, at]) =>
    (container.ports ?? []).map((port, i) => ({ port, path: at.child('ports').index(i).toString() })),
  )
  const ports = placed.map(({ port, path }, index) => ({
    index,
    path,
    name: '',
    protocol: '',
    hostPort: 0,
    hostIP: '',
    ...port,
  }))
  return [...conflictWarnings(ports), ...portNameWarnings(ports)]
}

/** The largest number of warnings: more than fit into one response. */
const MAX_WARNINGS = 100

/** Warnings about each port and every earlier port that it conflicts with. */
function conflictWarnings(ports: readonly Port[]): readonly string[] {
  const earlier = new EarlierPorts()
  const warnings: string[] = []
  for (const port of ports) {
    if (warnings.length > MAX_WARNINGS) break
    if (port.hostIP !== '' && port.hostPort === 0) {
      warnings.push(`${port.path}: hostIP set without hostPort: ${shown(port)}`)
    }
    for (const other of earlier.conflictsOf(port)) {
      warnings.push(`${port.path}: ${conflictKind(port, other)} port definition with ${other.path}`)
      if (warnings.length > MAX_WARNINGS) break
    }
    earlier.add(port)
  }
  return warnings
}

/** The earlier ports, indexed by the properties that make ports conflict, so that the time is not quadratic. */
class EarlierPorts {
  readonly #ports = new Map<string, Port[]>()

  add(port: Port): void {
    const { containerPort, protocol, hostPort, hostIP } = port
    const number = `${containerPort}/${protocol}`
    for (const key of [number, `${number} ${hostPort}`, `${number} ${hostPort} ${hostIP}`]) {
      addToList(this.#ports, key, port)
    }
  }

  /** The earlier ports that conflict with the port, in their order. */
  conflictsOf({ containerPort, protocol, hostPort, hostIP }: Port): readonly Port[] {
    const number = `${containerPort}/${protocol}`
    const host = `${number} ${hostPort}`
    if (hostPort === 0) return this.#ports.get(number) ?? []
    const keys = hostIP === '' ? [`${number} 0`, host] : [`${number} 0`, `${host} ${hostIP}`, `${host} `]
    return keys.flatMap((key) => this.#ports.get(key) ?? []).sort((a, b) => a.index - b.index)
  }
}

/** The port as the reference prints it. */
function shown({ name, hostPort, containerPort, protocol, hostIP }: Port): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
}

function portNameWarnings(ports: readonly Port[]): readonly string[] {
  const first = new Map<string, string>()
  return ports.flatMap(({ name, path }) => {
    const other = first.get(name)
    if (name !== '' && other === undefined) first.set(name, path)
    if (other === undefined) return []
    const means = `services and probes that select ports by name will use ${other}`
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${means}`]
  })
}

function conflictKind(a: Port, b: Port): string {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  return a.hostPort === 0 || b.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous'
}
