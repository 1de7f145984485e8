// The resource quota controller: keeps `status.hard` and `status.used`, lowers usage when objects are deleted, and recounts now and then.
// Admission raises usage just before it lets a write through, so the object of a raise may not be stored yet. A count is stored only if the
// quota has not changed since before the mark of the count. The mark makes those writes fail that were charged before it and are not stored
// yet (`quota-counts.ts`). A quota is counted when it has not been raised for a moment, so that few writes are refused.
import { setImmediate } from 'node:timers/promises'
import type { ResourceQuota, ResourceQuotaStatus } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject, GroupResource } from '../api/object.ts'
import { formatGroupResource } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { equalValues, type MapOf, own } from '../api/value.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import { pause } from '../lib/pause.ts'
import type { Quantity } from '../lib/quantity.ts'
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityOf } from '../lib/quantity.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import { markCount } from './quota-counts.ts'
import { asStored } from './stored-types.ts'
import { type InformedType, TypeInformers } from './type-informers.ts'
import type { InformerHandler } from './informer.ts'
import type { WorkQueue } from './work-queue.ts'
import { servedResource } from '../registry/served-resource.ts'

/** The usage of objects in a quota, by the rules of admission. */
export interface QuotaAccounting {
  countedTypes(names: Iterable<string>): readonly GroupResource[]
  namesAbout(names: Iterable<string>, type: GroupResource): readonly string[]
  chargeOf(
    quota: ResourceQuota,
    limited: Iterable<string>,
    counted: { readonly type: GroupResource; readonly object: ApiObject; readonly nowMs: number },
  ): ReadonlyMap<string, Quantity> | undefined
}

const WORKERS = 4
/** Nearly every object is stored within this time after the quota was raised for it. */
const SETTLE_MS = 1_000
/** A quota is counted this long after a raise, because the write of that raise may have failed. */
const RECOUNT_MS = 15_000
/** The interval at which all quotas are recounted. */
const RESYNC_MS = 300_000
/** The pause between two counts of one quota. */
const REST_MS = 500
const OBJECTS_AT_ONCE = 200
const ZERO = quantityOf(0, 'decimalSI')
/** A change of such an object may lower its usage. */
const MAY_USE_LESS: readonly string[] = ['services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io']
const ENDED: readonly string[] = ['"phase":"Succeeded"', '"phase":"Failed"']

export function resourceQuotas(parts: ControllerParts, accounting: QuotaAccounting): Controller {
  const options = { name: 'resource-quotas', canWait: true, workers: WORKERS }
  return keyedController(parts, options, (queue) => new QuotaController(parts, accounting, queue))
}

interface Known {
  readonly quota: ResourceQuota
  readonly revision: number
}

class QuotaController implements KeyedWork {
  readonly followed: readonly FollowedType[]
  readonly loops: NonNullable<KeyedWork['loops']>
  readonly #parts: ControllerParts
  readonly #accounting: QuotaAccounting
  readonly #queue: WorkQueue
  readonly #quotas = new Map<string, Known>()
  readonly #byNamespace = new Map<string, Set<string>>()
  /** The types that quotas name or have named, whether they exist or not. */
  readonly #named = new Set<string>()
  readonly #types: TypeInformers
  readonly #raisedAt = new Map<string, number>()
  readonly #countedAt = new Map<string, number>()

  constructor(parts: ControllerParts, accounting: QuotaAccounting, queue: WorkQueue) {
    this.#parts = parts
    this.#accounting = accounting
    this.#queue = queue
    this.#types = new TypeInformers({
      source: parts,
      typesIn: (table) => this.#namedIn(table),
      handler: (type) => this.#handlerOf(type),
    })
    this.followed = [
      {
        type: servedResource(parts.resources(), 'resourcequotas'),
        onPresent: (stored) => this.#onQuota(stored),
        onGone: (stored) => this.#onQuotaGone(stored),
      },
    ]
    // Types are followed as quotas name them.
    this.loops = [(signal) => this.#types.run(signal), (signal) => this.#resync(signal)]
  }

  async #resync(signal: AbortSignal): Promise<void> {
    while (await pause(this.#parts.clock, RESYNC_MS, signal))
      for (const key of this.#quotas.keys()) this.#queue.add(key)
  }

  #onQuota(stored: StoredObject): void {
    const key = keyOf(stored)
    const before = this.#quotas.get(key)?.quota
    const quota = stored.object()
    if (!isKind(quota, 'core_v1.ResourceQuota')) return
    this.#quotas.set(key, { quota, revision: stored.revision })
    addToSet(this.#byNamespace, stored.namespace, key)
    const isNew = before === undefined
    if (isNew || !equalValues(quota.spec, before.spec) || isUncounted(quota)) {
      this.#nameTypes(quota)
      this.#queue.add(key)
    } else if (isRaised(before, quota)) {
      this.#raisedAt.set(key, this.#parts.clock.now())
      this.#queue.addAfter(key, RECOUNT_MS)
    }
  }

  #onQuotaGone(stored: StoredObject): void {
    const key = keyOf(stored)
    this.#quotas.delete(key)
    this.#raisedAt.delete(key)
    this.#countedAt.delete(key)
    removeFromSet(this.#byNamespace, stored.namespace, key)
  }

  #nameTypes(quota: ResourceQuota): void {
    const before = this.#named.size
    for (const type of this.#typesOf(quota)) this.#named.add(formatGroupResource(type))
    if (this.#named.size > before) this.#types.lookAgain()
  }

  #typesOf({ spec }: ResourceQuota): readonly GroupResource[] {
    return this.#accounting.countedTypes(Object.keys(spec.hard ?? {}))
  }

  *#namedIn(table: ResourceTable): Generator<Resource> {
    for (const resource of table.all()) {
      if (resource.namespaced && this.#named.has(formatGroupResource(resource))) yield resource
    }
  }

  #handlerOf({ stored: { group, resource } }: InformedType): InformerHandler {
    const isPods = group === '' && resource === 'pods'
    const mayUseLess = MAY_USE_LESS.includes(formatGroupResource({ group, resource }))
    let isNew = true
    return {
      onPresent: (stored) => {
        const isLess = mayUseLess || (isPods && ENDED.some((text) => stored.bytes.includes(text)))
        if (isLess) this.#onReleased(stored.namespace)
      },
      onGone: (stored) => this.#onReleased(stored.namespace),
      onSynced: () => {
        if (isNew) this.#onNewType({ group, resource })
        isNew = false
      },
    }
  }

  /** Called when a type is served again, or for the first time. Its usage is out of date or missing. */
  #onNewType({ group, resource }: GroupResource): void {
    for (const [key, { quota }] of this.#quotas) {
      if (this.#typesOf(quota).some((type) => type.group === group && type.resource === resource)) this.#queue.add(key)
    }
  }

  /** Called when an object in the namespace may use less than before. */
  #onReleased(namespace: string): void {
    for (const key of this.#byNamespace.get(namespace) ?? []) this.#queue.add(key)
  }

  #resourceOf({ group, resource }: GroupResource): Resource | undefined {
    return Iterator.from(this.#parts.resources().all()).find(
      (candidate) => candidate.group === group && candidate.resource === resource && candidate.namespaced,
    )
  }

  /** Resolves to true if the quota must be processed again. */
  async work(key: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#quotas.get(key)
    if (known === undefined) return false
    const now = this.#parts.clock.now()
    if (!isUncounted(known.quota)) {
      if (now - (this.#raisedAt.get(key) ?? -Infinity) < SETTLE_MS) return true
      if (now - (this.#countedAt.get(key) ?? -Infinity) < REST_MS) return true
    }
    this.#countedAt.set(key, now)
    const { namespace = '', name = '' } = known.quota.metadata
    await markCount(this.#parts.registry.store, { namespace, name }, signal)
    const used = await this.#count(known.quota, signal)
    return !(await this.#store(known, used, signal))
  }

  async #count(quota: ResourceQuota, signal: AbortSignal): Promise<ReadonlyMap<string, Quantity>> {
    const names = Object.keys(quota.spec.hard ?? {})
    const { namespace = '' } = quota.metadata
    const used = new Map<string, Quantity>()
    for (const type of this.#accounting.countedTypes(names)) {
      const resource = this.#resourceOf(type)
      if (resource === undefined) continue
      const about = this.#accounting.namesAbout(names, type)
      for (const name of about) used.set(name, ZERO)
      const request = { resource: asStored(resource), namespace, at: { kind: 'latest' }, skipUnreadable: true } as const
      const page = await this.#parts.registry.store.list(request, signal)
      let seen = 0
      for await (const batch of page.batches) {
        for (const stored of batch) {
          if (++seen % OBJECTS_AT_ONCE === 0) await setImmediate()
          const counted = { type, object: stored.object(), nowMs: this.#parts.clock.now() }
          for (const [name, amount] of this.#accounting.chargeOf(quota, about, counted) ?? []) {
            used.set(name, addQuantities(used.get(name) ?? ZERO, amount))
          }
        }
      }
    }
    return used
  }

  /** Stores a count. Resolves to false if the quota has changed meanwhile, so the count may be out of date. */
  async #store(
    { quota, revision }: Known,
    counted: ReadonlyMap<string, Quantity>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const resource = servedResource(this.#parts.resources(), 'resourcequotas')
    const { namespace = '', name = '' } = quota.metadata
    let isCurrent = true
    await this.#parts.registry.store.write(
      { resource: resource.stored, namespace, name },
      (current) => {
        isCurrent = current === undefined || current.revision === revision
        const object = current?.kind === 'object' ? current.object() : undefined
        if (!isCurrent || !isKind(object, 'core_v1.ResourceQuota')) return { kind: 'keep' }
        const status = statusOf(object, counted)
        return isSame(object.status, status) ? { kind: 'keep' } : { kind: 'put', object: { ...object, status } }
      },
      signal,
    )
    return isCurrent
  }
}

function keyOf({ namespace, name }: StoredObject): string {
  return `${namespace}/${name}`
}

function isUncounted({ spec, status }: ResourceQuota): boolean {
  return !isSameAmounts(spec.hard, status.hard) || status.used === undefined
}

function isRaised({ status: then }: ResourceQuota, { status: now }: ResourceQuota): boolean {
  return Object.keys(now.used ?? {}).some((name) => {
    const [old, fresh] = [amountIn(then.used, name), amountIn(now.used, name)]
    return fresh !== undefined && compareQuantities(fresh, old ?? ZERO) > 0
  })
}

/** The status with the count. Resources that cannot be counted keep their amount. */
function statusOf({ spec, status }: ResourceQuota, counted: ReadonlyMap<string, Quantity>): ResourceQuotaStatus {
  const { hard = {} } = spec
  const used = Object.keys(hard).flatMap((name) => {
    const amount = counted.get(name) ?? amountIn(status.used, name)
    return amount === undefined ? [] : [[name, formatQuantity(amount)] as const]
  })
  return { hard, used: Object.fromEntries(used) }
}

function isSame(a: ResourceQuotaStatus, b: ResourceQuotaStatus): boolean {
  return isSameAmounts(a.hard, b.hard) && isSameAmounts(a.used, b.used) && a.used !== undefined
}

function amountIn(amounts: MapOf<string> | undefined, name: string): Quantity | undefined {
  const parsed = parseQuantity(own(amounts ?? {}, name) ?? '')
  return parsed.ok ? parsed.quantity : undefined
}

function isSameAmounts(a: MapOf<string> = {}, b: MapOf<string> = {}): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [amountIn(a, name), amountIn(b, name)]
      return left !== undefined && right !== undefined && compareQuantities(left, right) === 0
    })
  )
}
