// The tables of kinds whose versions are off by default, and of a Status. Kept so that switching a version on needs nothing here.
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, integer, NAME, nameOf, NAME_DESCRIPTION, tableOf, text } from '../../codec/tables/column.ts'
import type { TableShapes } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import {
  conditionHolds,
  firstOf,
  labelText,
  listAt,
  mapAt,
  numberAt,
  orNone,
  orUnset,
  textAt,
} from '../../codec/tables/reading.ts'

/** The first of these conditions that is true. */
function stateOf(object: ValueMap, types: readonly string[], otherwise: string): string {
  return types.find((type) => conditionHolds(object, type, 'status', 'conditions')) ?? otherwise
}

function migrated(migration: ValueMap): string {
  const { group, version, resource } = mapAt(migration, 'spec', 'resource')
  return [resource, version, group]
    .map((part) => textAt(part))
    .filter((part) => part !== '')
    .join('.')
}

/** The sum over the pools that a request asks about. */
function poolSum(field: string): (request: ValueMap) => string {
  return (request) => {
    const pools = listAt(request, 'status', 'pools')
    return pools.length === 0
      ? '<none>'
      : String(pools.reduce<number>((sum, pool) => sum + Number(numberAt(pool, field)), 0))
  }
}

export const GATED_TABLES: TableShapes = {
  'certificates.k8s.io ClusterTrustBundle': tableOf([
    NAME,
    column('SignerName', 'Whose certificates it vouches for.', (one) => orNone(textAt(one, 'spec', 'signerName'))),
  ]),
  'certificates.k8s.io PodCertificateRequest': tableOf([
    NAME,
    column('PodName', 'The pod that asks.', text('spec', 'podName')),
    column('ServiceAccountName', 'The account of the pod.', text('spec', 'serviceAccountName')),
    column('NodeName', 'The node of the pod.', text('spec', 'nodeName')),
    column('SignerName', 'Who is asked to sign.', text('spec', 'signerName')),
    column('State', 'What was decided.', (one) => stateOf(one, ['Issued', 'Denied', 'Failed'], 'Pending')),
    column('UnverifiedUserAnnotations', 'What the pod says of itself.', (one) =>
      labelText(mapAt(one, 'spec', 'unverifiedUserAnnotations')),
    ),
  ]),
  'coordination.k8s.io LeaseCandidate': tableOf([
    NAME,
    column('LeaseName', 'The lease that it wants.', text('spec', 'leaseName')),
    column('BinaryVersion', 'The version of the candidate.', text('spec', 'binaryVersion')),
    column('EmulationVersion', 'The version that it behaves like.', text('spec', 'emulationVersion')),
    AGE,
  ]),
  'internal.apiserver.k8s.io StorageVersion': tableOf([
    NAME,
    column('CommonEncodingVersion', 'The version that all replicas store.', (one) =>
      orUnset(textAt(one, 'status', 'commonEncodingVersion')),
    ),
    column('StorageVersions', 'The version that each replica stores.', (one) =>
      orUnset(
        firstOf(
          listAt(one, 'status', 'storageVersions').map(
            (version) => `${textAt(version, 'apiServerID')}=${textAt(version, 'encodingVersion')}`,
          ),
          3,
        ),
      ),
    ),
    AGE,
  ]),
  'resource.k8s.io DeviceTaintRule': tableOf([
    NAME,
    column('Key', 'The key of the taint.', text('spec', 'taint', 'key')),
    column('Value', 'The value of the taint.', text('spec', 'taint', 'value')),
    column('Effect', 'What the taint does.', text('spec', 'taint', 'effect')),
    column('TimeAdded', 'How long ago the taint was added.', (rule, now) =>
      ageOf(textAt(rule, 'spec', 'taint', 'timeAdded'), now),
    ),
    AGE,
  ]),
  'resource.k8s.io ResourcePoolStatusRequest': tableOf([
    NAME,
    column('Driver', 'The driver of the pools.', text('spec', 'driver')),
    column('Total', 'How many devices there are.', poolSum('totalDevices')),
    column('Available', 'How many devices are free.', poolSum('availableDevices')),
    column('Allocated', 'How many devices are taken.', poolSum('allocatedDevices')),
    column('Unavailable', 'How many devices cannot be had.', poolSum('unavailableDevices')),
    column('Errors', 'What went wrong.', (one) => orNone(textAt(one, 'status', 'validationError'))),
    integer('Pools', 'How many pools there are.', (one) => numberAt(one, 'status', 'poolCount')),
    column('Status', 'Whether it was answered.', (one) => stateOf(one, ['Complete', 'Failed'], 'Pending')),
    column('Completed', 'How long ago it was answered.', (one, now) => {
      const time = textAt(one, 'status', 'observationTime')
      return time === '' ? '<none>' : ageOf(time, now)
    }),
  ]),
  'scheduling.k8s.io PodGroup': tableOf([
    NAME,
    column(
      'Policy',
      'How its pods are scheduled.',
      (one) => Object.keys(mapAt(one, 'spec', 'schedulingPolicy'))[0] ?? '<none>',
    ),
    column('Workload', 'What it belongs to.', (one) =>
      orNone(textAt(one, 'spec', 'podGroupTemplateRef', 'workload', 'workloadName')),
    ),
    column('Status', 'Whether its pods are scheduled.', (one) => stateOf(one, ['PodGroupScheduled'], 'Pending')),
    AGE,
  ]),
  'scheduling.k8s.io Workload': tableOf([NAME, AGE]),
  'storagemigration.k8s.io StorageVersionMigration': tableOf([
    column('Name', NAME_DESCRIPTION, nameOf),
    column('Resource', 'What is written anew.', migrated),
    column('Status', 'How far it has come.', (one) => stateOf(one, ['Succeeded', 'Failed', 'Running'], '')),
  ]),
  'meta.k8s.io Status': tableOf([
    column('Status', 'Success or failure.', text('status')),
    column('Reason', 'Why, in one word.', text('reason')),
    column('Message', 'What happened.', text('message')),
  ]),
}
