// The resources as clients see them: what the operator has switched off (P-470) is there for the server itself alone, which reads roles
// and namespaces whoever may ask for them.
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
