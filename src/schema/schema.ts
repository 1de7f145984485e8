// The front door of the schema room: the table of the built-in kinds. `table.ts` says what its records mean; decoding,
// defaults, validation, patches and the codecs all walk them.
import { BUILT_IN } from './built-in-compiled.ts'
import { BuiltInTable } from './table-built-in.ts'
import type { SchemaTable } from './table.ts'

/**
 * A new table of the built-in kinds. Its records are made when they are first asked for, then shared; whoever starts the
 * process makes one and hands it down.
 */
export function loadBuiltInSchema(): SchemaTable {
  return new BuiltInTable(BUILT_IN)
}
