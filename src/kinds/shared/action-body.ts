// The body of an action: a kind that is posted and never stored.
import type { ApiObject, GroupVersionKind } from '../../api/object.ts'
import { DEFAULT_TABLE } from '../../codec/table.ts'
import { InvariantError } from '../../lib/errors.ts'
import { kindVersions } from '../../registry/kind-versions.ts'
import type { Action, WrittenKind } from '../../registry/registry.ts'
import { decodeObject } from '../../schema/decode.ts'
import { applyDefaults } from '../../schema/defaults/defaults.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Kind } from '../kind.ts'
import { IDENTITY } from './conversion.ts'

/** An action that knows the type of its body. Decoding guarantees the type. */
export function typedAction<T extends ApiObject>(action: Action<T>): Action {
  return action as unknown as Action
}

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
    withDefaults: (object, context) => applyDefaults(kind.defaults, object, context),
    columns: kind.columns ?? DEFAULT_TABLE,
    versions: kindVersions({ shape: () => schema.shape, convert: (same) => same }),
  }
}
