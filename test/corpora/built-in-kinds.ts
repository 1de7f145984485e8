// The built-in kinds for tests that are about one of them.
import { InvariantError } from '../../src/lib/errors.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import type { KindSchema } from '../../src/schema/table.ts'

export const BUILT_IN = loadBuiltInSchema()

/** Throws where there is no such kind. */
export function kindOf(kind: string, group = '', version = 'v1'): KindSchema {
  const found = BUILT_IN.kind({ group, version, kind })
  if (found === undefined) throw new InvariantError(`no ${kind}`)
  return found
}
