// The record of what it takes to understand a store, under a key of its own. Servers that know nothing of it, kube-apiserver and version
// 0.1.0 of this one, pass over it. Invariant: its level never falls.
import { ABSENT, type Kv, KvError } from '../kv/kv.ts'

/** Below the server's prefix, where no resource is. */
export const FORMAT_KEY = 'quarterdeck_format'

export interface StorageFormat {
  /** One more where something is stored that servers of the level before would lose. */
  readonly level: number
  /** The oldest version that understands it. */
  readonly needs: string
}

/** Of a store without a record. */
const FIRST_LEVEL = 1

/** Two neighbouring versions share a store while one replaces the other: so this is raised a minor version before what is written. */
const UNDERSTOOD_LEVEL = FIRST_LEVEL
const WRITTEN: StorageFormat = { level: FIRST_LEVEL, needs: '0.1.0' }

/**
 * Resolves with the format of the store where this version does not understand it. Otherwise records what this one writes, unless that
 * is there. Throws `KvError`. `prefix` ends in `/`.
 */
export async function newerFormat(
  kv: Pick<Kv, 'get' | 'put'>,
  prefix: string,
  signal: AbortSignal,
): Promise<StorageFormat | undefined> {
  const key = `${prefix}${FORMAT_KEY}`
  for (;;) {
    const { item } = await kv.get(key, {}, signal)
    const found = item === undefined ? undefined : parseFormat(item.value.toString())
    const level = found?.level ?? FIRST_LEVEL
    if (level > UNDERSTOOD_LEVEL) return found
    if (found !== undefined && level >= WRITTEN.level) return undefined
    const value = Buffer.from(JSON.stringify(WRITTEN))
    try {
      if ((await kv.put({ key, value, expected: item?.revision ?? ABSENT }, signal)).ok) return undefined
    } catch (error) {
      // A store that is full can be served, and the record would say no more than its absence does.
      if (error instanceof KvError && level === WRITTEN.level) return undefined
      throw error
    }
  }
}

function parseFormat(text: string): StorageFormat {
  let format: Partial<StorageFormat> | null = null
  try {
    format = JSON.parse(text) as Partial<StorageFormat> | null
  } catch {
    // Told below.
  }
  const { level, needs } = format ?? {}
  if (Number.isSafeInteger(level) && typeof needs === 'string') return format as StorageFormat
  throw new KvError('corrupt', `the key ${FORMAT_KEY} of the store is not a valid record of its format`)
}
