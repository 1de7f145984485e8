// Managed fields are computed synchronously, but some kinds are converted by a webhook. Where a conversion is missing the
// computation is aborted, and started again with the conversion at hand: it has no effects.
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ConversionMissing, type KindVersions, MOST_CONVERSIONS } from '../patch/ownership.ts'

interface ConversionNeed {
  readonly signal: AbortSignal
  /** Whether it fails where a conversion does; otherwise it goes on as if versions differed by their name alone. */
  readonly isVital: boolean
}

/** Calls `work`, again as often as a conversion is missing. */
export function withConversions<T>(
  versions: KindVersions,
  work: (versions: KindVersions) => MaybePromise<T>,
  need: ConversionNeed,
): MaybePromise<T> {
  const { convertElsewhere } = versions
  if (convertElsewhere === undefined) return work(versions)
  return converting({ versions, convertElsewhere, work, signal: need.signal }).catch((error: unknown) => {
    if (need.isVital || !(error instanceof ApiError)) throw error
    return work(versions)
  })
}

interface Converting<T> {
  readonly versions: KindVersions
  readonly convertElsewhere: NonNullable<KindVersions['convertElsewhere']>
  readonly work: (versions: KindVersions) => MaybePromise<T>
  readonly signal: AbortSignal
}

async function converting<T>({ versions, convertElsewhere, work, signal }: Converting<T>): Promise<T> {
  const known = new Map<string, ValueMap>()
  const atHand: KindVersions = {
    ...versions,
    convert: (object, apiVersion) => {
      const found = known.get(keyOf(object, apiVersion))
      if (found === undefined) throw new ConversionMissing(object, apiVersion)
      return found
    },
  }
  for (let count = 0; ; count++) {
    try {
      return await work(count < MOST_CONVERSIONS ? atHand : versions)
    } catch (error) {
      if (!(error instanceof ConversionMissing)) throw error
      const { object, apiVersion } = error
      known.set(
        keyOf(object, apiVersion),
        versions.convert(await convertElsewhere(object, apiVersion, signal), apiVersion),
      )
    }
  }
}

function keyOf(object: ValueMap, apiVersion: string): string {
  const text = JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  return `${apiVersion} ${text}`
}
