// The validation of services: ports, addresses and traffic policies, all depending on the type.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Service, ServiceSpec } from '../../../api/gen/kinds.ts'
import { annotationsOf } from '../../../api/object-members.ts'
import { own } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { asName, dns1035Label, dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkLabels } from '../../../schema/validation/labels.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  labelName,
  METADATA,
} from '../../../schema/validation/object-meta.ts'
import type { KindRules } from '../../../schema/validation/rules.ts'
import { checkCidr, checkEndpointIp, checkIp, storedTexts } from '../../shared/ip-address.ts'
import { checkLoadBalancer } from '../../shared/load-balancer.ts'
import { checkPort } from '../../shared/pod-spec/probes.ts'
import { checkAddressChange, checkAddresses, isHeadless } from './addresses.ts'
import { isExternal, isExternalName, needsHealthCheckPort, portsIn, typeOf } from './fields.ts'

const SPEC = FieldPath.root<ServiceSpec>('spec')
const ANNOTATIONS = METADATA.child('annotations')
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
const TYPE = 'core_v1.ServiceSpec'
const TYPES: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'"
const MAX_AFFINITY_SECONDS = 86400
const strictName = asName(dns1035Label)

export const VALIDATION: KindRules<Service> = {
  create: (object, check) => {
    checkBuiltInMeta(object, check.gate('RelaxedServiceNameValidation') ? labelName : strictName, check)
    checkService(object, undefined, check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const spec = object.spec
    const old = stored.spec
    checkAddressChange(spec, old, check)
    checkLoadBalancerClass(spec, old, check)
    if (needsHealthCheckPort(spec) && needsHealthCheckPort(old)) {
      const [now, before] = [spec.healthCheckNodePort ?? 0, old.healthCheckNodePort ?? 0]
      if (now !== before) check.forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable')
    }
    checkService(object, old, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const balancer = object.status.loadBalancer
      const old = stored.status.loadBalancer
      const at = FieldPath.root<Service['status']>('status').child('loadBalancer')
      if (typeOf(object.spec) !== 'LoadBalancer' && (balancer.ingress ?? []).length > 0) {
        check.forbidden(at.child('ingress'), "may only be used when `spec.type` is 'LoadBalancer'")
      } else checkLoadBalancer(balancer, old, { at, check, modes: true })
    },
  },
}

function checkService(object: Service, old: ServiceSpec | undefined, check: Check): void {
  const spec = object.spec
  const annotations = annotationsOf(object)
  const mode = own(annotations, TOPOLOGY_MODE)
  const hints = own(annotations, TOPOLOGY_HINTS)
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`
    check.invalid(ANNOTATIONS.key(TOPOLOGY_MODE), mode, detail)
  }
  const ports = portsIn(spec)
  if (ports.length === 0 && !isHeadless(spec) && !isExternalName(spec)) check.required(SPEC.child('ports'))
  checkType(spec, check)
  checkPorts(spec, ports.length > 1, check)
  checkLabels(spec.selector, SPEC.child('selector'), check)
  checkAffinity(spec, check)
  checkAddresses(spec, old, check)
  const stored = storedTexts(old?.externalIPs)
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const at = SPEC.child('externalIPs').index(i)
    const before = check.errors.length
    checkIp(ip, at, check, stored)
    if (check.errors.length === before) checkEndpointIp(ip, at, check)
  }
  check.fields(spec, SPEC, TYPE, 'type')
  checkNodePorts(spec, check)
  checkRepeatedPorts(spec, check)
  checkSourceRanges(object, old, check)
  checkBalancing(spec, check)
  checkLoadBalancerClass(spec, undefined, check)
  checkTraffic(spec, check)
}

function checkType(spec: ServiceSpec, check: Check): void {
  const type = typeOf(spec)
  if (type === 'ExternalName') checkExternalName(spec, check)
  else if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    check.invalid(SPEC.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`)
  }
}

function checkExternalName(spec: ServiceSpec, check: Check): void {
  for (const field of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    const isSet = field === 'ipFamilyPolicy' ? spec[field] !== undefined : (spec[field] ?? []).length > 0
    if (isSet) check.forbidden(SPEC.child(field), 'may not be set for ExternalName services')
  }
  const name = spec.externalName ?? ''
  const domain = name.endsWith('.') ? name.slice(0, -1) : name
  if (domain === '') check.required(SPEC.child('externalName'))
  else check.format(SPEC.child('externalName'), domain, dns1123Subdomain(domain))
}

function checkPorts(spec: ServiceSpec, needNames: boolean, check: Check): void {
  const names = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const name = port.name ?? ''
    check.fields(port, at, 'core_v1.ServicePort', 'name')
    if (name !== '') check.unique(names, name, at.child('name'))
    else if (needNames) check.required(at.child('name'))
    check.fields(port, at, 'core_v1.ServicePort', 'port', 'protocol')
    checkPort(port.targetPort, at.child('targetPort'), check)
    check.fields(port, at, 'core_v1.ServicePort', 'appProtocol')
  })
}

function checkAffinity(spec: ServiceSpec, check: Check): void {
  const affinity = spec.sessionAffinity ?? ''
  check.fields(spec, SPEC, TYPE, 'sessionAffinity')
  const config = spec.sessionAffinityConfig
  const at = SPEC.child('sessionAffinityConfig')
  if (affinity === 'None' && config !== undefined) {
    check.forbidden(at, 'must not be set when session affinity is None')
  }
  if (affinity !== 'ClientIP') return
  const needed = 'when session affinity type is ClientIP'
  const seconds = config?.clientIP?.timeoutSeconds
  const secondsAt = at.child('clientIP').child('timeoutSeconds')
  if (config === undefined) check.required(at, needed)
  else if (config.clientIP === undefined) check.required(at.child('clientIP'), needed)
  else if (seconds === undefined) check.required(secondsAt, needed)
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    check.invalid(secondsAt, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)
  }
}

function checkNodePorts(spec: ServiceSpec, check: Check): void {
  const isInner = typeOf(spec) === 'ClusterIP'
  check.each(spec, 'ports', SPEC, (port, at) => {
    if (isInner && (port.nodePort ?? 0) !== 0) {
      check.forbidden(at.child('nodePort'), "may not be used when `type` is 'ClusterIP'")
    }
  })
  const seen = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const number = port.nodePort ?? 0
    const key = `${port.protocol ?? ''}/${number}`
    if (number === 0) return
    if (seen.has(key)) check.duplicate(at.child('nodePort'), number)
    seen.add(key)
  })
}

function checkRepeatedPorts(spec: ServiceSpec, check: Check): void {
  const seen = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const protocol = port.protocol ?? ''
    const number = port.port
    const key = `${protocol}/${number}`
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }
    if (seen.has(key)) check.duplicate(at, shownJson(shown))
    seen.add(key)
  })
}

/** Source ranges are in a field, or in the annotation that the field replaced. */
function checkSourceRanges(object: Service, old: ServiceSpec | undefined, check: Check): void {
  const spec = object.spec
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  const ranges = spec.loadBalancerSourceRanges ?? []
  const annotation = own(annotationsOf(object), SOURCE_RANGES)
  if (ranges.length > 0) {
    const at = SPEC.place('LoadBalancerSourceRanges')
    if (!isBalanced) check.forbidden(at, ONLY_BALANCED)
    const stored = new Set((old?.loadBalancerSourceRanges ?? []).map((range) => range.trim()))
    for (const [i, range] of ranges.entries()) checkCidr(range.trim(), at.index(i), check, { stored })
  } else if (annotation !== undefined) {
    const at = ANNOTATIONS.key(SOURCE_RANGES)
    if (!isBalanced) check.forbidden(at, ONLY_BALANCED)
    if (annotation.trim() === '') return
    for (const range of annotation.split(',')) checkCidr(range.trim(), at, check)
  }
}

function checkBalancing(spec: ServiceSpec, check: Check): void {
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  const given = spec.allocateLoadBalancerNodePorts !== undefined
  if (given && !isBalanced) check.forbidden(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_BALANCED)
  if (!given && isBalanced) check.required(FieldPath.root('allocateLoadBalancerNodePorts'))
}

function checkLoadBalancerClass(spec: ServiceSpec, old: ServiceSpec | undefined, check: Check): void {
  const at = SPEC.child('loadBalancerClass')
  const name = spec.loadBalancerClass
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  if (old !== undefined && isBalanced && typeOf(old) === 'LoadBalancer') {
    if (name !== old.loadBalancerClass) check.invalid(at, name, 'may not change once set')
  }
  if (name === undefined) return
  if (isBalanced) check.format(at, name, qualifiedName(name))
  else check.forbidden(at, ONLY_BALANCED)
}

function checkTraffic(spec: ServiceSpec, check: Check): void {
  const external = spec.externalTrafficPolicy ?? ''
  const at = SPEC.child('externalTrafficPolicy')
  if (isExternal(spec)) {
    if (external === '') check.required(at)
    check.fields(spec, SPEC, TYPE, 'externalTrafficPolicy')
  } else if (external !== '') check.invalid(at, external, 'may only be set for externally-accessible services')
  checkHealthCheck(spec, check)
  const needsPolicy = !isExternalName(spec) && TYPES.includes(typeOf(spec))
  if (needsPolicy && spec.internalTrafficPolicy === undefined) check.required(SPEC.child('internalTrafficPolicy'))
  check.fields(spec, SPEC, TYPE, 'internalTrafficPolicy', 'trafficDistribution')
}

function checkHealthCheck(spec: ServiceSpec, check: Check): void {
  const port = spec.healthCheckNodePort ?? 0
  if (needsHealthCheckPort(spec)) check.fields(spec, SPEC, TYPE, 'healthCheckNodePort')
  else if (port !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    check.invalid(SPEC.child('healthCheckNodePort'), port, detail)
  }
}
