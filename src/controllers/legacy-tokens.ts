// Tracks the use of legacy service account tokens in a label of their secret, once a day (P-052).
import { labelsOf, metaText, withMeta } from '../api/object-members.ts'
import { own } from '../api/value.ts'
import { LAST_USED_LABEL } from '../auth/legacy-token.ts'
import type { LiveObject } from '../auth/live-objects.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'

const TIMEOUT_MS = 10_000

export interface LegacyUseParts {
  readonly store: () => Store
  readonly table: () => ResourceTable
  readonly clock: Clock
  readonly log: Log
}

/** Returns a function that records the use of a token. No request waits for the record. After a failure, the next use tries again. */
export function noteLegacyUse({ store, table, clock, log }: LegacyUseParts): (secret: LiveObject) => void {
  const underWay = new Set<string>()
  return ({ object, uid }) => {
    const today = new Date(clock.timeOfDay()).toISOString().slice(0, 10)
    if (own(labelsOf(object), LAST_USED_LABEL) === today || underWay.has(uid)) return
    const { stored } = servedResource(table(), 'secrets')
    const key = { resource: stored, namespace: metaText(object, 'namespace'), name: metaText(object, 'name') }
    underWay.add(uid)
    store()
      .write(
        key,
        (current) => {
          if (current?.kind !== 'object') return { kind: 'keep' }
          const secret = current.object()
          const labels = { ...labelsOf(secret), [LAST_USED_LABEL]: today }
          return metaText(secret, 'uid') === uid
            ? { kind: 'put', object: withMeta(secret, { labels }) }
            : { kind: 'keep' }
        },
        AbortSignal.timeout(TIMEOUT_MS),
      )
      .catch((error: unknown) => log.warn({ err: error }, 'could not record the use of a legacy service account token'))
      .finally(() => underWay.delete(uid))
  }
}
