// The tables of what carries traffic: services, endpoints, ingresses, network policies, addresses.
import type { ValueMap } from '../../api/value.ts'
import {
  AGE,
  ageOfObject,
  column,
  NAME,
  NAME_DESCRIPTION,
  tableOf,
  type TableShapes,
  text,
} from '../../codec/tables/column.ts'
import { at, listAt, orNone, selectorText, textAt, textsAt } from '../../codec/tables/reading.ts'
import { balancerAddresses } from '../shared/load-balancer.ts'

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
