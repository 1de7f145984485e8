// Finds the resources that the server itself needs.
import type { GroupVersionKind } from '../api/object.ts'
import { InvariantError } from '../lib/errors.ts'
import type { Resource, ResourceTable } from './registry.ts'

/** A built-in resource in version v1, of the core group by default. Throws `InvariantError` if it is not in the table. */
export function servedResource(table: Pick<ResourceTable, 'find'>, resource: string, group = ''): Resource {
  const found = table.find({ group, version: 'v1', resource })
  if (found === undefined) throw new InvariantError(`${group === '' ? resource : `${resource}.${group}`} is not served`)
  return found
}

/** The resource of a kind. Undefined: no resource has the kind. */
export function resourceOfKind(
  table: Pick<ResourceTable, 'all'>,
  { group, version, kind }: GroupVersionKind,
): Resource | undefined {
  return Iterator.from(table.all()).find((one) => one.kind === kind && one.group === group && one.version === version)
}
