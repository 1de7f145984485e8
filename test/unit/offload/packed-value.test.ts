import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseJsonText } from '../../../src/api/json-text.ts'
import type { Value } from '../../../src/api/value.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { pack, unpack } from '../../../src/offload/packed-value.ts'
import { lengthened } from '../../fakes/lengthened.ts'

const turns = new Turns()

async function arrived(value: Value): Promise<Value> {
  return unpack(structuredClone(pack(value)), turns)
}

it('comes out as it went in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (text) => {
      const value = parseJsonText(text)
      expect(await arrived(value)).toEqual(value)
    }),
  )
})

it('keeps long lists and maps, and the order of what is in them', async () => {
  const map = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${20_000 - i}`, { list: [i, 'text'] }]))
  const value = { short: true, map, list: Array.from({ length: 20_000 }, (_, i) => `item ${i}`), last: null }
  const result = (await arrived(value)) as typeof value
  expect(result).toEqual(value)
  expect(Object.keys(result)).toEqual(Object.keys(value))
  expect(Object.keys(result.map)).toEqual(Object.keys(map))
})

it.each<[string, Value]>([
  ['integers beyond 2^53', { a: 1234567890123456789n, b: [-9007199254740993n] }],
  ['zero with a sign', [-0, { a: -0 }]],
  ['names that objects inherit', JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Value],
  ['texts that are not plain', ['\u2028 <&> \ud800 "\\ \0', '1234567890123456']],
])('keeps %s', async (_name, value) => {
  expect(await arrived(value)).toStrictEqual(value)
  const long = lengthened(value)
  expect(await arrived(long)).toStrictEqual(long)
})

it('is put together in turns', async () => {
  const packed = pack(Array.from({ length: 200_000 }, (_, i) => ({ name: `item ${i}` })))
  let others = 0
  const count = (): void => {
    others += 1
    handle = setImmediate(count)
  }
  let handle = setImmediate(count)
  await unpack(packed, turns)
  clearImmediate(handle)
  expect(others).toBeGreaterThan(2)
})
