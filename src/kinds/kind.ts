// The record of a built-in kind: all parts except the fields, which are in `proto/`. Kinds whose versions are off by default have a record
// too, so that nothing more is needed to enable a version.
import { API_LEVELS, type ApiLevel, isAtLevel } from '../api/level.ts'
import type { ApiObject, GroupKind, GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { TableShape } from '../codec/table.ts'
import type { Conversion, Resource } from '../registry/registry.ts'
import type { AnyRule, Rule } from '../schema/defaults/defaults.ts'
import type { KindRules } from '../schema/validation/validation.ts'
import type { KindNeeds } from './needs.ts'
import type { KindStrategy } from './strategy.ts'

/** If the kind has no type, values can be anything. */
type Or<T, Loose> = string extends keyof T ? Loose : T

/** The objects of the kind are of type `T`, a type of `api/gen/kinds.ts`. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Absent: only the metadata is validated. */
  readonly validation?: KindRules<Or<T, ValueMap>>
  readonly defaults?: string extends keyof T ? AnyRule : Rule<T>
  /** The differences from the plain case, including warnings and subresources. */
  readonly strategy?: KindStrategy<T> | ((needs: KindNeeds) => KindStrategy<T>)
  /** Absent: name and creation time (D11). */
  readonly columns?: TableShape<Or<T, ValueMap>>
  readonly ruleCosts?: Resource['ruleCosts']
  /** Absent: the kind has no `scale`. */
  readonly scale?: Scalable
  /** Warnings on every request. */
  readonly deprecations?: readonly string[]
  /** The key prefix in the store. Absent: the plural of the kind. */
  readonly storagePrefix?: string
  /** The versions that are stored as another version or group. */
  readonly storedAs?: Readonly<Record<string, StoredAs>>
  /** By apiVersion: versions that are not served here, but in which other servers have stored objects. */
  readonly olderVersions?: Readonly<Record<string, OlderDocument>>
  /**
   * Fills in fields that an object lacks because it was stored before they existed. `family`: the address family of the cluster's services.
   */
  readonly defaultOnRead?: (object: T, family: 'IPv4' | 'IPv6') => T
  /** The fields that objects of an older level lack, and that are filled in when such an object is read. */
  readonly fills?: readonly string[]
  /** By level: the parts that differ from that level on. */
  readonly since?: Partial<Readonly<Record<ApiLevel, Partial<Omit<Kind<T>, 'since'>>>>>
}

/** The record of the kind at a level. */
export function kindAt(level: ApiLevel, kind: Kind): Kind {
  const { since } = kind
  if (since === undefined) return kind
  const parts = API_LEVELS.filter((one) => isAtLevel(level, { since: one })).map((one) => since[one])
  return Object.assign({}, kind, ...parts) as Kind
}

export interface StoredAs {
  readonly kind: GroupVersionKind
  readonly conversion: Conversion
  /** The kind has the defaults of the stored version. */
  readonly hasStoredDefaults?: true
  /** The conversion may result in an invalid object. Then the client gets an error. */
  readonly mayBeMalformed?: true
}

/** `same`: the fields have the same names and numbers. Otherwise the function converts to the stored version. */
export type OlderDocument = 'same' | ((document: ValueMap) => ValueMap)

export interface Scalable {
  /** The label selector as text. */
  readonly selector: (spec: ValueMap) => string
}

/**
 * A kind whose rules know the type of its objects. Only this function assumes that objects have the type: decoding guarantees it, and
 * stored objects are checked when they are parsed (`schema/stored-types.ts`).
 */
export function typedKind<T extends ApiObject>(kind: Kind<T>): Kind {
  return kind as unknown as Kind
}

/** Returns the record of a kind. Kinds with nothing particular have an empty record. */
export type KindOf = (kind: GroupKind) => Kind
