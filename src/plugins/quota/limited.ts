// Limited resources: objects can use them only if a quota covers them. The operator configures them.
import type { ResourceQuota, ScopedResourceSelectorRequirement as ScopeSelector } from '../../api/gen/kinds.ts'
import type { ApiObject, GroupResource } from '../../api/object.ts'
import { signOfQuantity } from '../../lib/quantity.ts'
import { isSelected, selectorsOf } from './scopes.ts'
import { usageOf } from './usage.ts'

export interface LimitedResource extends GroupResource {
  /** Resources whose name contains one of these texts need a quota. */
  readonly matchContains: readonly string[]
  /** Objects in one of these scopes need a quota. */
  readonly matchScopes: readonly ScopeSelector[]
}

export interface LimitedRequest {
  readonly type: GroupResource
  readonly object: ApiObject
  readonly nowMs: number
  /** The quotas of the namespace. */
  readonly quotas: readonly ResourceQuota[]
  /** The resource names that matching quotas count. */
  readonly covered: ReadonlySet<string>
}

/** The reason why the object is refused. Undefined: it is allowed. */
export function limitedRefusal(
  limited: readonly LimitedResource[],
  { type, object, nowMs, quotas, covered }: LimitedRequest,
): string | undefined {
  const about = limited.filter(({ group, resource }) => group === type.group && resource === type.resource)
  if (about.length === 0) return undefined
  const parts = about.flatMap(({ matchContains }) => matchContains)
  const names = [...usageOf(type, object, nowMs)]
    .filter(([name, amount]) => signOfQuantity(amount) > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
  const uncovered = names.filter((name) => !covered.has(name)).toSorted()
  if (uncovered.length > 0) return `insufficient quota to consume: ${uncovered.join(',')}`
  const scopes = new Set(
    quotas
      .flatMap(selectorsOf)
      .filter((selector) => isSelected(selector, object))
      .map(({ scopeName }) => scopeName),
  )
  const missing = about
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((selector) => isSelected(selector, object) && !scopes.has(selector.scopeName))
  if (missing.length === 0) return undefined
  return `insufficient quota to match these scopes: [${missing.map(formatScope).join(' ')}]`
}

function formatScope({ scopeName, operator, values = [] }: ScopeSelector): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`
}
