// The record of a built-in kind: everything but its fields, which are in `proto/`. Kinds whose versions are off by default have one,
// too, so that nothing more is needed to enable a version.
import type { ApiObject, GroupKind, GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { TableShape } from '../codec/table.ts'
import type { Conversion, Resource } from '../registry/registry.ts'
import type { Rule } from '../schema/defaults/defaults.ts'
import type { KindRules } from '../schema/validation/validation.ts'
import type { KindNeeds } from './needs.ts'
import type { KindStrategy } from './strategy.ts'

export interface Kind {
  /** Absent: only the metadata is validated. */
  readonly validation?: KindRules
  readonly defaults?: Rule
  /** Where it differs from the plain case, including warnings and subresources. */
  readonly strategy?: KindStrategy | ((needs: KindNeeds) => KindStrategy)
  /** Absent: name and creation time (D11). */
  readonly columns?: TableShape
  readonly ruleCosts?: Resource['ruleCosts']
  /** Absent: it has no `scale`. */
  readonly scale?: Scalable
  /** Warnings on every request. */
  readonly deprecations?: readonly string[]
  /** The key prefix in the store; absent: the plural of the kind. */
  readonly storagePrefix?: string
  /** The versions that are stored as another version or group. */
  readonly storedAs?: Readonly<Record<string, StoredAs>>
  /** By apiVersion: versions that are not served here, but that other servers have stored objects in. */
  readonly olderVersions?: Readonly<Record<string, OlderDocument>>
  /** Fills in fields of objects that were stored before there were such fields. `family`: of the cluster's services. */
  readonly defaultOnRead?: (object: ApiObject, family: 'IPv4' | 'IPv6') => ApiObject
}

export interface StoredAs {
  readonly kind: GroupVersionKind
  readonly conversion: Conversion
  /** The conversion may result in what is no valid object; the client gets an error then. */
  readonly mayBeMalformed?: true
}

/** The same fields under the same names and numbers, or how to convert to the stored version. */
export type OlderDocument = 'same' | ((document: ValueMap) => ValueMap)

export interface Scalable {
  /** The label selector as text. */
  readonly selector: (spec: ValueMap) => string
}

/** An empty record for kinds with nothing particular. */
export type KindOf = (kind: GroupKind) => Kind
