import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TurnoverMap } from '../../../src/lib/turnover-map.ts'

interface Value {
  readonly number: number
}

describe('a map for what comes and goes', () => {
  it('has what a map has, in its order', () => {
    const step = fc.record({ key: fc.nat(40), isSet: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const map = new TurnoverMap<number, Value>()
        const expected = new Map<number, Value>()
        for (const [number, { key, isSet }] of steps.entries()) {
          if (isSet) {
            map.set(key, { number })
            expected.set(key, { number })
          } else expect(map.delete(key)).toBe(expected.delete(key))
          expect([map.size, map.has(key), map.get(key)]).toEqual([expected.size, expected.has(key), expected.get(key)])
        }
        expect([...map.entries()]).toEqual([...expected])
        expect([...map.values()]).toEqual([...expected.values()])
      }),
    )
  })

  it('may lose entries while they are gone through', () => {
    const map = new TurnoverMap<number, Value>()
    for (let number = 0; number < 50; number++) map.set(number, { number })
    const seen: number[] = []
    for (const [key, { number }] of map.entries()) {
      seen.push(number)
      map.delete(key)
      map.delete(key + 1)
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => 2 * i))
    expect(map.size).toBe(0)
  })

  it('is empty when it was cleared', () => {
    const map = new TurnoverMap<number, Value>()
    for (let number = 0; number < 50; number++) map.set(number, { number })
    map.clear()
    expect([map.size, map.has(49), [...map.values()]]).toEqual([0, false, []])
  })
})

/** Prints how many kilobytes of what came and went are in the old generation. The map is there from the start, as those of a server are. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { TurnoverMap } from '${new URL('../../../src/lib/turnover-map.ts', import.meta.url).href}'
  const map = process.argv[1] === 'plain' ? new Map() : new TurnoverMap()
  for (let i = 0; i < 4; i++) map.set(-i, {})
  gc()
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size
  const before = oldBytes()
  for (let i = 0; i < 8_000; i++) {
    map.set(i, { body: new Array(100).fill(i) })
    map.delete(i - 8)
  }
  for (let i = 0; i < 2; i++) gc({ type: 'minor' })
  console.log((oldBytes() - before) / 1024)`

function keptAlive(by: 'plain' | 'turnover'): number {
  const flags = ['--expose-gc', '--max-semi-space-size=1', '--input-type=module']
  return Number(execFileSync(process.execPath, [...flags, '-e', PROGRAM, by], { encoding: 'utf8' }))
}

// Fails where V8 has come to do without it.
it('a plain map keeps alive what is gone', () => {
  expect(keptAlive('plain')).toBeGreaterThan(4_000)
})

it('a map for what comes and goes does not', () => {
  expect(keptAlive('turnover')).toBeLessThan(500)
})
