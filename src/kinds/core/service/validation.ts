// The validation of services: ports, addresses and traffic policies, all depending on the type.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  integerOrZero,
  isGiven,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  numberOrZero,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../../api/members.ts'
import { annotationsOf, specOf, statusOf } from '../../../api/object-members.ts'
import type { ValueMap } from '../../../api/value.ts'
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

const SPEC = FieldPath.root('spec')
const ANNOTATIONS = METADATA.child('annotations')
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
const TYPE = 'core_v1.ServiceSpec'
const TYPES: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'"
const MAX_AFFINITY_SECONDS = 86400
const strictName = asName(dns1035Label)

export const VALIDATION: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, check.gate('RelaxedServiceNameValidation') ? labelName : strictName, check)
    checkService(object, undefined, check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const spec = specOf(object)
    const old = specOf(stored)
    checkAddressChange(spec, old, check)
    checkLoadBalancerClass(spec, old, check)
    if (needsHealthCheckPort(spec) && needsHealthCheckPort(old)) {
      const [now, before] = [integerOrZero(spec, 'healthCheckNodePort'), integerOrZero(old, 'healthCheckNodePort')]
      if (now !== before) check.forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable')
    }
    checkService(object, old, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const balancer = mapOrEmpty(statusOf(object), 'loadBalancer')
      const old = mapOrEmpty(statusOf(stored), 'loadBalancer')
      const at = FieldPath.root('status').child('loadBalancer')
      if (typeOf(specOf(object)) !== 'LoadBalancer' && listOrEmpty(balancer, 'ingress').length > 0) {
        check.forbidden(at.child('ingress'), "may only be used when `spec.type` is 'LoadBalancer'")
      } else checkLoadBalancer(balancer, old, { at, check, modes: true })
    },
  },
}

function checkService(object: ValueMap, old: ValueMap | undefined, check: Check): void {
  const spec = specOf(object)
  const annotations = annotationsOf(object)
  const mode = textOrAbsent(annotations, TOPOLOGY_MODE)
  const hints = textOrAbsent(annotations, TOPOLOGY_HINTS)
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`
    check.invalid(ANNOTATIONS.key(TOPOLOGY_MODE), mode, detail)
  }
  const ports = portsIn(spec)
  if (ports.length === 0 && !isHeadless(spec) && !isExternalName(spec)) check.required(SPEC.child('ports'))
  checkType(spec, check)
  checkPorts(spec, ports.length > 1, check)
  checkLabels(mapOrAbsent(spec, 'selector'), SPEC.child('selector'), check)
  checkAffinity(spec, check)
  checkAddresses(spec, old, check)
  const stored = storedTexts(old, 'externalIPs')
  for (const [i, ip] of textsInPlace(spec, 'externalIPs').entries()) {
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

function checkType(spec: ValueMap, check: Check): void {
  const type = typeOf(spec)
  if (type === 'ExternalName') checkExternalName(spec, check)
  else if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    check.invalid(SPEC.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`)
  }
}

function checkExternalName(spec: ValueMap, check: Check): void {
  const isSet = (field: string): boolean =>
    field === 'ipFamilyPolicy' ? isGiven(spec, field) : listOrEmpty(spec, field).length > 0
  for (const field of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (isSet(field)) check.forbidden(SPEC.child(field), 'may not be set for ExternalName services')
  }
  const name = textOrEmpty(spec, 'externalName')
  const domain = name.endsWith('.') ? name.slice(0, -1) : name
  if (domain === '') check.required(SPEC.child('externalName'))
  else check.format(SPEC.child('externalName'), domain, dns1123Subdomain(domain))
}

function checkPorts(spec: ValueMap, needNames: boolean, check: Check): void {
  const names = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const name = textOrEmpty(port, 'name')
    check.fields(port, at, 'core_v1.ServicePort', 'name')
    if (name !== '') check.unique(names, name, at.child('name'))
    else if (needNames) check.required(at.child('name'))
    check.fields(port, at, 'core_v1.ServicePort', 'port', 'protocol')
    checkPort(port['targetPort'] as never, at.child('targetPort'), check)
    check.fields(port, at, 'core_v1.ServicePort', 'appProtocol')
  })
}

function checkAffinity(spec: ValueMap, check: Check): void {
  const affinity = textOrEmpty(spec, 'sessionAffinity')
  check.fields(spec, SPEC, TYPE, 'sessionAffinity')
  const config = mapOrAbsent(spec, 'sessionAffinityConfig')
  const at = SPEC.child('sessionAffinityConfig')
  if (affinity === 'None' && config !== undefined) {
    check.forbidden(at, 'must not be set when session affinity is None')
  }
  if (affinity !== 'ClientIP') return
  const needed = 'when session affinity type is ClientIP'
  const client = mapOrEmpty(config ?? {}, 'clientIP')
  const seconds = integerOrAbsent(client, 'timeoutSeconds')
  const secondsAt = at.child('clientIP').child('timeoutSeconds')
  if (config === undefined) check.required(at, needed)
  else if (!isGiven(config, 'clientIP')) check.required(at.child('clientIP'), needed)
  else if (seconds === undefined) check.required(secondsAt, needed)
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    check.invalid(secondsAt, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)
  }
}

function checkNodePorts(spec: ValueMap, check: Check): void {
  const isInner = typeOf(spec) === 'ClusterIP'
  check.each(spec, 'ports', SPEC, (port, at) => {
    if (isInner && numberOrZero(port, 'nodePort') !== 0) {
      check.forbidden(at.child('nodePort'), "may not be used when `type` is 'ClusterIP'")
    }
  })
  const seen = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const number = numberOrZero(port, 'nodePort')
    const key = `${textOrEmpty(port, 'protocol')}/${number}`
    if (number === 0) return
    if (seen.has(key)) check.duplicate(at.child('nodePort'), number)
    seen.add(key)
  })
}

function checkRepeatedPorts(spec: ValueMap, check: Check): void {
  const seen = new Set<string>()
  check.each(spec, 'ports', SPEC, (port, at) => {
    const protocol = textOrEmpty(port, 'protocol')
    const number = integerOrZero(port, 'port')
    const key = `${protocol}/${number}`
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }
    if (seen.has(key)) check.duplicate(at, shownJson(shown))
    seen.add(key)
  })
}

/** They are in a field, or in the annotation that the field replaced. */
function checkSourceRanges(object: ValueMap, old: ValueMap | undefined, check: Check): void {
  const spec = specOf(object)
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  const ranges = textsInPlace(spec, 'loadBalancerSourceRanges')
  const annotation = textOrAbsent(annotationsOf(object), SOURCE_RANGES)
  if (ranges.length > 0) {
    const at = SPEC.child('LoadBalancerSourceRanges')
    if (!isBalanced) check.forbidden(at, ONLY_BALANCED)
    const stored = new Set(textsInPlace(old ?? {}, 'loadBalancerSourceRanges').map((range) => range.trim()))
    for (const [i, range] of ranges.entries()) checkCidr(range.trim(), at.index(i), check, { stored })
  } else if (annotation !== undefined) {
    const at = ANNOTATIONS.key(SOURCE_RANGES)
    if (!isBalanced) check.forbidden(at, ONLY_BALANCED)
    if (annotation.trim() === '') return
    for (const range of annotation.split(',')) checkCidr(range.trim(), at, check)
  }
}

function checkBalancing(spec: ValueMap, check: Check): void {
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  const given = isGiven(spec, 'allocateLoadBalancerNodePorts')
  if (given && !isBalanced) check.forbidden(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_BALANCED)
  if (!given && isBalanced) check.required(FieldPath.root('allocateLoadBalancerNodePorts'))
}

function checkLoadBalancerClass(spec: ValueMap, old: ValueMap | undefined, check: Check): void {
  const at = SPEC.child('loadBalancerClass')
  const name = textOrAbsent(spec, 'loadBalancerClass')
  const isBalanced = typeOf(spec) === 'LoadBalancer'
  if (old !== undefined && isBalanced && typeOf(old) === 'LoadBalancer') {
    if (name !== textOrAbsent(old, 'loadBalancerClass')) check.invalid(at, name, 'may not change once set')
  }
  if (name === undefined) return
  if (isBalanced) check.format(at, name, qualifiedName(name))
  else check.forbidden(at, ONLY_BALANCED)
}

function checkTraffic(spec: ValueMap, check: Check): void {
  const external = textOrEmpty(spec, 'externalTrafficPolicy')
  const at = SPEC.child('externalTrafficPolicy')
  if (isExternal(spec)) {
    if (external === '') check.required(at)
    check.fields(spec, SPEC, TYPE, 'externalTrafficPolicy')
  } else if (external !== '') check.invalid(at, external, 'may only be set for externally-accessible services')
  checkHealthCheck(spec, check)
  const needsPolicy = !isExternalName(spec) && TYPES.includes(typeOf(spec))
  if (needsPolicy && !isGiven(spec, 'internalTrafficPolicy')) check.required(SPEC.child('internalTrafficPolicy'))
  check.fields(spec, SPEC, TYPE, 'internalTrafficPolicy', 'trafficDistribution')
}

function checkHealthCheck(spec: ValueMap, check: Check): void {
  const port = integerOrZero(spec, 'healthCheckNodePort')
  if (needsHealthCheckPort(spec)) check.fields(spec, SPEC, TYPE, 'healthCheckNodePort')
  else if (Number(port) !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    check.invalid(SPEC.child('healthCheckNodePort'), port, detail)
  }
}
