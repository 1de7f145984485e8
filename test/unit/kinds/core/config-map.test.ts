import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, judge, QUALIFIED, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('ConfigMap has these columns', () => expectColumns(' ConfigMap', ['Name : string name', 'Data', 'Age']))

  it.each<CellRow>([
    [' ConfigMap', 'both kinds of data', { data: { k: 'v' }, binaryData: { l: 'dg==' } }, [2]],
    [' ConfigMap', 'no data', {}, [0]],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(named([{ of: 'v1 ConfigMap', given: {}, meant: {} }]))('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 ConfigMap',
      ['a bad key', { data: { 'a b': 'v' } }, 'data[a b]: Invalid value: "a b": a valid config key must consist of…'],
      [
        'a key in both',
        { binaryData: { k: 'dg==' } },
        'data[k]: Invalid value: "k": duplicate of key present in binaryData',
      ],
      ['too much', { data: { k: 'v'.repeat(1_048_577) } }, '[]: Too long: may not be more than 1048576 bytes'],
    ),
    ...changes(
      'v1 ConfigMap',
      [
        'a change of what is fixed',
        { immutable: true },
        { data: { k: 'w' } },
        'data: Forbidden: field is immutable when `immutable` is set',
      ],
      [
        'fixed no more',
        { immutable: true },
        { immutable: false },
        'immutable: Forbidden: field is immutable when `immutable` is set',
      ],
    ),
    ...rows('v1 ConfigMap', [
      'a label that is none',
      { 'metadata/labels': { 'a b': 'v' } },
      `metadata.labels: Invalid value: "a b": ${QUALIFIED}`,
    ]),
  ])('$of: $case', judge)
})
