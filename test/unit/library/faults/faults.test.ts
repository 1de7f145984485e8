import { describe, expect, it } from 'vitest'
import type { FaultSpec } from '../../../../src/library/faults/fault-spec.ts'
import { FaultInjector } from '../../../../src/library/faults/faults.ts'
import { SILENT_LOG } from '../../../../src/lib/log.ts'
import { builtInGroups } from '../../../../src/schema/built-in-resources.ts'

function newFaults(): FaultInjector {
  const faults = new FaultInjector(SILENT_LOG)
  faults.know({ groups: builtInGroups, find: () => undefined })
  return faults
}

describe('a fault that could never strike', () => {
  it.each<[object, string]>([
    [{ fault: 'fail', match: { verb: 'upate' }, status: 500 }, 'fail.match.verb must be one of'],
    [{ fault: 'fail', match: { verb: 'upate' }, status: 500 }, 'did you mean update?'],
    [
      { fault: 'fail', match: { resource: 'deployment.apps' }, status: 500 },
      'no resource "deployment.apps"; did you mean deployments.apps?',
    ],
    [{ fault: 'fail', match: { kind: 'Pods' }, status: 500 }, 'the server has no kind "Pods"; did you mean Pod?'],
    [{ fault: 'fail', match: { resource: 'pods', kind: 'Pod' }, status: 500 }, 'not by both'],
    [
      { fault: 'fail', match: { resource: 'pods', subresource: 'stats' }, status: 500 },
      'pods has no subresource "stats"; did you mean status?',
    ],
    [
      { fault: 'fail', match: { resource: 'tokenreviews', verb: 'list' }, status: 500 },
      'tokenreviews has no verb list',
    ],
    [
      { fault: 'fail', match: { resuorce: 'pods' }, status: 500 },
      'fail.match has no member "resuorce"; did you mean resource?',
    ],
    [
      { fault: 'fail', match: { verb: 'get' }, status: 409 },
      'a get is never answered with 409, only create, update, patch, delete',
    ],
    [{ fault: 'fail', match: {}, status: 418 }, 'fail.status must be one of 409, 410, 429, 500, 503, 504, not 418'],
    [{ fault: 'fail', match: {} }, 'fail.status is required'],
    [{ fault: 'fail', match: {}, status: 500, times: 0 }, 'fail.times must be a whole number above 0'],
    [{ fault: 'fail', match: {}, status: 500, retryAfterSeconds: 1 }, 'goes with status 429 or 503'],
    [{ fault: 'fial', match: {}, status: 500 }, 'did you mean fail?'],
    [{ fault: 'delay', match: {}, milliseconds: -1 }, 'delay.milliseconds must be a number that is not negative'],
    [{ fault: 'freezeWatches', match: { resource: 'pod' } }, 'no resource "pod"'],
    [{ fault: 'freezeWatches', match: { verb: 'watch' } }, 'freezeWatches.match has no member "verb"'],
    [{ fault: 'dropEvents', events: 0 }, 'dropEvents.events must be a whole number above 0'],
  ])('is refused: %j', (spec, message) => {
    expect(() => newFaults().inject(spec as FaultSpec)).toThrow(message)
  })
})

describe('a fault', () => {
  it('is there until it is removed, by itself, at the end of its block or with all others', () => {
    const faults = newFaults()
    const ids = () => faults.all().map(({ id }) => id)
    const first = faults.storeOutage()
    {
      using _ = faults.watches().freeze()
      expect(ids()).toEqual(['1', '2'])
    }
    expect(ids()).toEqual(['1'])
    first.remove()
    first.remove()
    expect(ids()).toEqual([])
    faults.staleReplica()
    faults.hold({})
    faults.clear()
    expect([ids(), faults.find('4')]).toEqual([[], undefined])
  })

  it('tells who waits for its hits', async () => {
    const fault = newFaults().inject({ fault: 'storeOutage' })
    const twice = fault.whenHit(2)
    fault.hit()
    await fault.whenHit()
    fault.hit()
    await twice
    const thrice = fault.whenHit(3)
    fault.remove()
    await expect(thrice).rejects.toThrow('the fault was removed after 2 hits: {"fault":"storeOutage"}')
    await expect(fault.whenHit(3)).rejects.toThrow('removed')
    await fault.whenHit(2)
  })
})
