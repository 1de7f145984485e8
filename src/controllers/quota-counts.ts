// The marks of the counts of quotas. Before a count lists objects, it writes the mark of its quota. A write whose charge is older than the
// mark may be missing in the count. So the write has a condition: the mark was not written after its charge. Therefore no object is stored
// whose charge a count has removed (D38).
import type { WriteCondition } from '../api/write-condition.ts'
import type { Resource } from '../registry/registry.ts'
import { keyInType, typePrefix } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/** The type of the marks: one for each quota, under its names. */
export const QUOTA_COUNTS = Object.freeze({
  group: '',
  resource: 'quotacounts',
  storagePrefix: 'quarterdeck/quotacounts',
  namespaced: true,
  selectableFields: [],
} satisfies Resource['stored'])

export interface QuotaNames {
  readonly namespace: string
  readonly name: string
}

/** The lifetime of a mark, which is longer than any write takes. */
const MARK_SECONDS = 3_600

export async function markCount(store: Store, { namespace, name }: QuotaNames, signal: AbortSignal): Promise<void> {
  await store.write(
    { resource: QUOTA_COUNTS, namespace, name },
    (current) => {
      // The object differs from the mark before, because an unchanged object is not written.
      const object = {
        kind: 'QuotaCount',
        apiVersion: 'v1',
        metadata: { namespace, name },
        after: current?.revision ?? 0,
      }
      return { kind: 'put', object, ttlSeconds: MARK_SECONDS }
    },
    signal,
  )
}

/** The condition that no count of the quota has begun after this revision. */
export function uncountedSince({ namespace, name }: QuotaNames, revision: number): WriteCondition {
  const key = `${typePrefix(QUOTA_COUNTS)}${keyInType({ resource: QUOTA_COUNTS, namespace, name })}`
  const whenLost = `its quota ${JSON.stringify(name)} was counted before it was stored, please try again`
  return { key, notAfter: revision, whenLost }
}
