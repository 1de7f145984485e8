// The tables of the cluster's own things: namespaces, nodes, events, configuration, quotas, leases, flow control, devices.
import type { Value, ValueMap } from '../../api/value.ts'
import { AGE, boolean, column, count, integer, NAME, tableOf, text, wide } from '../../codec/tables/column.ts'
import type { TableShape, TableShapes } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import type { Now } from '../../codec/tables/elapsed.ts'
import { at, booleanAt, conditionAt, listAt, mapAt, numberAt, orNone, textAt } from '../../codec/tables/reading.ts'

function nodeStatus(node: ValueMap): string {
  // The last one of a type counts here, unlike elsewhere.
  const ready = listAt(node, 'status', 'conditions').findLast((condition) => textAt(condition, 'type') === 'Ready')
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return booleanAt(node, 'spec', 'unschedulable') ? `${status},SchedulingDisabled` : status
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles(node: ValueMap): string {
  const labels = mapAt(node, 'metadata', 'labels')
  const roles = Object.keys(labels)
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length))
  roles.push(textAt(labels, 'kubernetes.io/role'))
  return orNone(
    [...new Set(roles)]
      .filter((role) => role !== '')
      .sort()
      .join(','),
  )
}

function nodeAddress(type: string): (node: ValueMap) => string {
  return (node) => {
    const found = listAt(node, 'status', 'addresses').find((address) => textAt(address, 'type') === type)
    return orNone(textAt(found, 'address'))
  }
}

function nodeInfo(node: ValueMap, field: string): string {
  return textAt(node, 'status', 'nodeInfo', field) || '<unknown>'
}

function kernel(node: ValueMap): string {
  const architecture = textAt(node, 'status', 'nodeInfo', 'architecture')
  const version = nodeInfo(node, 'kernelVersion')
  return architecture === '' ? version : `${version} (${architecture})`
}

/** The two groups of events name the same things differently. */
function first(event: ValueMap, ...names: readonly string[]): Value | undefined {
  for (const name of names) {
    const found = at(event, name)
    if (found !== undefined && found !== '' && found !== 0) return found
  }
  return undefined
}

function firstSeen(event: ValueMap, now: Now): string {
  return ageOf(textAt(first(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime')), now)
}

function lastSeen(event: ValueMap, now: Now): string {
  const series = at(event, 'series')
  if (series !== undefined) return ageOf(textAt(series, 'lastObservedTime'), now)
  const last = textAt(first(event, 'lastTimestamp', 'deprecatedLastTimestamp'))
  return last === '' ? firstSeen(event, now) : ageOf(last, now)
}

function eventObject(event: ValueMap): string {
  const object = first(event, 'involvedObject', 'regarding')
  const name = textAt(object, 'name')
  const kind = textAt(object, 'kind').toLowerCase()
  return name === '' ? kind : `${kind}/${name}`
}

function eventSource(event: ValueMap): string {
  const source = first(event, 'source', 'deprecatedSource')
  const component = textAt(source, 'component') || textAt(first(event, 'reportingComponent', 'reportingController'))
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance')
  return instance === '' ? component : `${component}, ${instance}`
}

function eventCount(event: ValueMap): Value {
  const series = at(event, 'series')
  return series === undefined ? (first(event, 'count', 'deprecatedCount') ?? 1) : numberAt(series, 'count')
}

const EVENTS: TableShape = tableOf([
  column('Last Seen', 'How long ago it happened last.', lastSeen),
  column('Type', 'Normal or a warning.', text('type')),
  column('Reason', 'Why, in one word.', text('reason')),
  column('Object', 'What it is about.', eventObject),
  wide('Subobject', 'Which part of it.', (event) => textAt(first(event, 'involvedObject', 'regarding'), 'fieldPath')),
  wide('Source', 'Who reported it.', eventSource),
  column('Message', 'What happened.', (event) => textAt(first(event, 'message', 'note')).trim()),
  wide('First Seen', 'How long ago it happened first.', firstSeen),
  wide('Count', 'How often it happened.', eventCount),
  { ...NAME, priority: 1 },
])

/** `resource: used/hard` of the resources that are limits, or of those that are not. */
function quotas(limits: boolean): (quota: ValueMap) => string {
  return (quota) => {
    const hard = mapAt(quota, 'status', 'hard')
    const used = mapAt(quota, 'status', 'used')
    return Object.keys(hard)
      .filter((resource) => resource.startsWith('limits.') === limits)
      .sort()
      .map((resource) => `${resource}: ${textAt(used, resource) || '0'}/${textAt(hard, resource) || '0'}`)
      .join(', ')
  }
}

function queuing(field: string): (level: ValueMap) => Value {
  return (level) => {
    const queues = at(level, 'spec', 'limited', 'limitResponse', 'queuing')
    return queues === undefined ? '<none>' : numberAt(queues, field)
  }
}

function health(status: ValueMap): string {
  const condition = conditionAt(status, 'Healthy', 'conditions')
  if (condition === undefined) return 'Unknown'
  return textAt(condition, 'status') === 'True' ? 'Healthy' : 'Unhealthy'
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
  ' Namespace': tableOf([NAME, column('Status', 'Active, or being deleted.', text('status', 'phase')), AGE]),
  ' Node': tableOf([
    NAME,
    column('Status', 'Whether the node is ready.', nodeStatus),
    column('Roles', 'What the node is for.', nodeRoles),
    AGE,
    column('Version', 'The version of the node agent.', text('status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', 'Its address within the cluster.', nodeAddress('InternalIP')),
    wide('External-IP', 'Its address from outside.', nodeAddress('ExternalIP')),
    wide('OS-Image', 'Its operating system.', (node) => nodeInfo(node, 'osImage')),
    wide('Kernel-Version', 'Its kernel.', kernel),
    wide('Container-Runtime', 'What runs its containers.', (node) => nodeInfo(node, 'containerRuntimeVersion')),
  ]),
  ' Event': EVENTS,
  'events.k8s.io Event': EVENTS,
  ' ConfigMap': tableOf([
    NAME,
    column(
      'Data',
      'How many entries it has.',
      (map) => Object.keys(mapAt(map, 'data')).length + Object.keys(mapAt(map, 'binaryData')).length,
    ),
    AGE,
  ]),
  ' Secret': tableOf([
    NAME,
    column('Type', 'What kind of secret it is.', text('type')),
    column('Data', 'How many entries it has.', (secret) => Object.keys(mapAt(secret, 'data')).length),
    AGE,
  ]),
  ' ServiceAccount': NAME_AND_AGE,
  ' ResourceQuota': tableOf([
    NAME,
    column('Request', 'What is used of what may be, beside limits.', quotas(false)),
    column('Limit', 'What is used of the limits.', quotas(true)),
    AGE,
  ]),
  ' ComponentStatus': tableOf([
    NAME,
    column('Status', 'Whether the component is well.', health),
    column('Message', 'What the check said.', (one) => textAt(conditionAt(one, 'Healthy', 'conditions'), 'message')),
    column('Error', 'What the check failed with.', (one) => textAt(conditionAt(one, 'Healthy', 'conditions'), 'error')),
  ]),
  'coordination.k8s.io Lease': tableOf([NAME, column('Holder', 'Who holds it.', text('spec', 'holderIdentity')), AGE]),
  'scheduling.k8s.io PriorityClass': tableOf([
    NAME,
    integer('Value', 'The priority.', count('value')),
    boolean('Global-Default', 'Whether pods without a class have it.', (one) => booleanAt(one, 'globalDefault')),
    AGE,
    column('PreemptionPolicy', 'Whether others make room for its pods.', text('preemptionPolicy')),
  ]),
  'node.k8s.io RuntimeClass': tableOf([NAME, column('Handler', 'What runs the containers.', text('handler')), AGE]),
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
