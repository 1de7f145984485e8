// The tables of what makes pods: apps, batch, autoscaling, replication controllers and pod templates.
import type { TableShapes } from '../../codec/tables/column.ts'

export const WORKLOAD_TABLES: TableShapes = {}
