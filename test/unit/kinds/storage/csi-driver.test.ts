import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('storage.k8s.io CSIDriver has these columns', () =>
    expectColumns('storage.k8s.io CSIDriver', [
      'Name : string name',
      'AttachRequired : boolean',
      'PodInfoOnMount : boolean',
      'StorageCapacity : boolean',
      'TokenRequests',
      'RequiresRepublish : boolean',
      'Modes',
      'Age',
    ]))

  it.each<CellRow>([
    ['storage.k8s.io CSIDriver', 'by default', { spec: {} }, [true, false, false, '<unset>', false, '<none>']],
    [
      'storage.k8s.io CSIDriver',
      'all said',
      {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          tokenRequests: [{ audience: 'x' }, { audience: 'y' }],
          requiresRepublish: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        },
      },
      [false, true, true, 'x,y', true, 'Persistent,Ephemeral'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'storage.k8s.io/v1 CSIDriver',
        given: {},
        meant: {
          spec: {
            attachRequired: true,
            podInfoOnMount: false,
            storageCapacity: false,
            fsGroupPolicy: 'ReadWriteOnceWithFSType',
            volumeLifecycleModes: ['Persistent'],
            requiresRepublish: false,
            seLinuxMount: false,
          },
        },
      },
      {
        of: 'storage.k8s.io/v1 CSIDriver',
        as: 'under its gate',
        gates: ['VolumeLimitScaling'],
        given: { spec: { attachRequired: false } },
        meant: {
          spec: {
            attachRequired: false,
            podInfoOnMount: false,
            storageCapacity: false,
            fsGroupPolicy: 'ReadWriteOnceWithFSType',
            volumeLifecycleModes: ['Persistent'],
            requiresRepublish: false,
            seLinuxMount: false,
            preventPodSchedulingIfMissing: false,
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 CSIDriver',
      [
        'an unknown policy',
        { 'spec/fsGroupPolicy': 'Odd' },
        'spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      ],
      [
        'a token for too short a time',
        { 'spec/tokenRequests': [{ audience: 'a', expirationSeconds: 1 }] },
        'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      ],
      [
        'an audience twice',
        { 'spec/tokenRequests': [{ audience: 'a' }, { audience: 'a' }] },
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
      ],
    ),
    ...changes('storage.k8s.io/v1 CSIDriver', [
      'another way to attach',
      {},
      { 'spec/attachRequired': false },
      `spec.attachedRequired: Invalid value: false: ${IMMUTABLE}`,
    ]),
    ...rows('storage.k8s.io/v1 CSIDriver', [
      'tokens in secrets, and no tokens',
      { 'spec/serviceAccountTokenInSecrets': true },
      'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'tokens for a driver',
      at: ['csidrivers', 'storage.k8s.io'],
      object: { metadata: { name: 'd' }, spec: { tokenRequests: [{ audience: 'a' }] } },
      warnings: [
        'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
      ],
    },
  ])('$name', expectWarnings)
})
