import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { changes, judge, type Row, rows, SUBDOMAIN } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('PersistentVolumeClaim has these columns', () =>
    expectColumns(' PersistentVolumeClaim', [
      'Name : string name',
      'Status',
      'Volume',
      'Capacity',
      'Access Modes',
      'StorageClass',
      'VolumeAttributesClass',
      'Age',
      '|VolumeMode',
    ]))

  it.each<CellRow>([
    [
      ' PersistentVolumeClaim',
      'bound',
      {
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
        spec: { volumeName: 'v', storageClassName: 'fast', volumeAttributesClassName: 'gold', volumeMode: 'Block' },
        status: { phase: 'Bound', accessModes: ['ReadOnlyMany', 'ReadWriteOncePod'], capacity: { storage: '1Gi' } },
      },
      ['Bound', 'v', '1Gi', 'ROX,RWOP', 'old', 'gold', 'Block'],
    ],
    [
      ' PersistentVolumeClaim',
      'pending',
      { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
      ['Pending', '', '', '', 'fast', '<unset>', '<unset>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 PersistentVolumeClaim',
        given: { spec: { resources: { limits: { storage: '1u' } } }, status: { capacity: { storage: '1u' } } },
        meant: {
          spec: { volumeMode: 'Filesystem', resources: { limits: { storage: '1m' } } },
          status: { phase: 'Pending', capacity: { storage: '1m' } },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'claims are pending, and name their source both ways',
      at: ['persistentvolumeclaims'],
      object: {
        metadata: { name: 'c' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
        },
      },
      expected: {
        spec: { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'other' } },
        status: { phase: 'Pending' },
      },
    },
  ])('$name', expectState)
})

describe('validation (W-576)', () => {
  it.each<Row>([
    ...rows(
      'v1 PersistentVolumeClaim',
      [
        'no way to use it',
        { 'spec/accessModes': [] },
        'spec.accessModes: Required value: at least 1 access mode is required',
      ],
      ['no size', { 'spec/resources': {} }, 'spec.resources[storage]: Required value'],
      [
        'no bytes',
        { 'spec/resources/requests/storage': '0' },
        'spec.resources[storage]: Invalid value: "0": must be greater than zero',
      ],
      [
        'a bad name of a class',
        { 'spec/storageClassName': 'A b' },
        `spec.storageClassName: Invalid value: "A b": ${SUBDOMAIN}`,
      ],
    ),
    ...changes('v1 PersistentVolumeClaim', [
      'other ways to use it',
      {},
      { 'spec/accessModes': ['ReadWriteMany'] },
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
    ]),
    ...changes('v1 PersistentVolumeClaim', [
      'no size any more',
      {},
      { 'spec/resources': {} },
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'parts of bytes in a claim',
      at: ['persistentvolumeclaims'],
      object: {
        metadata: { name: 'c' },
        spec: { resources: { requests: { storage: '200m' }, limits: { storage: '100m' } } },
      },
      warnings: [
        'spec.resources.requests[storage]: fractional byte value "200m" is invalid, must be an integer',
        'spec.resources.limits[storage]: fractional byte value "100m" is invalid, must be an integer',
      ],
    },
  ])('$name', expectWarnings)
})
