import { describe, expect, it } from 'vitest'
import type { ResourceQuota, ResourceQuotaStatus } from '../../../src/api/gen/kinds.ts'
import { isKind } from '../../../src/api/kind-guard.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { own } from '../../../src/api/value.ts'
import type { WriteCondition } from '../../../src/api/write-condition.ts'
import { CachedQuotaLedger } from '../../../src/controllers/quota-ledger.ts'
import type { Store } from '../../../src/store/store.ts'
import { openWorld } from '../../rigs/api-world.ts'

const SIGNAL = new AbortController().signal

interface Opened {
  readonly book: CachedQuotaLedger
  readonly quota: ResourceQuota
  readonly used: () => Promise<number>
  readonly writes: () => number
}

/** A quota whose `used` counts up, on a store that counts writes and may fail them. */
async function open(fail?: () => Error | undefined): Promise<Opened> {
  // The controller would count the pods, and there are none.
  const world = await openWorld({ controllersOff: ['resource-quotas'] })
  const resource = world.resource('resourcequotas')
  const quota = await world.create(resource, { metadata: { name: 'q' }, spec: { hard: { pods: '99' } } })
  if (!isKind(quota, 'core_v1.ResourceQuota')) throw new Error('no quota')
  const { store } = world.parts
  let writes = 0
  const counting: Store = {
    get: (key, at, signal) => store.get(key, at, signal),
    list: (request, signal) => store.list(request, signal),
    watch: (request, signal) => store.watch(request, signal),
    write: (key, decide, signal) => {
      writes++
      const error = fail?.()
      return error === undefined ? store.write(key, decide, signal) : Promise.reject(error)
    },
  }
  const used = async (): Promise<number> => usedOf(await world.get(resource, 'q'))
  return { book: new CachedQuotaLedger(counting, resource), quota, used, writes: () => writes }
}

function usedOf(quota: ApiObject): number {
  return isKind(quota, 'core_v1.ResourceQuota') ? Number(own(quota.status.used ?? {}, 'pods') ?? 0) : 0
}

function using(pods: number): ResourceQuotaStatus {
  return { used: Object.fromEntries([['pods', String(pods)]]) }
}

function raise(book: CachedQuotaLedger, quota: ResourceQuota, most = 99): Promise<WriteCondition> {
  const change = (current: ResourceQuota): ResourceQuotaStatus => {
    if (usedOf(current) >= most) throw new ApiError('Forbidden', 'too much')
    return using(usedOf(current) + 1)
  }
  return book.update(quota, change, SIGNAL)
}

describe('the ledger of quotas', () => {
  it('puts what waits for one quota into one write', async () => {
    const { book, quota, used, writes } = await open()
    await Promise.all(Array.from({ length: 64 }, () => raise(book, quota)))
    expect(await used()).toBe(64)
    expect(writes()).toBeLessThanOrEqual(2)
  })

  it('refuses one without the others', async () => {
    const { book, quota, used } = await open()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => raise(book, quota, 5)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await used()).toBe(5)
  })

  it('tells all that wait where the write fails, and goes on with those who come after', async () => {
    let isBroken = true
    const { book, quota, used } = await open(() => (isBroken ? new ApiError('ServiceUnavailable', 'gone') : undefined))
    const results = await Promise.allSettled([raise(book, quota), raise(book, quota)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false
    await raise(book, quota)
    expect(await used()).toBe(1)
  })

  it('raises again where the outcome is unknown: another replica may have written the same', async () => {
    let isUnknown = true
    const { book, quota, used, writes } = await open(() => {
      if (!isUnknown) return undefined
      isUnknown = false
      return new ApiError('Timeout', 'Timeout: the write may or may not have been applied')
    })
    await raise(book, quota)
    expect([await used(), writes()]).toEqual([1, 2])
  })

  it('has nothing to do for a quota that is gone', async () => {
    const { book, quota, writes } = await open()
    const gone = { ...quota, metadata: { ...quota.metadata, name: 'gone' } }
    await raise(book, gone)
    expect(writes()).toBe(1)
  })

  it('lets a caller leave, and does its part all the same', async () => {
    const { book, quota, used } = await open()
    const leave = new AbortController()
    const waiting = book.update(quota, () => using(7), leave.signal)
    leave.abort()
    await expect(waiting).rejects.toThrow('cancelled')
    await raise(book, quota)
    expect(await used()).toBe(8)
  })
})
