// The record of a store's format, under a key of its own. Servers that do not know the record ignore it: kube-apiserver, and version 0.1.0
// of this server. Invariant: the level never falls.
import { ABSENT, type Kv, KvError, putKey } from '../kv/kv.ts'

/** The key below the server's prefix. No resource has it. */
export const FORMAT_KEY = 'quarterdeck_format'

export interface StorageFormat {
  /** Raised if servers of the previous level would lose stored data. */
  readonly level: number
  /** The oldest version of the program that understands this level. */
  readonly needs: string
}

/** The level of a store without a record. */
const FIRST_LEVEL = 1

/**
 * The highest level that this version reads. Neighbouring versions share a store during an upgrade. So this level is raised one minor
 * version before the written level.
 */
const UNDERSTOOD_LEVEL = FIRST_LEVEL
const WRITTEN: StorageFormat = { level: FIRST_LEVEL, needs: '0.1.0' }

/**
 * Resolves with the format of the store if this version does not understand it. Otherwise it records the format of this version, unless the
 * store already has such a record. Throws `KvError`. `prefix` ends in `/`.
 */
export async function newerFormat(
  kv: Pick<Kv, 'get' | 'commit'>,
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
      if ((await putKey(kv, { key, value, expected: item?.revision ?? ABSENT }, signal)).ok) return undefined
    } catch (error) {
      // A full store can be served, and a missing record means the same level.
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
    // Reported below.
  }
  const { level, needs } = format ?? {}
  if (Number.isSafeInteger(level) && typeof needs === 'string') return format as StorageFormat
  throw new KvError('corrupt', `the key ${FORMAT_KEY} of the store is not a valid record of its format`)
}
