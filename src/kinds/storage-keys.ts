// Whose object a storage key holds, from the key alone: what is sealed at rest is said resource by resource.
import type { GroupResource } from '../api/object.ts'
import { builtInGroups } from '../schema/built-in-resources.ts'
import type { KindOf } from './kind.ts'

/** For a key relative to the server's prefix: `secrets/ns/name`. Undefined for what is no object of the API. */
export function storageKeyReader(kindOf: KindOf): (key: string) => GroupResource | undefined {
  const known = new Map<string, GroupResource>()
  for (const { versions } of builtInGroups()) {
    for (const { group, kind, plural, storageVersionHash } of versions.flatMap(({ resources }) => resources)) {
      if (storageVersionHash === undefined) continue
      const prefix = kindOf({ group, kind }).storagePrefix ?? plural
      // Events are stored as those of the core group, which comes first.
      if (!known.has(prefix)) known.set(prefix, { group, resource: plural })
    }
  }
  return (key) => {
    const first = key.slice(0, slashAfter(key, 0))
    const found = known.get(first)
    if (found !== undefined) return found
    const two = key.slice(0, slashAfter(key, first.length + 1))
    const inside = known.get(two)
    if (inside !== undefined || !first.includes('.') || two.length <= first.length) return inside
    // A custom resource stands under its group.
    const custom = { group: first, resource: two.slice(first.length + 1) }
    known.set(two, custom)
    return custom
  }
}

function slashAfter(text: string, from: number): number {
  const at = text.indexOf('/', from)
  return at === -1 ? text.length : at
}
