// Fields of a service that depend on each other. An update keeps fields that it leaves out, and drops fields that the new type does not
// need, unless the client changed them (W-552, W-553).
import type { Service, ServicePort, ServiceSpec } from '../../../api/gen/kinds.ts'
import { membersOf, withMembers } from '../../../api/object-members.ts'
import { equalValues } from '../../../api/value.ts'

export const NO_ADDRESS = 'None'

export function typeOf(spec: ServiceSpec): string {
  return spec.type ?? ''
}

export function portsIn({ ports = [] }: ServiceSpec): readonly ServicePort[] {
  return ports
}

export function isExternalName(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'ExternalName'
}

export function needsNodePorts(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer'
}

export function needsHealthCheckPort(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'LoadBalancer' && (spec.externalTrafficPolicy ?? '') === 'Local'
}

/** Whether clients outside of the cluster can reach the service. */
export function isExternal(spec: ServiceSpec): boolean {
  return needsNodePorts(spec) || (typeOf(spec) === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)
}

/** Fills in `clusterIPs`: older clients set `clusterIP` alone. */
export function preparedForCreate(service: Service): Service {
  const spec = service.spec
  const address = spec.clusterIP ?? ''
  if (address === '' || (spec.clusterIPs ?? []).length > 0) return service
  return { ...service, spec: { ...spec, clusterIPs: [address] } }
}

export function preparedForUpdate(service: Service, stored: Service): Service {
  const old = stored.spec
  const kept = withKeptPorts(withKeptAddresses(service.spec, old), old)
  const spec = withoutUnneeded(withMatchingAddresses(kept, old), old)
  const status = typeOf(spec) === 'LoadBalancer' ? service.status : { ...service.status, loadBalancer: {} }
  return { ...service, spec, status }
}

function withKeptAddresses(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  if (isExternalName(spec) || isExternalName(old)) return spec
  const clusterIP = (spec.clusterIP ?? '') || (old.clusterIP ?? '')
  const isSame = clusterIP === (old.clusterIP ?? '')
  const isLeftOut = (spec.clusterIPs ?? []).length === 0 && isSame
  return withMembers(spec, {
    clusterIP: clusterIP === '' ? undefined : clusterIP,
    ...membersOf(isLeftOut ? old : spec, 'clusterIPs'),
  })
}

/** `clusterIPs` follows `clusterIP` if only `clusterIP` was changed. */
function withMatchingAddresses(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const [now, before] = [spec.clusterIP ?? '', old.clusterIP ?? '']
  if (now === before) {
    const isCleared = (old.clusterIPs ?? []).length > 0 && (spec.clusterIPs ?? []).length === 0
    return isCleared ? withMembers(spec, membersOf(old, 'clusterIPs')) : spec
  }
  if (!equalValues(spec.clusterIPs ?? [], old.clusterIPs ?? [])) return spec
  return withMembers(spec, { clusterIPs: now === '' ? undefined : [now] })
}

function allocatesNodePorts(spec: ServiceSpec): boolean {
  return needsNodePorts(spec) && !(isBalanced(spec) && spec.allocateLoadBalancerNodePorts === false)
}

/** A port keeps the node port of the stored port with its name, unless another port requests that node port. */
function withKeptPorts(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let next = spec
  if (allocatesNodePorts(spec) && allocatesNodePorts(old)) {
    const asked = new Set(portsIn(spec).map((port) => port.nodePort ?? 0))
    const byName = new Map(portsIn(old).map((port) => [port.name ?? '', port.nodePort ?? 0]))
    const ports = portsIn(spec).map((port) => {
      const before = (port.nodePort ?? 0) === 0 ? (byName.get(port.name ?? '') ?? 0) : 0
      return before === 0 || asked.has(before) ? port : { ...port, nodePort: before }
    })
    next = ports.length === 0 ? next : { ...next, ports }
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && (spec.healthCheckNodePort ?? 0) === 0) {
    next = withMembers(next, membersOf(old, 'healthCheckNodePort'))
  }
  return next
}

const hasAddress = (spec: ServiceSpec): boolean => !isExternalName(spec)
const isBalanced = (spec: ServiceSpec): boolean => typeOf(spec) === 'LoadBalancer'

/** Fields that only some types need. */
const DEPENDENT: readonly (readonly [
  isNeeded: (spec: ServiceSpec) => boolean,
  ...fields: readonly (keyof ServiceSpec)[],
])[] = [
  [hasAddress, 'clusterIP', 'clusterIPs'],
  [hasAddress, 'ipFamilies'],
  [hasAddress, 'ipFamilyPolicy'],
  [hasAddress, 'internalTrafficPolicy'],
  [needsHealthCheckPort, 'healthCheckNodePort'],
  [isBalanced, 'allocateLoadBalancerNodePorts'],
  [isBalanced, 'loadBalancerClass'],
  [isExternal, 'externalTrafficPolicy'],
]

function withoutUnneeded(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let next = spec
  for (const [isNeeded, ...fields] of DEPENDENT) {
    if (!isNeeded(old) || isNeeded(spec) || !fields.every((name) => equalValues(spec[name], old[name]))) continue
    next = withMembers(next, Object.fromEntries(fields.map((name) => [name, undefined])))
  }
  if (!needsNodePorts(old) || needsNodePorts(spec) || !haveSameNodePorts(spec, old)) return next
  return withMembers(next, { ports: portsIn(next).map((port) => withMembers(port, { nodePort: undefined })) })
}

function haveSameNodePorts(spec: ServiceSpec, old: ServiceSpec): boolean {
  const numbers = (ports: readonly ServicePort[]): ReadonlySet<number> =>
    new Set(ports.map((port) => port.nodePort ?? 0).filter((number) => number !== 0))
  return numbers(portsIn(spec)).symmetricDifference(numbers(portsIn(old))).size === 0
}
