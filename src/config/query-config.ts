// The settings of queries on lists and watches.
import type { QueryFlag } from './flags-queries.ts'
import { integer, type SettingReader } from './setting-reader.ts'

export interface QueryConfig {
  /** The most objects that an expression is evaluated on. */
  readonly scanLimit: number
}

export function queryConfig(read: Pick<SettingReader<QueryFlag>, 'required'>): QueryConfig {
  return { scanLimit: integer(read.required('query-scan-limit'), 1, 1_000_000_000) }
}
