import { expect, it } from 'vitest'
import { changesBetween } from '../../../../src/console/web/object-changes.ts'

it.each([
  ['a field', { spec: { a: 1 } }, { spec: { a: 2, b: 'x' } }, ['spec.a: 1 → 2', 'spec.b: none → "x"']],
  ['a key with dots', { data: { 'a.b': '1' } }, { data: {} }, [`data['a.b']: "1" → none`]],
  [
    'an item of a list by its type',
    { conditions: [{ type: 'Ready', status: 'False' }, { type: 'Old' }] },
    { conditions: [{ type: 'Ready', status: 'True' }] },
    ['conditions.Ready.status: "False" → "True"', 'conditions.Old: {"type":"Old"} → none'],
  ],
  ['a list without names', { args: ['a'] }, { args: ['a', 'b'] }, ['args: ["a"] → ["a","b"]']],
  [
    'a list whose names repeat',
    { x: [{ name: 'a' }, { name: 'a' }] },
    { x: [] },
    ['x: [{"name":"a"},{"name":"a"}] → []'],
  ],
  ['bookkeeping', { metadata: { resourceVersion: '1' } }, { metadata: { resourceVersion: '2' } }, []],
])('the changes of %s', (_what, before, after, wanted) => expect(changesBetween(before, after)).toEqual(wanted))
