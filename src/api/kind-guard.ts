// Tells by its names whether an object is of a built-in kind, for code that gets objects of any kind: plugins and controllers. Rules of
// a kind get its type where the kind is defined (`kinds/kind.ts`).
import type { BuiltInTypes } from './gen/kinds.ts'
import type { ApiObject } from './object.ts'

/** The kinds among the types: `apps_v1.Deployment`. */
export type KindName = { [N in keyof BuiltInTypes]: BuiltInTypes[N] extends ApiObject ? N : never }[keyof BuiltInTypes]

export type ObjectOf<N extends KindName> = Extract<BuiltInTypes[N], ApiObject>

export function isKind<N extends KindName>(object: ApiObject | undefined, name: N): object is ObjectOf<N> {
  if (object === undefined) return false
  const { apiVersion, kind } = object
  const stem = apiVersion.includes('/') ? apiVersion.replace('/', '_') : `core_${apiVersion}`
  return `${stem}.${kind}` === name
}
