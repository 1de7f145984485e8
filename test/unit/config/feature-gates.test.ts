// Which feature gates are on, and how a setting changes that.
import { describe, expect, test } from 'vitest'
import { API_LEVELS } from '../../../src/api/level.ts'
import { gateStates, parseFeatureGates } from '../../../src/config/feature-gates.ts'
import { ENABLED_GATES } from '../schema/gates.ts'

describe('feature gates (P-471)', () => {
  test('the gates that the rules of kinds ask for stand as they do in the reference', () => {
    const gates = parseFeatureGates('', 'test')
    for (const name of ENABLED_GATES) expect([name, gates[name]]).toEqual([name, true])
    expect(gates['EmptyDirVolumeMode']).toBe(false)
  })

  test('a gate of a kind can be switched', () => {
    const gates = parseFeatureGates('EmptyDirVolumeMode=true,HPAScaleToZero=false', 'test')
    expect(gates['EmptyDirVolumeMode']).toBe(true)
    expect(gates['HPAScaleToZero']).toBe(false)
  })

  test('all gates of a stage can be switched at once, beside those that are named', () => {
    const gates = parseFeatureGates('AllAlpha=true,EmptyDirVolumeMode=false', 'test')
    expect(gates.CBORServingAndStorage).toBe(true)
    expect(gates['EmptyDirVolumeMode']).toBe(false)
  })

  test('AllowUnsafeMalformedObjectDeletion is off at every level (D34)', () => {
    for (const level of API_LEVELS)
      expect(parseFeatureGates('', 'test', level)['AllowUnsafeMalformedObjectDeletion']).toBe(false)
  })

  test('a gate is known once at each level', () => {
    for (const level of API_LEVELS) {
      const names = gateStates(parseFeatureGates('', 'test', level), level).map(({ name }) => name)
      expect(names).toEqual([...new Set(names)])
    }
  })

  test('a gate that is locked, or that nobody knows, is refused', () => {
    expect(() => parseFeatureGates('WatchLists=true', 'test')).toThrow('did you mean WatchList?')
    expect(() => parseFeatureGates('HostnameOverride=false', 'test')).toThrow('is locked to true')
  })

  test('a gate that is gone is known at the levels that had it', () => {
    const setting = 'ConsistentListFromCache=true'
    expect(parseFeatureGates(setting, 'test', '1.36')['ConsistentListFromCache']).toBe(true)
    expect(() => parseFeatureGates(setting, 'test', '1.37')).toThrow('unknown feature gate')
  })
})
