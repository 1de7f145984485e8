// Ingresses: hosts and paths that are routed to services.
import { FieldPath } from '../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../api/members.ts'
import { annotationsOf, specOf, statusOf } from '../../api/object-members.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { listAt, orNone, textAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  asName,
  dns1035Label,
  dns1123Subdomain,
  portName,
  portNumber,
  wildcardDns1123Subdomain,
} from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  labelName,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { parseIp } from '../shared/ip-address.ts'
import { balancerAddresses, checkLoadBalancer } from '../shared/load-balancer.ts'
import { placedMaps, placedTexts } from '../shared/placed-items.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root('spec')
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const BAD_SEQUENCES: readonly string[] = ['//', '/./', '/../', '%2f', '%2F']
const BAD_ENDS: readonly string[] = ['/..', '/.']
const strictServiceName = asName(dns1035Label)

function checkIngress(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = specOf(object)
  const fallback = mapOrAbsent(spec, 'defaultBackend')
  if (mapsInPlace(spec, 'rules').length === 0 && fallback === undefined) {
    const shown = isGiven(spec, 'rules') ? [] : undefined
    check.invalid(SPEC, shown, 'either `defaultBackend` or `rules` must be specified')
  }
  if (fallback !== undefined) checkBackend(fallback, SPEC.child('defaultBackend'), check)
  for (const [rule, at] of placedMaps(spec, 'rules', SPEC)) checkRule(rule, at, check)
  for (const [tls, at] of placedMaps(spec, 'tls', SPEC)) {
    for (const [host, place] of placedTexts(tls, 'hosts', at)) checkHost(host, place, check)
    check.fields(tls, at, 'networking.k8s.io_v1.IngressTLS')
  }
  check.fields(spec, SPEC, 'networking.k8s.io_v1.IngressSpec')
}

function checkHost(host: string, at: FieldPath, check: Check): void {
  check.format(at, host, host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host))
}

function checkRule(rule: ValueMap, at: FieldPath, check: Check): void {
  const host = textOrEmpty(rule, 'host')
  if (host !== '') {
    if (parseIp(host) !== undefined) check.invalid(at.child('host'), host, 'must be a DNS name, not an IP address')
    checkHost(host, at.child('host'), check)
  }
  const http = mapOrAbsent(rule, 'http')
  if (http === undefined) return
  check.fields(http, at.child('http'), 'networking.k8s.io_v1.HTTPIngressRuleValue')
  for (const [path, place] of placedMaps(http, 'paths', at.child('http'))) checkPath(path, place, check)
}

function checkPath(path: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrAbsent(path, 'pathType')
  const text = textOrEmpty(path, 'path')
  const place = at.child('path')
  if (type === undefined) {
    check.required(at.child('pathType'), 'pathType must be specified')
    return
  }
  const isFixed = type === 'Exact' || type === 'Prefix'
  if (!isFixed && type !== 'ImplementationSpecific') {
    check.notSupported(at.child('pathType'), type, ['Exact', 'ImplementationSpecific', 'Prefix'])
  } else if (!text.startsWith('/') && (isFixed || text !== '')) check.invalid(place, text, 'must be an absolute path')
  if (isFixed) {
    for (const sequence of BAD_SEQUENCES) {
      if (text.includes(sequence)) check.invalid(place, text, `must not contain '${sequence}'`)
    }
    for (const end of BAD_ENDS) if (text.endsWith(end)) check.invalid(place, text, `cannot end with '${end}'`)
  }
  checkBackend(mapOrEmpty(path, 'backend'), at.child('backend'), check)
}

function checkBackend(backend: ValueMap, at: FieldPath, check: Check): void {
  const service = mapOrAbsent(backend, 'service')
  const resource = mapOrAbsent(backend, 'resource')
  if (service !== undefined && resource !== undefined) {
    check.invalid(at, '', 'cannot set both resource and service backends')
  } else if (resource !== undefined) checkReference(resource, at.child('resource'), check)
  else if (service !== undefined) checkServiceBackend(service, at, check)
  else check.invalid(at, '', 'resource or service backend is required')
}

function checkServiceBackend(service: ValueMap, at: FieldPath, check: Check): void {
  const place = at.child('service')
  const name = textOrEmpty(service, 'name')
  const format = check.gate('RelaxedServiceNameValidation') ? labelName : strictServiceName
  if (name === '') check.required(place.child('name'))
  else check.format(place.child('name'), name, format(name, false))
  const port = mapOrEmpty(service, 'port')
  const portText = textOrEmpty(port, 'name')
  const number = integerOrZero(port, 'number')
  if (portText !== '' && Number(number) !== 0) check.invalid(at, '', 'cannot set both port name & port number')
  else if (portText !== '') check.format(place.child('port').child('name'), portText, portName(portText))
  else if (Number(number) !== 0) check.format(place.child('port').child('number'), number, portNumber(number))
  else check.required(at, 'port name or number is required')
}

export function checkReference(reference: ValueMap, at: FieldPath, check: Check): void {
  check.fields(reference, at, 'networking.k8s.io_v1.IngressClassParametersReference', 'apiGroup', 'kind', 'name')
}

/** Rules without a host are counted but not shown. */
function hosts(ingress: ValueMap): string {
  const rules = listAt(ingress, 'spec', 'rules')
  const shown: string[] = []
  let more = false
  for (const rule of rules) {
    if (shown.length === 3) more = true
    const host = textAt(rule, 'host')
    if (!more && host !== '') shown.push(host)
  }
  if (shown.length === 0) return '*'
  return more ? `${shown.join(',')} + ${rules.length - 3} more...` : shown.join(',')
}

export const INGRESS: Kind = {
  validation: {
    create: (object, check) => {
      checkIngress(object, check)
      const annotation = textOrAbsent(annotationsOf(object), CLASS_ANNOTATION)
      const className = textOrAbsent(specOf(object), 'ingressClassName')
      if (annotation !== undefined && className !== undefined && annotation !== className) {
        const at = FieldPath.root('annotations').child(CLASS_ANNOTATION)
        check.invalid(at, annotation, 'must match `ingressClassName` when both are specified')
      }
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkIngress(object, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        const balancerOf = (ingress: ValueMap): ValueMap => mapOrEmpty(statusOf(ingress), 'loadBalancer')
        const at = FieldPath.root('status').child('loadBalancer')
        checkLoadBalancer(balancerOf(object), balancerOf(stored), { at, check, modes: false })
      },
    },
  },
  strategy: {
    ...WORKLOAD,
    warnings: (object, stored) =>
      stored === undefined &&
      isGiven(annotationsOf(object), CLASS_ANNOTATION) &&
      !isGiven(specOf(object), 'ingressClassName')
        ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
        : [],
    statusWarnings: (object) =>
      mapsInPlace(mapOrEmpty(statusOf(object), 'loadBalancer'), 'ingress').flatMap((ingress, i) =>
        addressWarnings(`status.loadBalancer.ingress[${i}]`, own(ingress, 'ip'), 'address'),
      ),
  },
  columns: tableOf([
    NAME,
    column('Class', 'The class of controllers that serve it.', (ingress) =>
      orNone(textAt(ingress, 'spec', 'ingressClassName')),
    ),
    column('Hosts', 'The hosts that its rules are for.', hosts),
    column('Address', 'Where it can be reached.', (ingress) => balancerAddresses(ingress).join(',')),
    column('Ports', 'The ports that it opens.', (ingress) =>
      listAt(ingress, 'spec', 'tls').length === 0 ? '80' : '80, 443',
    ),
    AGE,
  ]),
  storagePrefix: 'ingress',
}
