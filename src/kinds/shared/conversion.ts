// Conversions of kinds whose versions have the same fields.
import { type ApiObject, formatGroupVersion, type GroupVersion } from '../../api/object.ts'
import type { Conversion } from '../../registry/registry.ts'

export const IDENTITY: Conversion = Object.freeze({
  isIdentity: true,
  toStored: (object) => object,
  fromStored: (object) => object,
} satisfies Conversion)

/** A conversion that changes only the name of the version. */
export function renaming(served: GroupVersion, stored: GroupVersion): Conversion {
  const naming = (version: GroupVersion): ((object: ApiObject) => ApiObject) => {
    const apiVersion = formatGroupVersion(version)
    return (object) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion })
  }
  return { isIdentity: false, toStored: naming(stored), fromStored: naming(served) }
}
