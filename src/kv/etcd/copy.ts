// Copies the keys of an etcd below a prefix, in pages of one revision. That revision must not be compacted before the last page is read.
import type { CopiedItem, CopyRequest, StoreCopy } from '../copy.ts'
import type { KeyValue } from '../gen/rpc.ts'
import { prefixRange, type Revision } from '../kv.ts'
import { type Etcd, type EtcdOptions, openEtcd } from './etcd.ts'
import { toKeyValue } from './key-value.ts'

const FIRST_PAGE_KEYS = 100
const MOST_PAGE_KEYS = 10_000
const LAST_TEXT = '\u{10ffff}'
const PAGE_BYTES = 4 * 1024 * 1024

/** Throws `KvError` if etcd cannot be reached, or cannot be read at the revision. */
export async function openEtcdCopy(options: EtcdOptions & CopyRequest, signal: AbortSignal): Promise<StoreCopy> {
  const etcd = await openEtcd(options, signal)
  try {
    const revision = options.at ?? (await etcd.newestRevision(signal))
    const range = prefixRange(options.prefix)
    const { count } = await etcd.listWithLeases({ ...range, limit: 1, at: revision }, signal)
    return new EtcdCopy(etcd, { range, revision, count })
  } catch (error) {
    await etcd.close()
    throw error
  }
}

class EtcdCopy implements StoreCopy {
  readonly #etcd: Etcd
  readonly #range: { readonly start: string; readonly end: string }
  /** The remaining time of each lease. */
  readonly #seconds = new Map<bigint, number>()
  readonly revision: Revision
  readonly count: number

  constructor(etcd: Etcd, state: { range: { start: string; end: string }; revision: Revision; count: number }) {
    this.#etcd = etcd
    this.#range = state.range
    this.revision = state.revision
    this.count = state.count
  }

  async *pages(signal: AbortSignal): AsyncGenerator<readonly CopiedItem[]> {
    let { start } = this.#range
    let limit = FIRST_PAGE_KEYS
    for (let more = true; more; ) {
      const page = await this.#etcd.listWithLeases({ ...this.#range, start, limit, at: this.revision }, signal)
      const items: CopiedItem[] = []
      for (const kv of page.kvs) items.push({ ...toKeyValue(kv), ttlSeconds: await this.#ttlSeconds(kv, signal) })
      yield items
      more = page.more && items.length > 0
      if (!more) return
      start = `${items.at(-1)!.key}\0`
      limit = nextLimit(items)
    }
  }

  async firstKey(start: string, signal: AbortSignal): Promise<string | undefined> {
    const range = { start, end: LAST_TEXT, limit: 1, at: this.revision }
    const [first] = (await this.#etcd.listWithLeases(range, signal)).kvs
    return first?.key
  }

  newestRevision(signal: AbortSignal): Promise<Revision> {
    return this.#etcd.newestRevision(signal)
  }

  async close(): Promise<void> {
    await this.#etcd.close()
  }

  async #ttlSeconds({ lease }: KeyValue, signal: AbortSignal): Promise<number | undefined> {
    if (lease === 0n) return undefined
    const known = this.#seconds.get(lease)
    if (known !== undefined) return known
    const seconds = Math.max(1, await this.#etcd.secondsOfLease(lease, signal))
    this.#seconds.set(lease, seconds)
    return seconds
  }
}

/** The limit of the next page: the number of items that fill a page, by the size of the last page. */
function nextLimit(items: readonly CopiedItem[]): number {
  const bytes = items.reduce((sum, { value }) => sum + value.length, 0)
  const fitting = Math.floor((items.length * PAGE_BYTES) / Math.max(bytes, 1))
  return Math.max(1, Math.min(fitting, 2 * items.length, MOST_PAGE_KEYS))
}
