// The pods among the resources, for what is served below or about them.
import { InvariantError } from '../../lib/errors.ts'
import type { Resource, ResourceTable } from '../../registry/registry.ts'

export function podsOf(resources: ResourceTable): Resource {
  const pods = resources.find({ group: '', version: 'v1', resource: 'pods' })
  if (pods === undefined) throw new InvariantError('pods are not served')
  return pods
}
