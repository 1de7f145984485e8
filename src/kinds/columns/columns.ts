// Which columns a built-in kind has.
import type { GroupVersionKind } from '../../api/object.ts'
import { DEFAULT_TABLE } from '../../codec/table.ts'
import type { TableShape, TableShapes } from '../../codec/tables/column.ts'
import { ACCESS_TABLES } from './access.ts'
import { CLUSTER_TABLES } from './cluster.ts'
import { GATED_TABLES } from './gated.ts'
import { NETWORK_TABLES } from './network.ts'
import { STORAGE_TABLES } from './storage.ts'
import { WORKLOAD_TABLES } from './workloads.ts'

const TABLES: TableShapes = {
  ...WORKLOAD_TABLES,
  ...NETWORK_TABLES,
  ...STORAGE_TABLES,
  ...CLUSTER_TABLES,
  ...ACCESS_TABLES,
  ...GATED_TABLES,
}

/** The table of a built-in kind. */
export function columnsOf({ group, kind }: Omit<GroupVersionKind, 'version'>): TableShape {
  const key = `${group} ${kind}`
  return Object.hasOwn(TABLES, key) ? (TABLES[key] ?? DEFAULT_TABLE) : DEFAULT_TABLE
}
