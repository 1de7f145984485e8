// Services: their columns, and everything else that is particular to them from the files beside this one.
import type { Value, ValueMap } from '../../../api/value.ts'
import { AGE, column, NAME, tableOf, text, wide } from '../../../codec/tables/column.ts'
import { labelText, listAt, mapAt, numberAt, orNone, textAt, textsAt } from '../../../codec/tables/reading.ts'
import type { Kind } from '../../kind.ts'
import { balancerAddresses } from '../../shared/load-balancer.ts'
import { DEFAULTS } from './defaults.ts'
import { defaultOnRead } from './families.ts'
import { serviceStrategy } from './strategy.ts'
import { VALIDATION } from './validation.ts'

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

export const SERVICE: Kind = {
  validation: VALIDATION,
  defaults: DEFAULTS,
  strategy: serviceStrategy,
  columns: tableOf([
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
  storagePrefix: 'services/specs',
  defaultOnRead,
}
