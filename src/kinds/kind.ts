// What is particular to a built-in kind, all of it in one record. Its fields are in `proto/`; everything else is here. Kinds whose
// versions are off by default have one too, so that switching a version on needs nothing more.
import type { ApiObject, GroupKind, GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { TableShape } from '../codec/table.ts'
import type { Conversion } from '../registry/registry.ts'
import type { Rule } from '../schema/defaults/defaults.ts'
import type { KindRules } from '../schema/validation/validation.ts'
import type { KindNeeds } from './needs.ts'
import type { KindStrategy } from './strategy.ts'

export interface Kind {
  /** What its objects are held to; absent: what every object is, in its metadata. */
  readonly validation?: KindRules
  /** What is filled in where nobody has said anything; absent: nothing is. */
  readonly defaults?: Rule
  /** What it does differently from the plain case, its warnings and its subresources among that. */
  readonly strategy?: KindStrategy | ((needs: KindNeeds) => KindStrategy)
  /** What people see of its objects; absent: the name and when it was created (D11). */
  readonly columns?: TableShape
  /** Where it has `scale`. */
  readonly scale?: Scalable
  /** What every request for it is warned of. */
  readonly deprecations?: readonly string[]
  /** Where its objects are stored, if not under the plural of the kind. */
  readonly storagePrefix?: string
  /** The versions that are stored as another version or group. */
  readonly storedAs?: Readonly<Record<string, StoredAs>>
  /** By apiVersion: versions that other servers have stored objects in and that are not served here. */
  readonly olderVersions?: Readonly<Record<string, OlderDocument>>
  /**
   * What is filled in when an object is read that was stored before its kind had the fields for it. `family` is that of the
   * cluster's services.
   */
  readonly defaultOnRead?: (object: ApiObject, family: 'IPv4' | 'IPv6') => ApiObject
}

export interface StoredAs {
  readonly kind: GroupVersionKind
  readonly conversion: Conversion
  /** What is converted comes out of texts and may be anything: the client is told where that is no object of the kind. */
  readonly mayBeMalformed?: true
}

/** The same fields under the same names and numbers, or how a document of it becomes one of the stored version. */
export type OlderDocument = 'same' | ((document: ValueMap) => ValueMap)

/** How a kind says how many of it there are to be. */
export interface Scalable {
  /** The selector of what is counted, in text. */
  readonly selector: (spec: ValueMap) => string
}

/** A built-in kind by its name; one of which nothing is particular where it is not known. */
export type KindOf = (kind: GroupKind) => Kind
