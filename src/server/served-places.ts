// Tells which resources and subresources the API serves.
import type { GroupVersionResource } from '../api/object.ts'
import { ENDED_SESSIONS } from '../controllers/ended-sessions.ts'
import { MASTER_LEASES } from '../controllers/kubernetes-service.ts'
import { QUOTA_COUNTS } from '../controllers/quota-counts.ts'
import { NODE_PORTS } from '../kinds/kinds.ts'
import type { ResourceTable } from '../registry/registry.ts'

/** The types that the server stores besides the resources of the API. */
export const OWN_TYPES: ReadonlySet<string> = new Set(
  [NODE_PORTS, MASTER_LEASES, ENDED_SESSIONS, QUOTA_COUNTS].map(({ resource }) => resource),
)

export type ServedPlace = GroupVersionResource & { readonly subresource: string | undefined }

export function isServed(table: ResourceTable, place: ServedPlace): boolean {
  const found = table.find(place)
  if (found === undefined) return place.subresource === undefined && table.isDeclared(place)
  return place.subresource === undefined || found.subresources.has(place.subresource)
}
