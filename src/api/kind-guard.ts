// Tells by `apiVersion` and `kind` whether an object is of a built-in kind. Plugins and controllers need this, because they get objects of
// any kind. The rules of a kind get the type of the kind where it is defined (`kinds/kind.ts`).
import type { BuiltInTypes } from './gen/kinds.ts'
import type { ApiObject } from './object.ts'

/** The kinds among the types: `apps_v1.Deployment`. */
export type KindName = { [N in keyof BuiltInTypes]: BuiltInTypes[N] extends ApiObject ? N : never }[keyof BuiltInTypes]

export type ObjectOf<N extends KindName> = Extract<BuiltInTypes[N], ApiObject>

export function isKind<N extends KindName>(object: ApiObject | undefined, name: N): object is ObjectOf<N> {
  if (object === undefined) return false
  const { apiVersion, kind } = object
  if (!name.endsWith(kind)) return false
  const stem = apiVersion.includes('/') ? apiVersion.replace('/', '_') : `core_${apiVersion}`
  return `${stem}.${kind}` === name
}

/**
 * Whether the object is of the kind, in any version of its group. Objects in plugins have the stored version, which is not always the
 * newest. Read only members that all versions have.
 */
export function isKindInAnyVersion<N extends KindName>(object: ApiObject | undefined, name: N): object is ObjectOf<N> {
  if (object === undefined) return false
  const group = name.slice(0, name.indexOf('_'))
  return object.apiVersion.startsWith(`${group}/`) && object.kind === name.slice(name.lastIndexOf('.') + 1)
}
