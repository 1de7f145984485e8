// Converts custom resources between the stored form and a served version. Stored objects may have been written with an older schema or in
// another version. They are read and written with the current definition (P-327, P-328, P-367).
import { type ApiObject, formatGroupVersion, parseGroupVersion } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../registry/registry.ts'
import type { CustomSchema } from '../../schema/custom/custom.ts'

type ServedForm = NonNullable<Resource['stored']['form']>

/** Converts objects of a kind to another version. Throws `ApiError`. */
export type ConvertObjects = NonNullable<NonNullable<Resource['custom']>['convert']>

/** The conversion that changes only the name of the version. */
export const RENAME_VERSION: ConvertObjects = (objects, apiVersion) =>
  objects.map((object) => ({ ...object, apiVersion }))

export interface CustomFormParts {
  readonly group: string
  readonly version: string
  readonly storageVersion: string
  /** The schema of a version. Undefined: the definition no longer has the version. */
  readonly schema: (version: string) => CustomSchema | undefined
  readonly convert: ConvertObjects
  /** Whether versions are converted without a webhook. */
  readonly isLocal: boolean
  /** Whether all stored objects were written with this schema, in this version. */
  readonly isStoredAsServed: () => boolean
  /** Whether any schema of the definition fills fields in. */
  readonly hasDefaults: () => boolean
  /** The converted object, which is served instead of the stored object. */
  readonly serve: (stored: StoredObject, object: ApiObject) => StoredObject
}

export class CustomForm implements ServedForm {
  readonly #parts: CustomFormParts
  /** The converted objects. An object that needs no conversion maps to itself. */
  readonly #known = new WeakMap<StoredObject, StoredObject>()

  #isStoredAsServed: boolean | undefined
  #keepsValues: boolean | undefined

  constructor(parts: CustomFormParts) {
    this.#parts = parts
  }

  get isLocal(): boolean {
    return this.#parts.isLocal
  }

  isAsStored(): boolean {
    return (this.#isStoredAsServed ??= this.#parts.isStoredAsServed())
  }

  keepsValues(): boolean {
    return (this.#keepsValues ??= this.isAsStored() || (this.isLocal && !this.#parts.hasDefaults()))
  }

  fromStored(objects: readonly StoredObject[], signal: AbortSignal): MaybePromise<readonly StoredObject[]> {
    if (objects.length === 0 || this.isAsStored()) return objects
    const missing = objects.filter((object) => !this.#known.has(object))
    if (missing.length === 0) return this.#all(objects)
    return whenKnown(this.#make(missing, signal), () => this.#all(objects))
  }

  atHand(object: StoredObject): StoredObject | undefined {
    if (this.isAsStored()) return object
    if (this.#parts.isLocal && !this.#known.has(object)) void this.#make([object], NEVER)
    return this.#known.get(object)
  }

  toStored(object: ApiObject, signal: AbortSignal): MaybePromise<ApiObject> {
    const { group, storageVersion, version, convert } = this.#parts
    if (version === storageVersion) return object
    const apiVersion = formatGroupVersion({ group, version: storageVersion })
    return whenKnown(convert([object], apiVersion, signal), ([converted = object]) => this.#pruned(converted))
  }

  #all(objects: readonly StoredObject[]): readonly StoredObject[] {
    return objects.map((object) => this.#known.get(object) ?? object)
  }

  #make(stored: readonly StoredObject[], signal: AbortSignal): MaybePromise<void> {
    const { group, version, schema, convert, serve } = this.#parts
    const apiVersion = formatGroupVersion({ group, version })
    const read = stored.map((one) => {
      const object = one.object()
      return { one, object, shown: schema(versionOf(object))?.shown(object) ?? object }
    })
    const others = read.filter(({ shown }) => shown.apiVersion !== apiVersion)
    for (const { one, object, shown } of read) {
      if (shown.apiVersion === apiVersion) this.#known.set(one, shown === object ? one : serve(one, shown))
    }
    if (others.length === 0) return undefined
    const converted = convert(
      others.map(({ shown }) => shown),
      apiVersion,
      signal,
    )
    return whenKnown(converted, (objects) => {
      for (const [i, { one }] of others.entries()) {
        const object = objects[i]
        if (object !== undefined) this.#known.set(one, serve(one, this.#pruned(object)))
      }
    })
  }

  /** The object without fields that the schema of its version does not have. */
  #pruned(object: ApiObject): ApiObject {
    return this.#parts.schema(versionOf(object))?.known(object) ?? object
  }
}

const NEVER = new AbortController().signal

function versionOf({ apiVersion }: ApiObject): string {
  return parseGroupVersion(apiVersion)?.version ?? ''
}
