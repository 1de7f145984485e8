// The body of an action: a kind of the schema that is sent and answered, and never stored.
import type { GroupVersionKind } from '../../api/object.ts'
import { InvariantError } from '../../lib/errors.ts'
import type { ActionBody } from '../../registry/registry.ts'
import { applyDefaults } from '../../schema/defaults/defaults.ts'
import { columnsOf } from '../columns/columns.ts'
import { defaultsOf } from '../defaults.ts'
import { decodeInTurns, decodeObject } from '../../schema/decode.ts'
import type { SchemaTable } from '../../schema/table.ts'
import { IDENTITY } from './conversion.ts'
import { kindVersions } from '../../registry/kind-versions.ts'

export function actionBody(schemas: SchemaTable, { group, version, kind }: GroupVersionKind): ActionBody {
  const schema = schemas.kind({ group, version, kind })
  if (schema === undefined) throw new InvariantError(`the schema has no ${kind}`)
  const gvk = { group, version, kind }
  return {
    ...gvk,
    schema,
    isCustom: false,
    storedKind: gvk,
    conversion: IDENTITY,
    decode: (source) => decodeObject(source, schema.shape),
    large: {
      decode: (source, turns) => decodeInTurns(source, schema.shape, { turns }),
      toCanonical: async (object) => object,
    },
    withDefaults: (object, context) => applyDefaults(defaultsOf(gvk), object, context),
    columns: columnsOf(gvk),
    versions: kindVersions({ shape: () => schema.shape, convert: (same) => same }),
  }
}
