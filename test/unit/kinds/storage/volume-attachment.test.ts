import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, FILLED_SOURCES, named, SOURCES } from '../defaulting.ts'
import { changes, judge, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('storage.k8s.io VolumeAttachment has these columns', () =>
    expectColumns('storage.k8s.io VolumeAttachment', [
      'Name : string name',
      'Attacher : string name',
      'PV',
      'Node',
      'Attached : boolean',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'storage.k8s.io VolumeAttachment',
      'attached',
      { spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'v' } }, status: { attached: true } },
      ['x', 'v', 'n', true],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'storage.k8s.io/v1 VolumeAttachment',
        given: { spec: { source: { inlineVolumeSpec: { ...SOURCES, capacity: { storage: '1u' } } } } },
        meant: { spec: { source: { inlineVolumeSpec: { ...FILLED_SOURCES, capacity: { storage: '1m' } } } } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 VolumeAttachment',
      ['no attacher', { 'spec/attacher': '' }, 'spec.attacher: Required value'],
      [
        'no volume',
        { 'spec/source': {} },
        'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      ],
    ),
    ...changes('storage.k8s.io/v1 VolumeAttachment', [
      'another node',
      {},
      { 'spec/nodeName': 'm' },
      'spec: Invalid value: {"Attacher":"example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ]),
    ...statuses('storage.k8s.io/v1 VolumeAttachment', [
      // The reference tells another limit than it keeps.
      'a long story',
      {},
      { 'status/attachError': { message: 'x'.repeat(1025) } },
      'status.attachError.message: Too long: may not be more than 1024 bytes',
    ]),
  ])('$of: $case', judge)
})
