// The usage of an object, by the resource names of quotas.
import type { PersistentVolumeClaim, Pod, ResourceClaim, Service } from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import { type ApiObject, formatGroupResource, type GroupResource } from '../../api/object.ts'
import { compareQuantities, type Quantity, quantityOf } from '../../lib/quantity.ts'
import { type Amounts, amountsOf } from '../../api/amounts.ts'
import { classOf, storageOf } from '../persistent-volume-claim-resize.ts'
import { podAmounts, withOverhead } from '../../api/pod-resources.ts'
import type { MaybeNew } from './scopes.ts'

const ONE = count(1)
const STORAGE_CLASS = '.storageclass.storage.k8s.io/'
const CLAIM_NAMES: readonly string[] = ['persistentvolumeclaims', 'requests.storage']
const DEVICES = '.deviceclass.resource.k8s.io/devices'
/** The largest number of devices that a request with `allocationMode: All` can get. */
const MOST_DEVICES = 32

/** Types that are also counted without the `count/` prefix. */
const BARE_NAMES: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'])

const COMPUTE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']
const POD_NAMES: ReadonlySet<string> = new Set([
  'pods',
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
])
const SERVICE_NAMES: ReadonlySet<string> = new Set(['services', 'services.nodeports', 'services.loadbalancers'])

function count(amount: number): Quantity {
  return quantityOf(amount, 'decimalSI')
}

/** The type that a resource name counts. Undefined: the name counts no type. */
export function countedType(name: string): GroupResource | undefined {
  if (name.startsWith('count/')) return typeOf(name.slice('count/'.length))
  if (BARE_NAMES.has(name)) return { group: '', resource: name }
  if (SERVICE_NAMES.has(name)) return { group: '', resource: 'services' }
  if (CLAIM_NAMES.some((known) => name === known || name.endsWith(STORAGE_CLASS + known))) {
    return { group: '', resource: 'persistentvolumeclaims' }
  }
  if (name.endsWith(DEVICES)) return { group: 'resource.k8s.io', resource: 'resourceclaims' }
  return isOfPods(name) ? { group: '', resource: 'pods' } : undefined
}

/** Reads `jobs.batch`. Events are not counted. */
function typeOf(text: string): GroupResource | undefined {
  const dot = text.indexOf('.')
  const type = dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
  return type.group === '' && type.resource === 'events' ? undefined : type
}

function isOfPods(name: string): boolean {
  if (POD_NAMES.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')) return true
  return name.startsWith('requests.') && isExtended(name.slice('requests.'.length))
}

/** Whether the name is an extended resource: `example.com/gpu`. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/')
}

/**
 * The usage of an object, by all resource names. A pod that has ended, or whose grace period is over at `nowMs`, counts only as an object
 * (`count/pods`).
 */
export function usageOf(type: GroupResource, object: ApiObject, nowMs: number): Amounts {
  const name = formatGroupResource(type)
  const usage = new Map<string, Quantity>([[`count/${name}`, ONE]])
  if (BARE_NAMES.has(name)) usage.set(name, ONE)
  if (isKind(object, 'core_v1.Service')) addService(usage, object)
  if (isKind(object, 'core_v1.PersistentVolumeClaim')) addClaim(usage, object)
  if (isKind(object, 'resource.k8s.io_v1.ResourceClaim')) addDevices(usage, object)
  if (isKind(object, 'core_v1.Pod') && isAlive(object, nowMs)) addPod(usage, object)
  return usage
}

/** Whether a pod still uses resources: it has not ended, and its grace period is not over. */
function isAlive({ metadata, status }: MaybeNew<Pod>, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false
  const { deletionGracePeriodSeconds: grace, deletionTimestamp: deletion } = metadata
  return deletion === undefined || grace === undefined || Date.parse(deletion) + Number(grace) * 1000 >= nowMs
}

function addPod(usage: Map<string, Quantity>, { spec, status }: Pod): void {
  usage.set('pods', ONE)
  const requests = withOverhead(podAmounts(spec, 'requests', status), spec, 'requests')
  const limits = withOverhead(podAmounts(spec, 'limits', status), spec, 'limits')
  for (const [name, quantity] of computeUsage(requests, limits)) usage.set(name, quantity)
}

/** The compute resources, by the resource names of quotas. */
export function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>()
  for (const [name, quantity] of requests) {
    const isCompute = COMPUTE.includes(name) || name.startsWith('hugepages-')
    if (isCompute) usage.set(name, quantity)
    if (isCompute || isExtended(name)) usage.set(`requests.${name}`, quantity)
  }
  for (const [name, quantity] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, quantity)
  return usage
}

function addService(usage: Map<string, Quantity>, { spec }: Service): void {
  const { type, ports = [] } = spec
  const isBalanced = type === 'LoadBalancer'
  const withoutOwn = isBalanced && spec.allocateLoadBalancerNodePorts === false
  const chosen = ports.filter(({ nodePort = 0 }) => nodePort !== 0)
  const nodePorts = withoutOwn ? chosen.length : type === 'NodePort' || isBalanced ? ports.length : 0
  usage.set('services', ONE)
  usage.set('services.loadbalancers', count(isBalanced ? 1 : 0))
  usage.set('services.nodeports', count(nodePorts))
}

function addClaim(usage: Map<string, Quantity>, claim: PersistentVolumeClaim): void {
  const { status }: MaybeNew<PersistentVolumeClaim> = claim
  const storageClass = classOf(claim)
  const add = (name: string, quantity: Quantity): void => {
    usage.set(name, quantity)
    if (storageClass !== '') usage.set(storageClass + STORAGE_CLASS + name, quantity)
  }
  add('persistentvolumeclaims', ONE)
  const wanted = storageOf(claim)
  if (wanted === undefined) return
  // A claim that was shrunk during an expansion still uses its allocated size.
  const given = amountsOf(status?.allocatedResources).get('storage')
  add('requests.storage', given !== undefined && compareQuantities(given, wanted) > 0 ? given : wanted)
}

function addDevices(usage: Map<string, Quantity>, { spec }: ResourceClaim): void {
  const devices = new Map<string, number>()
  for (const { exactly } of spec.devices.requests ?? []) {
    const { deviceClassName: deviceClass = '', allocationMode, count: wished = 1 } = exactly ?? {}
    if (deviceClass === '') continue
    const wanted = allocationMode === 'All' ? MOST_DEVICES : Number(wished)
    devices.set(deviceClass, (devices.get(deviceClass) ?? 0) + wanted)
  }
  for (const [deviceClass, wanted] of devices) usage.set(deviceClass + DEVICES, count(wanted))
}
