// Ingresses: hosts and paths that are routed to services.
import { FieldPath } from '../../api/field-path.ts'
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClassParametersReference,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  TypedLocalObjectReference,
} from '../../api/gen/kinds.ts'
import { own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { orNone } from '../../codec/tables/reading.ts'
import { parseIp } from '../../lib/ip-bits.ts'
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
import { type Kind, typedKind } from '../kind.ts'
import { balancerAddresses, checkLoadBalancer } from '../shared/load-balancer.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { addressWarnings } from '../shared/warnings.ts'

const SPEC = FieldPath.root<IngressSpec>('spec')
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const BAD_SEQUENCES: readonly string[] = ['//', '/./', '/../', '%2f', '%2F']
const BAD_ENDS: readonly string[] = ['/..', '/.']
const strictServiceName = asName(dns1035Label)

function checkIngress(object: Ingress, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { spec } = object
  const { defaultBackend, rules } = spec
  if ((rules ?? []).length === 0 && defaultBackend === undefined) {
    check.invalid(SPEC, rules, 'either `defaultBackend` or `rules` must be specified')
  }
  check.part(spec, 'defaultBackend', SPEC, checkBackend)
  check.each(spec, 'rules', SPEC, checkRule)
  check.each(spec, 'tls', SPEC, (tls, at) => {
    tls.hosts?.forEach((host, i) => checkHost(host, at.child('hosts').index(i), check))
    check.fields(tls, at, 'networking.k8s.io_v1.IngressTLS')
  })
  check.fields(spec, SPEC, 'networking.k8s.io_v1.IngressSpec')
}

function checkHost(host: string, at: FieldPath, check: Check): void {
  check.format(at, host, host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host))
}

function checkRule(rule: IngressRule, at: FieldPath<IngressRule>, check: Check): void {
  const { host } = rule
  if (host !== undefined) {
    if (parseIp(host) !== undefined) check.invalid(at.child('host'), host, 'must be a DNS name, not an IP address')
    checkHost(host, at.child('host'), check)
  }
  check.part(rule, 'http', at, (http, place) => {
    check.fields(http, place, 'networking.k8s.io_v1.HTTPIngressRuleValue')
    check.each(http, 'paths', place, checkPath)
  })
}

function checkPath(
  { pathType: type, path: text = '', backend }: HTTPIngressPath,
  at: FieldPath<HTTPIngressPath>,
  check: Check,
): void {
  const place = at.child('path')
  if (type === null) {
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
  checkBackend(backend, at.child('backend'), check)
}

function checkBackend({ service, resource }: IngressBackend, at: FieldPath<IngressBackend>, check: Check): void {
  if (service !== undefined && resource !== undefined) {
    check.invalid(at, '', 'cannot set both resource and service backends')
  } else if (resource !== undefined) checkReference(resource, at.child('resource'), check)
  else if (service !== undefined) checkServiceBackend(service, at, check)
  else check.invalid(at, '', 'resource or service backend is required')
}

function checkServiceBackend({ name, port }: IngressServiceBackend, at: FieldPath<IngressBackend>, check: Check): void {
  const place = at.child('service')
  const format = check.gate('RelaxedServiceNameValidation') ? labelName : strictServiceName
  if (name === '') check.required(place.child('name'))
  else check.format(place.child('name'), name, format(name, false))
  const { name: portText = '', number = 0 } = port
  if (portText !== '' && number !== 0) check.invalid(at, '', 'cannot set both port name & port number')
  else if (portText !== '') check.format(place.child('port').child('name'), portText, portName(portText))
  else if (number !== 0) check.format(place.child('port').child('number'), number, portNumber(number))
  else check.required(at, 'port name or number is required')
}

type Reference = IngressClassParametersReference | TypedLocalObjectReference

export function checkReference(reference: Reference, at: FieldPath, check: Check): void {
  check.fields(reference, at, 'networking.k8s.io_v1.IngressClassParametersReference', 'apiGroup', 'kind', 'name')
}

/** Rules without a host are counted but not shown. */
function hosts({ spec: { rules = [] } }: Ingress): string {
  const shown: string[] = []
  let more = false
  for (const { host } of rules) {
    if (shown.length === 3) more = true
    if (!more && host !== undefined) shown.push(host)
  }
  if (shown.length === 0) return '*'
  return more ? `${shown.join(',')} + ${rules.length - 3} more...` : shown.join(',')
}

export const INGRESS: Kind = typedKind<Ingress>({
  validation: {
    create: (object, check) => {
      checkIngress(object, check)
      const annotation = own(object.metadata.annotations ?? {}, CLASS_ANNOTATION)
      const { ingressClassName: className } = object.spec
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
        const at = FieldPath.root<Ingress['status']>('status').child('loadBalancer')
        checkLoadBalancer(object.status.loadBalancer, stored.status.loadBalancer, { at, check, modes: false })
      },
    },
  },
  strategy: {
    ...WORKLOAD,
    warnings: ({ metadata: { annotations = {} }, spec }, stored) =>
      stored === undefined && Object.hasOwn(annotations, CLASS_ANNOTATION) && spec.ingressClassName === undefined
        ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
        : [],
    statusWarnings: ({ status }) =>
      (status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
        addressWarnings(`status.loadBalancer.ingress[${i}]`, ip, 'address'),
      ),
  },
  columns: tableOf([
    NAME,
    column('Class', 'The class of controllers that serve the ingress.', ({ spec }) =>
      orNone(spec.ingressClassName ?? ''),
    ),
    column('Hosts', 'The hosts of the rules.', hosts),
    column('Address', 'The addresses of the ingress.', ({ status }) =>
      balancerAddresses(status.loadBalancer).join(','),
    ),
    column('Ports', 'The open ports.', ({ spec }) => ((spec.tls ?? []).length === 0 ? '80' : '80, 443')),
    AGE,
  ]),
  storagePrefix: 'ingress',
})
