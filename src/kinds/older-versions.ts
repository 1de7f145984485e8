// The versions of built-in kinds that other servers have stored objects in and that are not served here: an object is only
// written anew when it changes, so a cluster holds what its servers of many years have written.
import type { GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { Kind } from './kind.ts'

export interface OlderVersion {
  /** The kind that its messages can be read as: the fields have the same numbers. */
  readonly kind: GroupVersionKind
  /** From a document of it in JSON shape to one of that kind; absent: their fields have the same names. */
  readonly convert?: (document: ValueMap) => ValueMap
}

/** What the kinds say of their older versions, by `group/version/Kind`. */
export function olderVersionsOf(
  kinds: Readonly<Record<string, Readonly<Record<string, Kind>>>>,
): ReadonlyMap<string, OlderVersion> {
  return new Map(
    Object.entries(kinds).flatMap(([group, members]) =>
      Object.entries(members).flatMap(([kind, { olderVersions = {} }]) =>
        Object.entries(olderVersions).map(([apiVersion, convert]): [string, OlderVersion] => {
          const name = { group, version: 'v1', kind }
          return [`${apiVersion}/${kind}`, convert === 'same' ? { kind: name } : { kind: name, convert }]
        }),
      ),
    ),
  )
}
