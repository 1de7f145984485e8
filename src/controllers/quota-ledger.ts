// The resource quotas for admission. It keeps the quotas of all namespaces in memory, and updates their usage in batches. All updates that
// wait for one quota are one write, so a busy namespace causes a write for each round trip, not for each request.
import type { ResourceQuota, ResourceQuotaStatus } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import type { QuotaLedger } from '../plugins/resource-quota.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import type { WriteCondition } from '../api/write-condition.ts'
import { cancellable } from '../lib/cancellable.ts'
import { removeFromSet } from '../lib/map-entries.ts'
import type { Resource } from '../registry/registry.ts'
import type { Decide, Outcome, Store, StoredItem } from '../store/store.ts'
import { runInformer } from './informer.ts'
import { type QuotaNames, uncountedSince } from './quota-counts.ts'

/** A write that takes longer fails. */
const LONGEST_WRITE_MS = 30_000

type Change = (current: ResourceQuota) => ResourceQuotaStatus | undefined

interface Waiting {
  readonly change: Change
  readonly resolve: (uncounted: WriteCondition) => void
  readonly reject: (error: unknown) => void
}

interface Known {
  readonly quota: ResourceQuota
  readonly revision: number
}

export class CachedQuotaLedger implements QuotaLedger {
  readonly #store: Store
  readonly #resource: Resource
  readonly #byNamespace = new Map<string, Map<string, Known>>()
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(store: Store, resource: Resource) {
    this.#store = store
    this.#resource = resource
  }

  quotasIn(namespace: string): readonly ResourceQuota[] {
    const quotas = this.#byNamespace.get(namespace)
    return quotas === undefined ? NO_QUOTAS : Array.from(quotas.values(), ({ quota }) => quota)
  }

  /** Keeps the quotas in memory until the signal fires. `onLoaded` is called when all are known. */
  follow(onLoaded: () => void, signal: AbortSignal): Promise<void> {
    const handler = {
      onPresent: (stored: StoredObject) => this.#learn(stored),
      onGone: (stored: StoredObject) => this.#forget(stored),
      onSynced: onLoaded,
    }
    return runInformer(this.#store, this.#resource, handler, signal)
  }

  update(quota: ResourceQuota, change: Change, signal: AbortSignal): Promise<WriteCondition> {
    const { namespace = '', name = '' } = quota.metadata
    const key = `${namespace}/${name}`
    const { promise, resolve, reject } = Promise.withResolvers<WriteCondition>()
    const entry = { change, resolve, reject }
    const queue = this.#waiting.get(key)
    if (queue === undefined) {
      this.#waiting.set(key, [entry])
      void this.#work(key, { namespace, name })
    } else {
      queue.push(entry)
    }
    return cancellable(promise, signal)
  }

  async takeBack(
    quota: ResourceQuota,
    change: Change,
    onlyIf: readonly WriteCondition[],
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata
    const decide: Decide = (current) => {
      const stored = quotaIn(current)
      const status = stored && change(stored)
      return status === undefined ? { kind: 'keep' } : { kind: 'put', object: { ...stored!, status }, onlyIf }
    }
    const result = await this.#store.write({ resource: this.#resource.stored, namespace, name }, decide, signal)
    if (result.kind === 'put') this.#learn(result.object)
  }

  /** Takes a version from the watch, or from our own write before the watch has it. An older version than the known one is ignored. */
  #learn(stored: StoredObject): void {
    const { namespace, name, revision } = stored
    const quotas = this.#byNamespace.get(namespace) ?? new Map<string, Known>()
    if ((quotas.get(name)?.revision ?? 0) >= revision) return
    const quota = stored.object()
    if (!isKind(quota, 'core_v1.ResourceQuota')) return
    quotas.set(name, { quota, revision })
    this.#byNamespace.set(namespace, quotas)
  }

  #forget({ namespace, name }: StoredObject): void {
    removeFromSet(this.#byNamespace, namespace, name)
  }

  /** Makes one write after the other. Each is for all requests that came during the write before. */
  async #work(key: string, place: QuotaNames): Promise<void> {
    for (let batch = this.#waiting.get(key)!; batch.length > 0; batch = this.#waiting.get(key)!) {
      this.#waiting.set(key, [])
      await this.#writeAll(place, batch)
    }
    this.#waiting.delete(key)
  }

  /**
   * Writes all changes of a batch. After an unknown outcome it writes them again. If another replica had made the same change, the usage is
   * then too high until the next count.
   */
  async #writeAll(
    place: QuotaNames,
    batch: readonly Waiting[],
    signal = AbortSignal.timeout(LONGEST_WRITE_MS),
  ): Promise<void> {
    let refusals = new Map<Waiting, unknown>()
    let uncounted: WriteCondition
    try {
      const result = await this.#store.write(
        { resource: this.#resource.stored, ...place },
        (current): Outcome => {
          refusals = new Map()
          const stored = quotaIn(current)
          if (stored === undefined) return { kind: 'keep' }
          const object = batch.reduce((quota, entry) => applied(quota, entry, refusals), stored)
          return object === stored ? { kind: 'keep' } : { kind: 'put', object, isIncrement: true }
        },
        signal,
      )
      if (result.kind === 'put') this.#learn(result.object)
      uncounted = uncountedSince(place, result.object?.revision ?? 0)
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'Timeout') return this.#writeAll(place, batch, signal)
      for (const entry of batch) entry.reject(error)
      return
    }
    for (const entry of batch) {
      if (refusals.has(entry)) entry.reject(refusals.get(entry))
      else entry.resolve(uncounted)
    }
  }
}

const NO_QUOTAS: readonly ResourceQuota[] = Object.freeze([])

function quotaIn(item: StoredItem | undefined): ResourceQuota | undefined {
  const object = item?.kind === 'object' ? item.object() : undefined
  return isKind(object, 'core_v1.ResourceQuota') ? object : undefined
}

function applied(quota: ResourceQuota, entry: Waiting, refusals: Map<Waiting, unknown>): ResourceQuota {
  try {
    const status = entry.change(quota)
    return status === undefined ? quota : { ...quota, status }
  } catch (error) {
    refusals.set(entry, error)
    return quota
  }
}
