// The body of an action: a kind that is posted and never stored.
import type { GroupVersionKind } from '../../api/object.ts'
import { DEFAULT_TABLE } from '../../codec/table.ts'
import { InvariantError } from '../../lib/errors.ts'
import { kindVersions } from '../../registry/kind-versions.ts'
import type { WrittenKind } from '../../registry/registry.ts'
import { decodeInTurns, decodeObject } from '../../schema/decode.ts'
import { applyDefaults } from '../../schema/defaults/defaults.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Kind } from '../kind.ts'
import { IDENTITY } from './conversion.ts'

export function actionBody(schemas: SchemaTable, name: GroupVersionKind, kind: Kind): WrittenKind {
  const gvk = { group: name.group, version: name.version, kind: name.kind }
  const schema = schemas.kind(gvk)
  if (schema === undefined) throw new InvariantError(`the schema has no ${gvk.kind}`)
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
    withDefaults: (object, context) => applyDefaults(kind.defaults, object, context),
    columns: kind.columns ?? DEFAULT_TABLE,
    versions: kindVersions({ shape: () => schema.shape, convert: (same) => same }),
  }
}
