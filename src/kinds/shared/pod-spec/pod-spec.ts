// Checks the spec of pods and pod templates. The checks have the order of the reference.
import type { FieldPath } from '../../../api/field-path.ts'
import type { Container, ObjectMeta, PodSpec, ResourceRequirements, Volume } from '../../../api/gen/kinds.ts'
import { amountsOfContainers } from '../../../api/pod-resources.ts'
import { entriesOf, type MapOf, own } from '../../../api/value.ts'
import { compareQuantities, formatQuantity } from '../../../lib/quantity.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { dns1123Label, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkLabels } from '../../../schema/validation/labels.ts'
import { NOWHERE } from '../../../schema/validation/object-meta.ts'
import { formOf, shownAs } from '../internal-form.ts'
import { checkIp } from '../ip-address.ts'
import {
  amountOf,
  amountText,
  checkContainerResourceName,
  checkPodResourceName,
  isHugePages,
} from '../resource-names.ts'
import { checkAffinity, checkTopologySpread } from './affinity.ts'
import { type ContainerScope, containersOf, type PlacedContainer } from './container-scope.ts'
import { checkContainers, checkEphemeralContainers, checkInitContainers } from './container.ts'
import { checkGroupAndResponders } from './eviction-responders.ts'
import { isMirror } from './pod-annotations.ts'
import { checkDnsConfig } from './pod-dns.ts'
import { checkHostProcesses, checkOs } from './pod-os.ts'
import { checkRequirements } from './resource-requirements.ts'
import { checkPodSecurity, checkSharing } from './security-context.ts'
import { checkTolerations } from './tolerations.ts'
import { checkVolumes } from './volume.ts'

interface PodSpecScope {
  readonly check: Check
  /** The metadata of the pod. Undefined: the spec belongs to a template. */
  readonly pod: ObjectMeta | undefined
}

const TYPE = 'core_v1.PodSpec'

export function checkPodSpec(spec: PodSpec, at: FieldPath<PodSpec>, { check, pod }: PodSpecScope): void {
  check.fields(spec, at, TYPE, 'terminationGracePeriodSeconds')
  const { name: podName = '' } = pod ?? {}
  const volumes = checkVolumes(spec, at.child('volumes'), { check, podName, isPod: pod !== undefined })
  checkResourceClaims(spec, at, { check, pod })
  const scope: ContainerScope = {
    check,
    volumes,
    claims: new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== '')),
    gracePeriod: spec.terminationGracePeriodSeconds,
    restartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers !== false,
    os: spec.os?.name,
  }
  checkContainers(spec, at.child('containers'), scope)
  checkInitContainers(spec, at.child('initContainers'), scope)
  checkEphemeralContainers(spec, at.child('ephemeralContainers'), scope)
  if (check.gate('PodLevelResources')) checkPodResources(spec, at, scope)
  checkHostNetworkPorts(spec, at.child('containers'), { check, pod })
  check.fields(spec, at, TYPE, 'restartPolicy', 'dnsPolicy')
  checkLabels(spec.nodeSelector, at.child('nodeSelector'), check)
  checkPodSecurity(spec, at.child('securityContext'), check)
  if (check.form.placesSharing) checkSharing(spec, at, check)
  check.part(spec, 'affinity', at, checkAffinity)
  checkDnsConfig(spec, at.child('dnsConfig'), check)
  checkGates(spec, at, check)
  checkTopologySpread(spec.topologySpreadConstraints ?? [], at.child('topologySpreadConstraints'), check)
  const containers = containersOf(spec, at)
  checkHostProcesses(spec, containers, at, check)
  checkHostUsers(spec, containers, at, check)
  checkHostnameOverride(spec, at, check)
  check.fields(spec, at, TYPE, 'serviceAccountName', 'nodeName', 'activeDeadlineSeconds', 'hostname', 'subdomain')
  checkPlacement(spec, at, check)
  checkOs(spec, containers, at, check)
  checkGroupAndResponders(spec, at, check)
  checkFileVolumes(spec, containers, check)
}

const CLAIM_NAMES = ['resourceClaimName', 'resourceClaimTemplateName'] as const

function checkResourceClaims(spec: PodSpec, at: FieldPath<PodSpec>, { check, pod }: PodSpecScope): void {
  const names = new Set<string>()
  check.each(spec, 'resourceClaims', at, (claim, place) => {
    if (pod !== undefined && isMirror(pod)) {
      check.forbidden(NOWHERE, 'static pods do not support resource claims')
      return
    }
    const { name } = claim
    if (name === '') check.required(place.child('name'))
    else if (names.has(name)) check.duplicate(place.child('name'), name)
    else check.format(place.child('name'), name, dns1123Label(name))
    names.add(name)
    const given = CLAIM_NAMES.filter((field) => claim[field] !== undefined)
    if (given.length !== 1) {
      const detail =
        given.length === 0
          ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
          : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      check.invalid(place, shownAs(claim, formOf('core_v1.PodResourceClaim')), detail)
    }
    check.fields(claim, place, 'core_v1.PodResourceClaim')
  })
}

function checkPodResources(spec: PodSpec, at: FieldPath<PodSpec>, { check, claims, os }: ContainerScope): void {
  const { resources } = spec
  if (resources === undefined) return
  const place = at.child('resources')
  if (os === 'windows') {
    check.forbidden(place, 'may not be set for a windows pod')
    return
  }
  if (resources.claims !== undefined)
    check.forbidden(place.child('claims'), 'claims may not be set for Resources at pod-level')
  checkRequirements(resources, place, { check, name: checkPodResourceName, claims })
  checkAgainstContainers(spec, resources, place, check)
}

/** The requests of all containers must fit into the requests of the pod. No limit of a container may exceed the limit of the pod. */
function checkAgainstContainers(
  spec: PodSpec,
  resources: ResourceRequirements,
  at: FieldPath<ResourceRequirements>,
  check: Check,
): void {
  for (const [kind, relevant] of [
    ['requests', () => true],
    ['limits', isHugePages],
  ] as const) {
    const given = resources[kind] ?? {}
    for (const [name, needed] of amountsOfContainers(spec, kind)) {
      const amount = relevant(name) ? amountOf(own(given, name)) : undefined
      if (amount === undefined || compareQuantities(needed, amount) <= 0) continue
      const detail = `must be greater than or equal to aggregate container ${kind} of ${formatQuantity(needed)}`
      check.invalid(at.child(kind).key(name), own(given, name), detail)
    }
  }
  const { limits = {} } = resources
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, value] of entriesOf(container.resources.limits ?? {})) {
      const most = amountOf(own(limits, name))
      const amount = amountOf(value)
      if (most === undefined || amount === undefined || compareQuantities(amount, most) <= 0) continue
      const place = at.place('containers').index(i).key(name).child('limits')
      check.invalid(place, value, `must be less than or equal to pod limits of ${amountText(own(limits, name))}`)
    }
  }
}

/** On the host network, host port and container port must be the same. Templates may leave out the host port. */
function checkHostNetworkPorts(
  spec: PodSpec,
  list: FieldPath<readonly Container[]>,
  { check, pod }: PodSpecScope,
): void {
  if (spec.hostNetwork !== true) return
  for (const [c, container] of (spec.containers ?? []).entries()) {
    for (const [p, { hostPort = 0, containerPort }] of (container.ports ?? []).entries()) {
      const open = pod === undefined && hostPort === 0
      if (open || hostPort === containerPort) continue
      const at = list.index(c).child('ports').index(p).child('hostPort')
      check.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')
    }
  }
}

function checkGates(spec: PodSpec, at: FieldPath<PodSpec>, check: Check): void {
  check.each(spec, 'readinessGates', at, (gate, place) => check.fields(gate, place, 'core_v1.PodReadinessGate'))
  const seen = new Set<string>()
  check.each(spec, 'schedulingGates', at, ({ name }, place) => {
    check.format(place, name, qualifiedName(name))
    check.unique(seen, name, place)
  })
}

const NOT_HOST_USERS = 'when `hostUsers` is false'

function checkHostUsers(
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  at: FieldPath<PodSpec>,
  check: Check,
): void {
  if (spec.hostUsers !== false) return
  if (spec.hostNetwork === true && !check.gate('UserNamespacesHostNetworkSupport')) {
    check.forbidden(at.child('hostNetwork'), NOT_HOST_USERS)
  }
  if (spec.hostPID === true) check.forbidden(at.place('HostPID'), NOT_HOST_USERS)
  if (spec.hostIPC === true) check.forbidden(at.place('HostIPC'), NOT_HOST_USERS)
  for (const [container, place] of containers) {
    if ((container.volumeDevices ?? []).length > 0) check.forbidden(place.child('volumeDevices'), NOT_HOST_USERS)
  }
}

function checkHostnameOverride(spec: PodSpec, at: FieldPath<PodSpec>, check: Check): void {
  if (spec.hostnameOverride === undefined) return
  const place = at.child('hostnameOverride')
  if (spec.setHostnameAsFQDN === true) check.forbidden(place, 'may not be specified when setHostnameAsFQDN is true')
  if (spec.hostNetwork === true) check.forbidden(place, 'may not be specified when hostNetwork is true')
  check.fields(spec, at, TYPE, 'hostnameOverride')
}

function checkPlacement(spec: PodSpec, at: FieldPath<PodSpec>, check: Check): void {
  checkTolerations(spec.tolerations ?? [], at.child('tolerations'), check)
  check.each(spec, 'hostAliases', at, (alias, place) => {
    checkIp(alias.ip, place.child('ip'), check)
    check.fields(alias, place, 'core_v1.HostAlias')
  })
  check.fields(spec, at, TYPE, 'priorityClassName', 'runtimeClassName')
  const { preemptionPolicy: preemption } = spec
  if (preemption === '') check.required(at.child('preemptionPolicy'))
  else if (preemption !== undefined) {
    check.oneOf(at.child('preemptionPolicy'), preemption, ['PreemptLowerPriority', 'Never'])
  }
  checkOverhead(spec.overhead, at.child('overhead'), check)
}

export function checkOverhead(overhead: MapOf<string> | undefined, at: FieldPath<MapOf<string>>, check: Check): void {
  if (overhead === undefined) return
  checkRequirements({ limits: overhead }, at, {
    check,
    name: checkContainerResourceName,
    claims: new Set(),
  })
}

/** Files that environment variables come from must be in `emptyDir` volumes. */
function checkFileVolumes(spec: PodSpec, containers: readonly PlacedContainer[], check: Check): void {
  let volumes: ReadonlyMap<string, Volume> | undefined
  for (const [container, place] of containers) {
    check.each(container, 'env', place, (variable, at) => {
      const ref = variable.valueFrom?.fileKeyRef
      if (ref === undefined) return
      volumes ??= new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]))
      const { volumeName: name } = ref
      const where = at.child('valueFrom').child('fileKeyRef').child('volumeName')
      const volume = volumes.get(name)
      if (volume === undefined) check.notFound(where, name)
      else if (volume.emptyDir === undefined) check.invalid(where, name, 'referenced volume must be of type emptyDir')
    })
  }
}
