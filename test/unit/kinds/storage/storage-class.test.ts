import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, judge, QUALIFIED, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('storage.k8s.io StorageClass has these columns', () =>
    expectColumns('storage.k8s.io StorageClass', [
      'Name : string name',
      'Provisioner',
      'ReclaimPolicy',
      'VolumeBindingMode',
      'AllowVolumeExpansion',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'storage.k8s.io StorageClass',
      'the default one, alone',
      {
        metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'p',
        allowVolumeExpansion: true,
      },
      ['p', 'Delete', 'Immediate', true],
    ],
    [
      'storage.k8s.io StorageClass',
      'another',
      { provisioner: 'p', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' },
      ['p', 'Retain', 'WaitForFirstConsumer', false],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'storage.k8s.io/v1 StorageClass',
        given: {},
        meant: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation (W-056, W-623, P-380)', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 StorageClass',
      ['no provisioner', { provisioner: '' }, 'provisioner: Required value'],
      [
        'an unknown end',
        { reclaimPolicy: 'Odd' },
        'reclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Retain"',
      ],
      [
        'an unknown moment',
        { volumeBindingMode: 'Odd' },
        'volumeBindingMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    ),
    ...changes(
      'storage.k8s.io/v1 StorageClass',
      ['other parameters', {}, { parameters: { a: 'b' } }, 'parameters: Invalid value: {"a":"b"}: field is immutable'],
      ['another end', {}, { reclaimPolicy: 'Retain' }, 'reclaimPolicy: Invalid value: "Retain": field is immutable'],
      ['another maker', {}, { provisioner: 'x.y' }, 'provisioner: Invalid value: "x.y": field is immutable'],
    ),
    ...rows('storage.k8s.io/v1 StorageClass', [
      'a bad provisioner',
      { provisioner: 'a b' },
      `provisioner: Invalid value: "a b": ${QUALIFIED}`,
    ]),
    ...rows('storage.k8s.io/v1 StorageClass', [
      'a topology that says nothing',
      { allowedTopologies: [{}] },
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'old labels of nodes in a class of storage',
      at: ['storageclasses', 'storage.k8s.io'],
      object: { allowedTopologies: [{ matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone' }] }] },
      warnings: [
        'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      ],
    },
  ])('$name', expectWarnings)
})
