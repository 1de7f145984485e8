// The size and the limit of the storage, read at each scrape.
import { type Family, gauge } from '../lib/measure.ts'

/** The bytes on the disk, the bytes of them in use, and the limit of the storage if it is known. */
export interface StorageSize {
  readonly bytes: number
  readonly inUseBytes: number
  readonly limit: { readonly quotaBytes: number; readonly availableBytes: number } | undefined
}

/** Undefined: the storage takes no disk. */
export type ReadStorageSize = (signal: AbortSignal) => Promise<StorageSize | undefined>

/** The time in which the storage must answer. */
const SIZE_TIMEOUT_MS = 1000

/** Several metrics of one scrape share one answer. */
const FRESH_MS = 500

/** The first metric has the reference's name. */
export function storageFamilies(read: ReadStorageSize): readonly Family[] {
  let asked = Number.NEGATIVE_INFINITY
  let answer: Promise<StorageSize | undefined> = Promise.resolve(undefined)
  const latest = (): Promise<StorageSize | undefined> => {
    if (performance.now() - asked < FRESH_MS) return answer
    asked = performance.now()
    answer = read(AbortSignal.timeout(SIZE_TIMEOUT_MS)).catch(() => undefined)
    return answer
  }
  const of = (name: string, help: string, pick: (size: StorageSize) => number | undefined): Family =>
    gauge(name, help, ['storage_cluster_id'], {
      async refresh(family) {
        const size = await latest()
        const value = size === undefined ? undefined : pick(size)
        // If the value is unknown, the gauge keeps its last value.
        if (value !== undefined) family.of('etcd-0').value = value
      },
    })
  return [
    of('apiserver_storage_size_bytes', 'Size of the storage database in bytes.', ({ bytes }) => bytes),
    of(
      'quarterdeck_storage_in_use_bytes',
      'Bytes of the storage database that are in use; the rest of it is free for new data.',
      ({ inUseBytes }) => inUseBytes,
    ),
    of(
      'quarterdeck_storage_quota_bytes',
      'Bytes that the storage may take: the quota of etcd (from 3.6 on), or the space that the embedded store uses plus the free space of its disk.',
      ({ limit }) => limit?.quotaBytes,
    ),
    of(
      'quarterdeck_storage_available_bytes',
      'Bytes that can be stored before writes are refused; absent if the quota is unknown.',
      ({ limit }) => limit?.availableBytes,
    ),
  ]
}
