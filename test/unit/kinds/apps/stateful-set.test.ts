import { describe, expect, it, test } from 'vitest'
import { openWorld } from '../../../rigs/api-world.ts'
import { sets } from './sets.ts'
import { type CellRow, expectCells, expectColumns, template } from '../columns.ts'
import { expectDefaults, named, TEMPLATE } from '../defaulting.ts'
import { changes, judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'
import { deployment, expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('apps StatefulSet has these columns', () =>
    expectColumns('apps StatefulSet', ['Name : string name', 'Ready', 'Age', '|Containers', '|Images']))

  it.each<CellRow>([
    ['apps StatefulSet', 'none ready', { spec: { replicas: 2, template }, status: {} }, ['0/2', 'c,d', 'i:1,j']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'apps/v1 StatefulSet',
        given: {
          spec: {
            volumeClaimTemplates: [
              {
                spec: { resources: { limits: { storage: '1u' }, requests: { storage: '2' } } },
                status: { capacity: { storage: '1u' }, allocatedResources: { storage: '1u' } },
              },
            ],
          },
        },
        meant: {
          spec: {
            template: TEMPLATE,
            podManagementPolicy: 'OrderedReady',
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            replicas: 1,
            revisionHistoryLimit: 10,
            volumeClaimTemplates: [
              {
                apiVersion: 'v1',
                kind: 'PersistentVolumeClaim',
                spec: {
                  volumeMode: 'Filesystem',
                  resources: { limits: { storage: '1m' }, requests: { storage: '2' } },
                },
                status: { phase: 'Pending', capacity: { storage: '1m' }, allocatedResources: { storage: '1m' } },
              },
            ],
          },
        },
      },
      {
        of: 'apps/v1 StatefulSet',
        as: 'with a chosen strategy',
        given: { spec: { updateStrategy: { type: 'RollingUpdate' } } },
        meant: {
          spec: {
            template: TEMPLATE,
            podManagementPolicy: 'OrderedReady',
            updateStrategy: { type: 'RollingUpdate' },
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            replicas: 1,
            revisionHistoryLimit: 10,
          },
        },
      },
      {
        of: 'apps/v1 StatefulSet',
        as: 'under its gate',
        gates: ['MaxUnavailableStatefulSet'],
        given: { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
        meant: {
          spec: {
            template: TEMPLATE,
            podManagementPolicy: 'OrderedReady',
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2, maxUnavailable: 1 } },
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            replicas: 1,
            revisionHistoryLimit: 10,
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...sets('StatefulSet'),
    ...rows(
      'apps/v1 StatefulSet',
      [
        'an unknown order',
        { 'spec/podManagementPolicy': 'Odd' },
        "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'",
      ],
      [
        'a first number below none',
        { 'spec/ordinals': { start: -1 } },
        `spec.ordinals.start: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
    ),
    ...changes('apps/v1 StatefulSet', [
      'another service',
      {},
      { 'spec/serviceName': 't' },
      'spec.serviceName: Invalid value: "t": field is immutable',
    ]),
    ...rows('apps/v1 StatefulSet', [
      'an unknown strategy',
      { 'spec/updateStrategy': { type: 'x', rollingUpdate: { partition: 1 } } },
      'spec.updateStrategy: Invalid value: {"Type":"x","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
    ]),
    ...rows('apps/v1 StatefulSet', [
      'labels of the template',
      { 'spec/template/metadata/labels/b': 'Bad!' },
      'spec.template.labels: Invalid value: "Bad!": a valid label must be an empty string or…',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'a template that ends in less than no time',
      at: ['statefulsets', 'apps'],
      object: deployment({ terminationGracePeriodSeconds: -1 }),
      warnings: [
        'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
      ],
    },
  ])('$name', expectWarnings)
})

const POD_TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

test('what belongs to a feature that is off is dropped on create, and nothing else is', async () => {
  const world = await openWorld({ flags: ['--feature-gates=MaxUnavailableStatefulSet=false'] })
  const rollingUpdate = { partition: 1, maxUnavailable: 2 }
  const spec = {
    selector: { matchLabels: { app: 'x' } },
    template: POD_TEMPLATE,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
  }
  const set = await world.create(world.resource('statefulsets', 'apps'), { metadata: { name: 's' }, spec })
  expect(set['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 1 } } })
  expect(JSON.stringify(set['spec'])).not.toContain('maxUnavailable')
})

test('the strategy Recreate needs its gate', async () => {
  const gate = 'StatefulSetRecreateStrategy'
  const sent = (type: string, more: object = {}) => ({
    metadata: { name: 's' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: POD_TEMPLATE,
      updateStrategy: { type, ...more },
    },
  })
  const path = '/apis/apps/v1/namespaces/ns/statefulsets'
  const off = await openWorld({ flags: ['--emulated-version=1.37'] })
  const on = await openWorld({ flags: ['--emulated-version=1.37'], gates: [gate] })
  const told = async (world: typeof on, body: object): Promise<unknown> => {
    const { status, body: answer } = await world.send({ method: 'POST', path: `${path}?dryRun=All`, body })
    return [status, (answer as { message?: string }).message]
  }
  expect(await told(off, sent('Recreate'))).toEqual([
    422,
    expect.stringContaining("must be 'RollingUpdate' or 'OnDelete'"),
  ])
  expect(await told(on, sent('Recreate'))).toEqual([201, undefined])
  const allowed = "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
  expect(await told(on, sent('x'))).toEqual([422, expect.stringContaining(allowed)])
  const rolling = { rollingUpdate: { partition: 1 } }
  const only = "only allowed for updateStrategy 'RollingUpdate'"
  expect(await told(on, sent('Recreate', rolling))).toEqual([422, expect.stringContaining(only)])
})
