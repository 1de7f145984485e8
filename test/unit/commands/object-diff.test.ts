import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../../src/commands/object-diff.ts'

const changes = (before: object, after: object): string[] =>
  changesBetween(before as never, after as never).map(
    ({ field, before: old, after: now }) => `${field} ${JSON.stringify(old)} ${JSON.stringify(now)}`,
  )

describe('what is different between two versions', () => {
  it.each<[string, object, object, string[]]>([
    ['nothing', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['.a.b 1 2']],
    ['what came and went', { a: 1 }, { b: { c: 1 } }, ['.a 1 undefined', '.b undefined {"c":1}']],
    ['a name with dots', { a: { 'x.y/z': 1 } }, { a: { 'x.y/z': 2 } }, ['.a["x.y/z"] 1 2']],
    [
      'a named item',
      {
        l: [
          { name: 'a', v: 1 },
          { name: 'b', v: 1 },
        ],
      },
      { l: [{ name: 'b', v: 2 }] },
      ['.l[name=a] {"name":"a","v":1} undefined', '.l[name=b].v 1 2'],
    ],
    [
      'the order of named items',
      { l: [{ name: 'a' }, { name: 'b' }] },
      { l: [{ name: 'b' }, { name: 'a' }] },
      ['.l [{"name":"a"},{"name":"b"}] [{"name":"b"},{"name":"a"}]'],
    ],
    ['an item', { l: [1, 2] }, { l: [1, 3, 4] }, ['.l[1] 2 3', '.l[2] undefined 4']],
    ['another type', { a: [1] }, { a: { b: 1 } }, ['.a [1] {"b":1}']],
  ])('%s', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })
})
