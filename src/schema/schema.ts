// The front door of the schema: the table of the built-in kinds. `table.ts` explains its records. Decoding, patches and the codecs read
// these records.
import { type ApiLevel, byLevel } from '../api/level.ts'
import { builtInAt } from './built-in-compiled.ts'
import { BuiltInTable } from './table-built-in.ts'
import type { SchemaTable } from './table.ts'

/** The table of the built-in kinds. Its records are made on demand, and all callers share them. */
export function loadBuiltInSchema(level?: ApiLevel): SchemaTable {
  return tableAt(level)
}

const tableAt = byLevel<SchemaTable>((level) => new BuiltInTable(builtInAt(level), level))
