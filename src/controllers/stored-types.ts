// All types for controllers that process every object: each once, in its stored version.
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { StoredResource } from '../store/store.ts'

/**
 * Each type once, however many versions it is served in. A custom type comes in its storage version if that is served, so that no
 * conversion is needed.
 */
export function eachType(table: ResourceTable): Iterable<Resource> {
  const chosen = new Map<string, Resource>()
  for (const resource of table.all()) {
    const { storagePrefix } = resource.stored
    if (!chosen.has(storagePrefix) || resource.custom?.isStorageVersion === true) chosen.set(storagePrefix, resource)
  }
  return chosen.values()
}

/** The type in the version in which its objects are stored. Metadata is the same in all versions, so no conversion webhook is needed. */
export function asStored({ stored }: Resource): StoredResource {
  const { form: _, ...rest } = stored
  return rest
}
