// The tables of the cluster's own things: namespaces, nodes, events, configuration, quotas, leases, flow control, devices.
import type { Value, ValueMap } from '../../api/value.ts'
import {
  AGE,
  column,
  count,
  NAME,
  tableOf,
  type TableShape,
  type TableShapes,
  text,
} from '../../codec/tables/column.ts'
import { at, conditionAt, listAt, numberAt, orNone, textAt } from '../../codec/tables/reading.ts'

function queuing(field: string): (level: ValueMap) => Value {
  return (level) => {
    const queues = at(level, 'spec', 'limited', 'limitResponse', 'queuing')
    return queues === undefined ? '<none>' : numberAt(queues, field)
  }
}

function claimState(claim: ValueMap): string {
  const deleted = at(claim, 'metadata', 'deletionTimestamp') !== undefined
  const states = deleted ? ['deleted'] : []
  if (at(claim, 'status', 'allocation') === undefined) return deleted ? 'deleted' : 'pending'
  states.push('allocated')
  if (listAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved')
  return states.join(',')
}

function available(service: ValueMap): string {
  const condition = conditionAt(service, 'Available', 'status', 'conditions')
  if (condition === undefined) return 'Unknown'
  const status = textAt(condition, 'status')
  return status === 'True' ? status : `${status} (${textAt(condition, 'reason')})`
}

function backend(service: ValueMap): string {
  const reference = at(service, 'spec', 'service')
  return reference === undefined ? 'Local' : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`
}

const NAME_AND_AGE: TableShape = tableOf([NAME, AGE])

export const CLUSTER_TABLES: TableShapes = {
  'flowcontrol.apiserver.k8s.io FlowSchema': tableOf([
    NAME,
    column('PriorityLevel', 'The level of its requests.', text('spec', 'priorityLevelConfiguration', 'name')),
    column('MatchingPrecedence', 'Lower ones are asked first.', count('spec', 'matchingPrecedence')),
    column('DistinguisherMethod', 'What tells one flow from another.', (one) =>
      orNone(textAt(one, 'spec', 'distinguisherMethod', 'type')),
    ),
    AGE,
    column(
      'MissingPL',
      'Whether the level is not there.',
      (one) => textAt(conditionAt(one, 'Dangling', 'status', 'conditions'), 'status') || '?',
    ),
  ]),
  'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration': tableOf([
    NAME,
    column('Type', 'Limited or exempt.', text('spec', 'type')),
    column('NominalConcurrencyShares', 'Its share of the requests under way.', (level) => {
      const limited = at(level, 'spec', 'limited')
      return limited === undefined ? '<none>' : numberAt(limited, 'nominalConcurrencyShares')
    }),
    column('Queues', 'How many queues it has.', queuing('queues')),
    column('HandSize', 'Among how many queues a flow is spread.', queuing('handSize')),
    column('QueueLengthLimit', 'How many requests wait in one queue at most.', queuing('queueLengthLimit')),
    AGE,
  ]),
  'resource.k8s.io DeviceClass': NAME_AND_AGE,
  'resource.k8s.io ResourceClaimTemplate': NAME_AND_AGE,
  'resource.k8s.io ResourceClaim': tableOf([
    NAME,
    column('State', 'Whether it is allocated and in use.', claimState),
    AGE,
  ]),
  'resource.k8s.io ResourceSlice': tableOf([
    NAME,
    column('Node', 'The node that has the devices.', text('spec', 'nodeName')),
    column('Driver', 'The driver of the devices.', text('spec', 'driver')),
    column('Pool', 'The pool that the devices are in.', text('spec', 'pool', 'name')),
    AGE,
  ]),
  'apiregistration.k8s.io APIService': tableOf([
    NAME,
    column('Service', 'Who serves the version.', backend),
    column('Available', 'Whether it can be reached.', available),
    AGE,
  ]),
}
