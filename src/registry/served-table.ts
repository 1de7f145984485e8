// The resources that clients see. Resources that the operator has disabled (P-470) remain for the server itself, which needs roles and
// namespaces whether or not they are served.
import type { GroupVersionResource } from '../api/object.ts'
import type { ResourceTable } from './registry.ts'

export function servedTable(
  table: ResourceTable,
  isServed: (resource: GroupVersionResource) => boolean,
): ResourceTable {
  return {
    find: (resource) => {
      const found = table.find(resource)
      return found === undefined || found.isCustom || isServed(resource) ? found : undefined
    },
    *all() {
      for (const resource of table.all()) if (resource.isCustom || isServed(resource)) yield resource
    },
    findAction: (place) => (isServed(place) ? table.findAction(place) : undefined),
    isDeclared: (resource) => table.isDeclared(resource) && isServed(resource),
    knowsKind: (kind) => table.knowsKind(kind),
    onChange: (tell) => table.onChange(tell),
  }
}
