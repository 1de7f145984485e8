import { describe, expect, it } from 'vitest'
import { matchesShard, parseShardSelector, type ShardSelector } from '../../../src/api/shard-selector.ts'

const LOW = "'0x0000000000000000'"
const HALF = "'0x8000000000000000'"
const HIGH = "'0x10000000000000000'"
const FIRST = `shardRange(object.metadata.uid, ${LOW}, ${HALF})`
const SECOND = `shardRange(object.metadata.uid, ${HALF}, ${HIGH})`

const parsed = (text: string): ShardSelector => {
  const found = parseShardSelector(text)
  if (found === undefined) throw new Error('there is no selector')
  return found
}

describe('a shard selector (R-116)', () => {
  it.each([
    ['one range', FIRST, FIRST],
    ['two ranges', `${FIRST} || ${SECOND}`, `${FIRST} || ${SECOND}`],
    ['no blanks, double quotes', `shardRange(object.metadata.uid,"0x0000000000000000",${HALF})`, FIRST],
    ['parentheses and blanks', ` ( (${FIRST}) ||\n${SECOND} ) `, `${FIRST} || ${SECOND}`],
    ['a comment', `${FIRST} // the lower half`, FIRST],
    ['blanks in the path', FIRST.replace('object.metadata', 'object . metadata'), FIRST],
    ['namespaces', FIRST.replace('uid', 'namespace'), FIRST.replace('uid', 'namespace')],
  ])('is told in one form: %s', (_, text, told) => {
    expect(parsed(text).text).toBe(told)
  })

  it('is absent where the parameter is empty', () => {
    expect(parseShardSelector('')).toBeUndefined()
  })

  it('selects by FNV-1a of 64 bits: from the start, up to but not with the end', () => {
    // The hash of "a" is published with the algorithm.
    const range = (start: string, end: string): ShardSelector =>
      parsed(`shardRange(object.metadata.uid, '0x${start}', '0x${end}')`)
    expect(matchesShard(range('af63dc4c8601ec8c', 'af63dc4c8601ec8d'), 'a')).toBe(true)
    expect(matchesShard(range('af63dc4c8601ec8b', 'af63dc4c8601ec8c'), 'a')).toBe(false)
    expect(matchesShard(range('cbf29ce484222325', 'cbf29ce484222326'), '')).toBe(true)
    expect(matchesShard(range('85944171f73967e8', '85944171f73967e9'), 'foobar')).toBe(true)
  })

  it('has every value in one of two halves, and in both together', () => {
    const both = parsed(`${SECOND} || ${FIRST}`)
    for (let i = 0; i < 200; i++) {
      const value = `9d3c5a0e-${i}`
      expect(matchesShard(parsed(FIRST), value)).toBe(!matchesShard(parsed(SECOND), value))
      expect(matchesShard(both, value)).toBe(true)
    }
  })

  it.each([
    ['  ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    ['// nothing', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    ['x', 'expected (, found the end'],
    ['x()', 'unsupported function "x"; only shardRange() and || are allowed'],
    ["'x'", 'expected a shardRange() call, found "x"'],
    ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
    [`shardRange(object.metadata.uid, ${LOW})`, 'shardRange() requires exactly 3 arguments, got 2'],
    [`shardRange(object.metadata.uid, ${LOW}, ${HALF}, ${HIGH})`, 'shardRange() requires exactly 3 arguments, got 4'],
    [
      `shardRange('object.metadata.uid', ${LOW}, ${HALF})`,
      'shardRange() first argument: expected field path (e.g. object.metadata.uid)',
    ],
    [
      `shardRange(metadata.uid, ${LOW}, ${HALF})`,
      'unsupported field path "metadata.uid"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [`shardRange(object.metadata.uid, object, ${HALF})`, "hexStart must be a string literal (e.g. '0xff')"],
    [`shardRange(object.metadata.uid, '0', ${HALF})`, `hexStart must have '0x' prefix, got "0"`],
    [
      `shardRange(object.metadata.uid, '0x0', ${HALF})`,
      'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
    ],
    [
      `shardRange(object.metadata.uid, ${LOW}, '0x800000000000000A')`,
      'hexEnd must be a 0x-prefixed 16-digit hex value, got "0x800000000000000A"',
    ],
    [
      `shardRange(object.metadata.uid, ${LOW}, '0x10000000000000001')`,
      'hexEnd must be a 0x-prefixed 16-digit hex value, got "0x10000000000000001"',
    ],
    [
      `shardRange(object.metadata.uid, ${HALF}, ${HALF})`,
      'shard range start 0x8000000000000000 must be less than end 0x8000000000000000',
    ],
    [
      `${FIRST} || ${SECOND.replace('uid', 'namespace')}`,
      'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
    ],
    [`${FIRST} && ${SECOND}`, `unexpected "&& shardRange(object"`],
    [`${FIRST} ||`, 'expected a shardRange() call, found the end'],
    [`(${FIRST}`, 'expected ), found the end'],
    [`${FIRST})`, 'expected || or the end, found ")"'],
    [`${FIRST} ${SECOND}`, 'expected || or the end, found "shardRange"'],
  ])('is refused: %s', (text, message) => {
    expect(() => parseShardSelector(text)).toThrow(`invalid shard selector: ${message}`)
  })

  it('is refused where it is longer than any that is of use', () => {
    expect(() => parseShardSelector(' '.repeat(10_001))).toThrow('it has 10001 characters, 10000 are allowed')
  })
})
