// Fields of a service that depend on each other: what an update leaves out is kept, and what the new type does not need is dropped
// unless the client changed it (W-552, W-553).
import { mapsInPlace, numberOrZero, textOrEmpty, textsOnly } from '../../../api/members.ts'
import { membersOf, specOf, statusOf, withMembers } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { equalValues, own, type ValueMap } from '../../../api/value.ts'

export const NO_ADDRESS = 'None'

export function typeOf(spec: ValueMap): string {
  return textOrEmpty(spec, 'type')
}

export function portsIn(spec: ValueMap): readonly ValueMap[] {
  return mapsInPlace(spec, 'ports')
}

export function isExternalName(spec: ValueMap): boolean {
  return typeOf(spec) === 'ExternalName'
}

export function needsNodePorts(spec: ValueMap): boolean {
  return typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer'
}

export function needsHealthCheckPort(spec: ValueMap): boolean {
  return typeOf(spec) === 'LoadBalancer' && textOrEmpty(spec, 'externalTrafficPolicy') === 'Local'
}

/** It can be reached from outside of the cluster. */
export function isExternal(spec: ValueMap): boolean {
  return needsNodePorts(spec) || (typeOf(spec) === 'ClusterIP' && textsOnly(spec, 'externalIPs').length > 0)
}

/** Older clients set `clusterIP` alone. */
export function preparedForCreate(service: ApiObject): ApiObject {
  const spec = specOf(service)
  const address = textOrEmpty(spec, 'clusterIP')
  if (address === '' || textsOnly(spec, 'clusterIPs').length > 0) return service
  return { ...service, spec: { ...spec, clusterIPs: [address] } }
}

export function preparedForUpdate(service: ApiObject, stored: ApiObject): ApiObject {
  const old = specOf(stored)
  const kept = withKeptPorts(withKeptAddresses(specOf(service), old), old)
  const spec = withoutUnneeded(withMatchingAddresses(kept, old), old)
  const status = typeOf(spec) === 'LoadBalancer' ? statusOf(service) : { ...statusOf(service), loadBalancer: {} }
  return { ...service, spec, status }
}

function withKeptAddresses(spec: ValueMap, old: ValueMap): ValueMap {
  if (isExternalName(spec) || isExternalName(old)) return spec
  const clusterIP = textOrEmpty(spec, 'clusterIP') || textOrEmpty(old, 'clusterIP')
  const isSame = clusterIP === textOrEmpty(old, 'clusterIP')
  const isLeftOut = textsOnly(spec, 'clusterIPs').length === 0 && isSame
  return withMembers(spec, {
    clusterIP: clusterIP === '' ? undefined : clusterIP,
    ...membersOf(isLeftOut ? old : spec, 'clusterIPs'),
  })
}

/** `clusterIPs` follows `clusterIP` where only that was changed. */
function withMatchingAddresses(spec: ValueMap, old: ValueMap): ValueMap {
  const [now, before] = [textOrEmpty(spec, 'clusterIP'), textOrEmpty(old, 'clusterIP')]
  if (now === before) {
    const isCleared = textsOnly(old, 'clusterIPs').length > 0 && textsOnly(spec, 'clusterIPs').length === 0
    return isCleared ? withMembers(spec, membersOf(old, 'clusterIPs')) : spec
  }
  if (!equalValues(textsOnly(spec, 'clusterIPs'), textsOnly(old, 'clusterIPs'))) return spec
  return withMembers(spec, { clusterIPs: now === '' ? undefined : [now] })
}

function allocatesNodePorts(spec: ValueMap): boolean {
  return needsNodePorts(spec) && !(isBalanced(spec) && own(spec, 'allocateLoadBalancerNodePorts') === false)
}

/** Ports keep their node port by name, unless another port asks for it. */
function withKeptPorts(spec: ValueMap, old: ValueMap): ValueMap {
  let next = spec
  if (allocatesNodePorts(spec) && allocatesNodePorts(old)) {
    const asked = new Set(portsIn(spec).map((port) => numberOrZero(port, 'nodePort')))
    const byName = new Map(portsIn(old).map((port) => [textOrEmpty(port, 'name'), numberOrZero(port, 'nodePort')]))
    const ports = portsIn(spec).map((port) => {
      const before = numberOrZero(port, 'nodePort') === 0 ? (byName.get(textOrEmpty(port, 'name')) ?? 0) : 0
      return before === 0 || asked.has(before) ? port : { ...port, nodePort: before }
    })
    next = ports.length === 0 ? next : { ...next, ports }
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && numberOrZero(spec, 'healthCheckNodePort') === 0) {
    next = withMembers(next, membersOf(old, 'healthCheckNodePort'))
  }
  return next
}

const hasAddress = (spec: ValueMap): boolean => !isExternalName(spec)
const isBalanced = (spec: ValueMap): boolean => typeOf(spec) === 'LoadBalancer'

/** Fields that only some types need. */
const DEPENDENT: readonly (readonly [isNeeded: (spec: ValueMap) => boolean, ...fields: readonly string[]])[] = [
  [hasAddress, 'clusterIP', 'clusterIPs'],
  [hasAddress, 'ipFamilies'],
  [hasAddress, 'ipFamilyPolicy'],
  [hasAddress, 'internalTrafficPolicy'],
  [needsHealthCheckPort, 'healthCheckNodePort'],
  [isBalanced, 'allocateLoadBalancerNodePorts'],
  [isBalanced, 'loadBalancerClass'],
  [isExternal, 'externalTrafficPolicy'],
]

function withoutUnneeded(spec: ValueMap, old: ValueMap): ValueMap {
  let next = spec
  for (const [isNeeded, ...fields] of DEPENDENT) {
    if (!isNeeded(old) || isNeeded(spec) || !fields.every((name) => equalValues(own(spec, name), own(old, name))))
      continue
    next = withMembers(next, Object.fromEntries(fields.map((name) => [name, undefined])))
  }
  if (!needsNodePorts(old) || needsNodePorts(spec) || !haveSameNodePorts(spec, old)) return next
  return withMembers(next, { ports: portsIn(next).map((port) => withMembers(port, { nodePort: undefined })) })
}

function haveSameNodePorts(spec: ValueMap, old: ValueMap): boolean {
  const numbers = (ports: readonly ValueMap[]): ReadonlySet<number> =>
    new Set(ports.map((port) => numberOrZero(port, 'nodePort')).filter((number) => number !== 0))
  return numbers(portsIn(spec)).symmetricDifference(numbers(portsIn(old))).size === 0
}
