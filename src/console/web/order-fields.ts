// The fields that the columns of tables show: the server sorts by them if a list is too long to be loaded. This file needs no browser.
import type { Definition } from './definition-rules.ts'
import { type Column, isAge, type Order } from './table-rows.ts'

/** The fields by the names of their columns. */
export type OrderFields = Readonly<Record<string, string>>

const EVERYWHERE: OrderFields = {
  Name: 'metadata.name',
  Age: 'metadata.creationTimestamp',
  'Created At': 'metadata.creationTimestamp',
}

/** The other columns of these kinds are made of several fields. */
export const FIELDS: Readonly<Record<string, OrderFields>> = {
  pods: { Status: 'status.phase', Node: 'spec.nodeName', IP: 'status.podIP' },
  'deployments.apps': {
    Ready: 'status.readyReplicas',
    'Up-to-date': 'status.updatedReplicas',
    Available: 'status.availableReplicas',
  },
  'replicasets.apps': { Desired: 'spec.replicas', Current: 'status.replicas', Ready: 'status.readyReplicas' },
  'statefulsets.apps': { Ready: 'status.readyReplicas' },
  'daemonsets.apps': { Desired: 'status.desiredNumberScheduled', Ready: 'status.numberReady' },
  'jobs.batch': { Completions: 'status.succeeded' },
  'cronjobs.batch': { Schedule: 'spec.schedule', Suspend: 'spec.suspend', 'Last Schedule': 'status.lastScheduleTime' },
  services: { Type: 'spec.type', 'Cluster-IP': 'spec.clusterIP' },
  secrets: { Type: 'type' },
  namespaces: { Status: 'status.phase' },
  nodes: { Version: 'status.nodeInfo.kubeletVersion' },
  events: { Type: 'type', Reason: 'reason', Message: 'message', Count: 'count' },
  persistentvolumeclaims: { Status: 'status.phase', Volume: 'spec.volumeName', StorageClass: 'spec.storageClassName' },
  persistentvolumes: { Status: 'status.phase', StorageClass: 'spec.storageClassName' },
  'leases.coordination.k8s.io': { Holder: 'spec.holderIdentity' },
}

/** The fields of the columns of a kind. `definition`: the definition of a custom kind. */
export function orderFields(resource: string, version: string, definition?: Definition): OrderFields {
  const columns = definition?.spec.versions.find(({ name }) => name === version)?.additionalPrinterColumns ?? []
  // Only plain paths: `.spec.size`.
  const plain = columns.filter(({ jsonPath }) => /^(\.\w+)+$/.test(jsonPath))
  const own = Object.fromEntries(plain.map(({ name, jsonPath }) => [name, jsonPath.slice(1)]))
  return { ...EVERYWHERE, ...FIELDS[resource], ...own }
}

/** The parameter `orderBy`. Empty: the server's own order. Undefined: the server cannot sort by this column. */
export function orderByOf(
  { column, descending }: Order,
  columns: readonly Column[],
  fields: OrderFields,
): string | undefined {
  if (column === undefined) return descending ? 'metadata.namespace desc,metadata.name desc' : ''
  const sorted = columns[column]
  const field = fields[sorted?.name ?? '']
  // Ascending ages are descending times.
  const isDown = sorted !== undefined && isAge(sorted) ? !descending : descending
  return field === undefined ? undefined : `${field}${isDown ? ' desc' : ''}`
}
