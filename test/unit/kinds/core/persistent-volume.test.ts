import { describe, expect, it, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { NOW, openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns, HOUR_AGO } from '../columns.ts'
import { expectDefaults, FILLED_SOURCES, named, SOURCES } from '../defaulting.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { changes, judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('PersistentVolume has these columns', () =>
    expectColumns(' PersistentVolume', [
      'Name : string name',
      'Capacity',
      'Access Modes',
      'Reclaim Policy',
      'Status',
      'Claim',
      'StorageClass',
      'VolumeAttributesClass',
      'Reason',
      'Age',
      '|VolumeMode',
    ]))

  it.each<CellRow>([
    [
      ' PersistentVolume',
      'bound',
      {
        spec: {
          capacity: { storage: '5Gi' },
          accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { namespace: 'n', name: 'c' },
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
        },
        status: { phase: 'Bound', reason: 'why' },
      },
      ['5Gi', 'RWO,RWX', 'Retain', 'Bound', 'n/c', 'fast', '<unset>', 'why', 'Filesystem'],
    ],
    [
      ' PersistentVolume',
      'going',
      { metadata: { deletionTimestamp: HOUR_AGO }, spec: {} },
      ['0', '', '', 'Terminating', '', '', '<unset>', '', '<unset>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 PersistentVolume',
        given: { spec: { ...SOURCES, capacity: { storage: '1u' } } },
        meant: {
          spec: {
            ...FILLED_SOURCES,
            capacity: { storage: '1m' },
            persistentVolumeReclaimPolicy: 'Retain',
            volumeMode: 'Filesystem',
          },
          status: { phase: 'Pending' },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'volumes are pending since now',
      at: ['persistentvolumes'],
      object: {
        metadata: { name: 'v' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
      expected: { status: { phase: 'Pending', lastPhaseTransitionTime: NOW } },
    },
  ])('$name', expectState)
})

describe('validation (W-576)', () => {
  it.each<Row>([
    ...rows(
      'v1 PersistentVolume',
      ['no way to use it', { 'spec/accessModes': [] }, 'spec.accessModes: Required value'],
      [
        'options where nothing is mounted with any',
        {
          'metadata/annotations': { 'volume.beta.kubernetes.io/mount-options': 'hard' },
          'spec/nfs': undefined,
          'spec/hostPath': { path: '/a' },
        },
        'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
      ],
      [
        'options for what is mounted',
        { 'metadata/annotations': { 'volume.beta.kubernetes.io/mount-options': 'hard' } },
      ],
      [
        'an unknown way to use it',
        { 'spec/accessModes': ['Odd'] },
        'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
      [
        'no size',
        { 'spec/capacity': undefined },
        'spec.capacity: Required value',
        'spec.capacity: Unsupported value: null: supported values: "storage"',
      ],
      ['no source', { 'spec/nfs': undefined }, 'spec: Required value: must specify a volume type'],
      [
        'a place without nodes',
        { 'spec/nfs': undefined, 'spec/local': { path: '/p' } },
        'spec.nodeAffinity: Required value: Local volume requires node affinity',
      ],
    ),
    ...changes('v1 PersistentVolume', [
      'another server',
      {},
      { 'spec/nfs/server': 't' },
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation…',
    ]),
    ...rows(
      'v1 PersistentVolume',
      ['a driver beside another source', { 'spec/flexVolume': { driver: 'a/b' } }],
      [
        'a local volume beside another source',
        { 'spec/local': { path: '/a' } },
        'spec.local: Forbidden: may not specify more than 1 volume type',
      ],
    ),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  const volume = (spec: object, annotations: object = {}): object => ({ metadata: { name: 'v', annotations }, spec })
  it.each<WarningRow>([
    {
      name: 'half a byte, which volumes may have, a way to reclaim and an annotation that are gone',
      at: ['persistentvolumes'],
      object: volume(
        { capacity: { storage: '500m' }, persistentVolumeReclaimPolicy: 'Recycle' },
        { 'volume.beta.kubernetes.io/storage-class': 'x' },
      ),
      warnings: [
        'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
        'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      ],
    },
  ])('$name', expectWarnings)
})

test('a volume that changes its phase says when, unless it is told (W-575)', async () => {
  const world = await openWorld()
  const volumes = world.resource('persistentvolumes')
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } }
  await world.create(volumes, { metadata: { name: 'v' }, spec })
  const [later, told] = ['2030-01-02T03:05:05Z', '2032-01-01T00:00:00Z']
  const status = (given: object): Promise<ApiObject> =>
    world.update(volumes, 'v', (live) => ({ ...live, status: given }), { subresource: 'status' })
  await world.clock.advance('1m')
  expect((await status({ phase: 'Available' }))['status']).toMatchObject({ lastPhaseTransitionTime: later })
  const both = { phase: 'Bound', lastPhaseTransitionTime: told }
  expect((await status(both))['status']).toMatchObject(both)
})
