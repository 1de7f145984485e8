// The tables of kinds whose versions are off by default, and of a Status. Kept so that switching a version on needs nothing here.
import type { ValueMap } from '../../api/value.ts'
import {
  AGE,
  column,
  integer,
  NAME,
  NAME_DESCRIPTION,
  nameOf,
  tableOf,
  type TableShapes,
  text,
} from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import { firstOf, listAt, mapAt, numberAt, orNone, orUnset, textAt } from '../../codec/tables/reading.ts'
import { stateOf } from '../shared/condition-column.ts'

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
