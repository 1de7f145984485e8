// The tables of what carries traffic: services, endpoints, ingresses, network policies, addresses.
import type { Value, ValueMap } from '../../api/value.ts'
import { AGE, ageOfObject, column, NAME, NAME_DESCRIPTION, tableOf, text, wide } from '../../codec/tables/column.ts'
import type { TableShapes } from '../../codec/tables/column.ts'
import {
  at,
  firstOf,
  labelText,
  listAt,
  mapAt,
  numberAt,
  orNone,
  orUnset,
  selectorText,
  textAt,
  textsAt,
} from '../../codec/tables/reading.ts'

/** The addresses that a load balancer gave, sorted, each once. */
function balancerAddresses(object: ValueMap): readonly string[] {
  const all = listAt(object, 'status', 'loadBalancer', 'ingress').map(
    (point) => textAt(point, 'ip') || textAt(point, 'hostname'),
  )
  return [...new Set(all)].filter((address) => address !== '').sort()
}

function externalIp(service: ValueMap): string {
  const external = textsAt(service, 'spec', 'externalIPs')
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(external.join(','))
    case 'LoadBalancer': {
      const all = [...balancerAddresses(service), ...external]
      return all.length === 0 ? '<pending>' : all.join(',')
    }
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName')
    default:
      return '<unknown>'
  }
}

function portText(port: Value): string {
  const nodePort = numberAt(port, 'nodePort')
  const number = numberAt(port, 'port')
  return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${textAt(port, 'protocol')}`
}

/** An address of the sixth version needs brackets before a port. */
function hostPort(ip: string, port: Value): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${numberAt(port, 'port')}`
}

function endpoints(object: ValueMap): string {
  const subsets = listAt(object, 'subsets')
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'))
    const ports = listAt(subset, 'ports')
    return ports.length === 0 ? addresses : ports.flatMap((port) => addresses.map((ip) => hostPort(ip, port)))
  })
  return firstOf(all, 3)
}

function slicePort(port: Value): string {
  const number = at(port, 'port')
  const name = at(port, 'name')
  if (number !== undefined) return String(numberAt(number))
  return name === undefined ? '*' : textAt(name)
}

/** Rules without a host take part in the count but are not shown. */
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

function classParameters(ingressClass: ValueMap): string {
  const parameters = at(ingressClass, 'spec', 'parameters')
  if (parameters === undefined) return '<none>'
  const group = textAt(parameters, 'apiGroup')
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`
}

function className(ingressClass: ValueMap): string {
  const name = textAt(ingressClass, 'metadata', 'name')
  const marked = textAt(ingressClass, 'metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class')
  return marked === 'true' ? `${name} (default)` : name
}

function addressParent(address: ValueMap): string {
  const parent = at(address, 'spec', 'parentRef')
  if (parent === undefined) return '<none>'
  const group = textAt(parent, 'group')
  const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  const namespace = textAt(parent, 'namespace')
  return [resource, ...(namespace === '' ? [] : [namespace]), textAt(parent, 'name')].join('/')
}

export const NETWORK_TABLES: TableShapes = {
  ' Service': tableOf([
    NAME,
    column('Type', 'How the service is exposed.', text('spec', 'type')),
    column('Cluster-IP', 'The first address of the service.', (service) =>
      orNone(textsAt(service, 'spec', 'clusterIPs')[0] ?? ''),
    ),
    column('External-IP', 'Where it can be reached from outside.', externalIp),
    column('Port(s)', 'The ports of the service.', (service) =>
      orNone(listAt(service, 'spec', 'ports').map(portText).join(',')),
    ),
    AGE,
    wide('Selector', 'Which pods it leads to.', (service) => labelText(mapAt(service, 'spec', 'selector'))),
  ]),
  ' Endpoints': tableOf([NAME, column('Endpoints', 'The addresses behind the service.', endpoints), AGE]),
  'discovery.k8s.io EndpointSlice': tableOf([
    NAME,
    column('AddressType', 'What kind of addresses it holds.', text('addressType')),
    column('Ports', 'The ports of each endpoint.', (slice) =>
      orUnset(firstOf(listAt(slice, 'ports').map(slicePort), 3)),
    ),
    column('Endpoints', 'The addresses of the endpoints.', (slice) =>
      orUnset(
        firstOf(
          listAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses')),
          3,
        ),
      ),
    ),
    AGE,
  ]),
  'networking.k8s.io Ingress': tableOf([
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
  'networking.k8s.io IngressClass': tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Controller', 'The controller that serves the class.', text('spec', 'controller')),
    column('Parameters', 'Where the controller finds more settings.', classParameters),
    AGE,
  ]),
  'networking.k8s.io NetworkPolicy': tableOf([
    NAME,
    column('Pod-Selector', 'The pods that it is about.', (policy) => selectorText(at(policy, 'spec', 'podSelector'))),
    AGE,
  ]),
  'networking.k8s.io ServiceCIDR': tableOf([
    NAME,
    column('CIDRs', 'The ranges of addresses.', (range) => textsAt(range, 'spec', 'cidrs').join(',')),
    AGE,
  ]),
  'networking.k8s.io IPAddress': tableOf(
    [NAME, column('ParentRef', 'What the address belongs to.', addressParent)],
    ageOfObject,
  ),
}
