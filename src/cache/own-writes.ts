// This replica's writes that the watch has not delivered yet. The next write to the same object starts from them, because the cache is
// still out of date.
import { TurnoverMap } from '../lib/turnover-map.ts'
import type { Written } from '../store/commit.ts'
import { keyInType } from '../store/keys.ts'
import type { Current } from '../store/kv-objects.ts'
import type { WriteResult } from '../store/store.ts'
import type { CachedItem } from './cached-object.ts'

interface OwnWrite {
  readonly revision: number
  /** Undefined: the object was removed. */
  readonly current: Current | undefined
}

/** The largest number of remembered writes. There would be more only while the watch is stuck. */
const MOST_REMEMBERED = 10_000

export class OwnWrites {
  /** Roughly in the order of revisions. */
  readonly #writes = new TurnoverMap<string, OwnWrite>()

  remember(key: string, result: WriteResult, reached: number): void {
    if (result.kind === 'kept' || result.object.revision <= reached) return
    const current = result.kind === 'put' ? { item: result.object, stale: false } : undefined
    this.#writes.delete(key)
    if (this.#writes.size < MOST_REMEMBERED) this.#writes.set(key, { revision: result.object.revision, current })
  }

  rememberAll(written: readonly Written[], reached: number): void {
    for (const { key, result } of written) {
      this.remember(`${key.resource.storagePrefix}/${keyInType(key)}`, result, reached)
    }
  }

  find(key: string): OwnWrite | undefined {
    return this.#writes.get(key)
  }

  /** The newest known version of an object. If the storage has a newer version, the write detects it. */
  newest(key: string, cached: CachedItem | undefined): Current | undefined {
    const own = this.#writes.get(key)
    if (own !== undefined && own.revision > (cached?.revision ?? 0)) return own.current
    return cached === undefined ? undefined : { item: cached, stale: cached.kind === 'object' && cached.stale }
  }

  forgetUpTo(revision: number): void {
    for (const [key, write] of this.#writes.entries()) {
      if (write.revision > revision) return
      this.#writes.delete(key)
    }
  }
}
