// The front door of the schema room: the table of the built-in kinds. `table.ts` says what its records mean; decoding,
// defaults, validation, patches and the codecs all walk them.
import { BUILT_IN } from './built-in-compiled.ts'
import { BuiltInTable } from './table-built-in.ts'
import type { SchemaTable } from './table.ts'

/** The table of the built-in kinds. Its records are made when they are first asked for, and shared by all who ask. */
export function loadBuiltInSchema(): SchemaTable {
  return TABLE
}

const TABLE: SchemaTable = new BuiltInTable(BUILT_IN)
