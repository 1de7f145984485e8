// Managed fields are computed synchronously, but a webhook converts some kinds. If a conversion is missing, the write is abandoned before
// it has any effect, and is repeated with the conversion.
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ConversionMissing, type KindVersions } from '../patch/ownership.ts'

/** The limit of conversions for a write. An object needs a few for each version in which managers own fields. */
const MOST_CONVERSIONS = 100

interface ConversionNeed {
  readonly signal: AbortSignal
  /** Whether the write fails if a conversion fails. Otherwise the write continues as if versions differed only by name. */
  readonly isVital: boolean
}

type Work<T> = (versions: KindVersions) => MaybePromise<T>

/** Calls `work`. If a conversion is missing, makes the conversion and calls `work` again. */
export async function withConversions<T>(
  versions: KindVersions,
  work: Work<T>,
  { signal, isVital }: ConversionNeed,
): Promise<T> {
  const { convertElsewhere } = versions
  if (convertElsewhere === undefined) return work(versions)
  const known = new Map<string, ValueMap>()
  const atHand: KindVersions = {
    ...versions,
    convert: (object, apiVersion) => {
      const found = known.get(keyOf(object, apiVersion))
      if (found === undefined) throw new ConversionMissing(object, apiVersion)
      return found
    },
  }
  for (let count = 0; count < MOST_CONVERSIONS; count++) {
    try {
      return await work(atHand)
    } catch (error) {
      if (!(error instanceof ConversionMissing)) throw error
      const { object, apiVersion } = error
      try {
        const converted = await convertElsewhere(object, apiVersion, signal)
        known.set(keyOf(object, apiVersion), versions.convert(converted, apiVersion))
      } catch (failure) {
        if (isVital || !(failure instanceof ApiError)) throw failure
        break
      }
    }
  }
  return work(versions)
}

function keyOf(object: ValueMap, apiVersion: string): string {
  const text = JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  return `${apiVersion} ${text}`
}
