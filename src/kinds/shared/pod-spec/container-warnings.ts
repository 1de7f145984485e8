// Warnings about the containers of a pod: amounts, environment, ports.
import { mapOrEmpty, mapsInPlace, numberOrZero, textOrEmpty } from '../../../api/members.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'
import { fractionWarnings } from '../warnings.ts'
import type { PlacedContainer } from './container-scope.ts'

/** What there is only whole bytes of. */
export const WHOLE_BYTES = ['memory', 'ephemeral-storage'] as const

export function containerWarnings(container: ValueMap, path: string): readonly string[] {
  const resources = mapOrEmpty(container, 'resources')
  const warnings: string[] = []
  for (const name of WHOLE_BYTES) {
    for (const kind of ['limits', 'requests']) {
      const amounts = mapOrEmpty(resources, kind)
      if (Object.hasOwn(amounts, name)) warnings.push(...fractionWarnings(`${path}.resources.${kind}`, amounts, name))
    }
  }
  const seen = new Set<string>()
  mapsInPlace(container, 'env').forEach((variable, i) => {
    const name = textOrEmpty(variable, 'name')
    if (seen.has(name) && !buildsOn(name, variable)) {
      warnings.push(
        `${path}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      )
    }
    seen.add(name)
  })
  return warnings
}

/** A variable may be said again where its new value builds on the old one. */
function buildsOn(name: string, variable: ValueMap): boolean {
  const [value, reference] = [textOrEmpty(variable, 'value'), `$(${name})`]
  return !isMap(own(variable, 'valueFrom')) && value !== reference && value.includes(reference)
}

interface Port {
  /** Its position among all ports of the pod. */
  readonly index: number
  readonly path: string
  readonly name: string
  readonly containerPort: number
  readonly protocol: string
  readonly hostPort: number
  readonly hostIP: string
}

/** Of ports of all containers of a pod that are in one another's way. */
export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const placed = containers.flatMap(([container, at]) =>
    mapsInPlace(container, 'ports').map((port, i) => ({ port, path: at.child('ports').index(i).toString() })),
  )
  const ports = placed.map(({ port, path }, index) => ({
    index,
    path,
    name: textOrEmpty(port, 'name'),
    containerPort: numberOrZero(port, 'containerPort'),
    protocol: textOrEmpty(port, 'protocol'),
    hostPort: numberOrZero(port, 'hostPort'),
    hostIP: textOrEmpty(port, 'hostIP'),
  }))
  return [...clashWarnings(ports), ...portNameWarnings(ports)]
}

/** More texts of this length than the warnings of an answer have room for. */
const MOST_CLASHES = 100

/** Each port with every earlier one that it is in the way of. */
function clashWarnings(ports: readonly Port[]): readonly string[] {
  const earlier = new EarlierPorts()
  const warnings: string[] = []
  for (const port of ports) {
    if (warnings.length > MOST_CLASHES) break
    if (port.hostIP !== '' && port.hostPort === 0) {
      warnings.push(`${port.path}: hostIP set without hostPort: ${shown(port)}`)
    }
    for (const other of earlier.inTheWayOf(port)) {
      warnings.push(`${port.path}: ${clashOf(port, other)} port definition with ${other.path}`)
      if (warnings.length > MOST_CLASHES) break
    }
    earlier.add(port)
  }
  return warnings
}

/** Found by what makes ports clash: most that have a host port do not. */
class EarlierPorts {
  readonly #ports = new Map<string, Port[]>()

  add(port: Port): void {
    const { containerPort, protocol, hostPort, hostIP } = port
    const number = `${containerPort}/${protocol}`
    for (const key of [number, `${number} ${hostPort}`, `${number} ${hostPort} ${hostIP}`]) {
      const found = this.#ports.get(key)
      if (found === undefined) this.#ports.set(key, [port])
      else found.push(port)
    }
  }

  /** In the order in which they came. */
  inTheWayOf({ containerPort, protocol, hostPort, hostIP }: Port): readonly Port[] {
    const number = `${containerPort}/${protocol}`
    const host = `${number} ${hostPort}`
    if (hostPort === 0) return this.#ports.get(number) ?? []
    const keys = hostIP === '' ? [`${number} 0`, host] : [`${number} 0`, `${host} ${hostIP}`, `${host} `]
    return keys.flatMap((key) => this.#ports.get(key) ?? []).sort((a, b) => a.index - b.index)
  }
}

/** As the reference prints one. */
function shown({ name, hostPort, containerPort, protocol, hostIP }: Port): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
}

/** Services and probes find a port by its name; the first that bears it is meant. */
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

/** Of two that are in each other's way. */
function clashOf(a: Port, b: Port): string {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  return a.hostPort === 0 || b.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous'
}
