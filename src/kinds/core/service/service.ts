// Services: their columns, and the parts from the other files of this folder.
import type { Service, ServicePort } from '../../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf, wide } from '../../../codec/tables/column.ts'
import { labelText, orNone } from '../../../codec/tables/reading.ts'
import { type Kind, typedKind } from '../../kind.ts'
import { balancerAddresses } from '../../shared/load-balancer.ts'
import { DEFAULTS } from './defaults.ts'
import { defaultOnRead } from './families.ts'
import { serviceStrategy, serviceStrategyAlone } from './strategy.ts'
import { VALIDATION } from './validation.ts'

function externalIp(service: Service): string {
  const { externalIPs: external = [], externalName = '', type } = service.spec
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(external.join(','))
    case 'LoadBalancer': {
      const all = [...balancerAddresses(service.status.loadBalancer), ...external]
      return all.length === 0 ? '<pending>' : all.join(',')
    }
    case 'ExternalName':
      return externalName
    default:
      return '<unknown>'
  }
}

function portText({ nodePort = 0, port, protocol = '' }: ServicePort): string {
  return `${nodePort > 0 ? `${port}:${nodePort}` : port}/${protocol}`
}

export const SERVICE: Kind = typedKind<Service>({
  validation: VALIDATION,
  defaults: DEFAULTS,
  strategy: serviceStrategy,
  since: { '1.37': { strategy: serviceStrategyAlone } },
  columns: tableOf([
    NAME,
    column('Type', 'The type of the service.', ({ spec }) => spec.type ?? ''),
    column('Cluster-IP', 'The first address of the service.', ({ spec }) => orNone(spec.clusterIPs?.[0] ?? '')),
    column('External-IP', 'The addresses of the service for clients outside of the cluster.', externalIp),
    column('Port(s)', 'The ports of the service.', ({ spec }) => orNone((spec.ports ?? []).map(portText).join(','))),
    AGE,
    wide('Selector', 'The labels of the selected pods.', ({ spec }) => labelText(spec.selector ?? {})),
  ]),
  storagePrefix: 'services/specs',
  defaultOnRead,
})
