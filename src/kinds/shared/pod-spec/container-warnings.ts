// Warnings about the containers of a pod: amounts, environment, ports.
import { mapOrEmpty, mapsInPlace, textOrEmpty } from '../../../api/members.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'
import { fractionWarnings } from '../warnings.ts'

/** What there is only whole bytes of. */
export const WHOLE_BYTES = ['memory', 'ephemeral-storage'] as const

/** Every container of a pod with its path, in the order in which they are spoken of. */
export function containersIn(spec: ValueMap, at: string): readonly (readonly [ValueMap, string])[] {
  return CONTAINER_LISTS.flatMap((list) =>
    mapsInPlace(spec, list).map((container, i) => [container, `${at}.${list}[${i}]`] as const),
  )
}

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
  readonly path: string
  readonly name: string
  readonly containerPort: number
  readonly protocol: string
  readonly hostPort: number
  readonly hostIP: string
}

/** Ports of all containers of a pod are in one another's way. */
export function portWarnings(containers: readonly (readonly [ValueMap, string])[]): readonly string[] {
  const ports = containers.flatMap(([container, path]) =>
    mapsInPlace(container, 'ports').map((port, i) => portOf(port, `${path}.ports[${i}]`)),
  )
  return [...placeWarnings(ports), ...portNameWarnings(ports)]
}

function portOf(port: ValueMap, path: string): Port {
  const number = (name: string): number => Number(own(port, name) ?? 0)
  return {
    path,
    name: textOrEmpty(port, 'name'),
    containerPort: number('containerPort'),
    protocol: textOrEmpty(port, 'protocol'),
    hostPort: number('hostPort'),
    hostIP: textOrEmpty(port, 'hostIP'),
  }
}

/** More texts of this length than the warnings of an answer have room for. */
const MOST_CLASHES = 100

/** Each port with every earlier one that it is in the way of. */
function placeWarnings(ports: readonly Port[]): readonly string[] {
  const known = new Map<string, PortPeers>()
  const warnings: string[] = []
  let clashes = 0
  for (const [index, port] of ports.entries()) {
    if (clashes > MOST_CLASHES) break
    if (port.hostIP !== '' && port.hostPort === 0) {
      warnings.push(`${port.path}: hostIP set without hostPort: ${shown(port)}`)
      clashes++
    }
    const key = `${port.containerPort}/${port.protocol}`
    let peers = known.get(key)
    if (peers === undefined) known.set(key, (peers = new PortPeers()))
    for (const other of peers.inTheWayOf(port)) {
      warnings.push(`${port.path}: ${clashOf(port, other)} port definition with ${other.path}`)
      if (++clashes > MOST_CLASHES) break
    }
    peers.add(port, index)
  }
  return warnings
}

interface PlacedPort extends Port {
  readonly index: number
}

/** The ports of one number and protocol, found by what makes them clash: most that have a host's port do not. */
class PortPeers {
  readonly #all: PlacedPort[] = []
  readonly #byHostPort = new Map<number, PlacedPort[]>()
  readonly #byHost = new Map<string, PlacedPort[]>()

  add(port: Port, index: number): void {
    const placed = { ...port, index }
    this.#all.push(placed)
    entryOf(this.#byHostPort, port.hostPort).push(placed)
    entryOf(this.#byHost, `${port.hostPort} ${port.hostIP}`).push(placed)
  }

  /** In the order in which they came. */
  inTheWayOf({ hostPort, hostIP }: Port): readonly PlacedPort[] {
    if (hostPort === 0) return this.#all
    const anywhere = this.#byHostPort.get(0) ?? []
    if (hostIP === '') return inOrder(anywhere, this.#byHostPort.get(hostPort) ?? [])
    const [same, open] = [this.#byHost.get(`${hostPort} ${hostIP}`), this.#byHost.get(`${hostPort} `)]
    return inOrder(anywhere, inOrder(same ?? [], open ?? []))
  }
}

function entryOf<K>(map: Map<K, PlacedPort[]>, key: K): PlacedPort[] {
  let entry = map.get(key)
  if (entry === undefined) map.set(key, (entry = []))
  return entry
}

function inOrder(some: readonly PlacedPort[], others: readonly PlacedPort[]): readonly PlacedPort[] {
  if (some.length === 0 || others.length === 0) return some.length === 0 ? others : some
  return [...some, ...others].sort((a, b) => a.index - b.index)
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
