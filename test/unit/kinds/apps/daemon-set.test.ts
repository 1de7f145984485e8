import { describe, expect, it, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { openWorld } from '../../../rigs/api-world.ts'
import { sets } from './sets.ts'
import { type CellRow, expectCells, expectColumns, template } from '../columns.ts'
import { expectDefaults, named, TEMPLATE } from '../defaulting.ts'
import { changes, judge, NOT_NEGATIVE, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('apps DaemonSet has these columns', () =>
    expectColumns('apps DaemonSet', [
      'Name : string name',
      'Desired : integer',
      'Current : integer',
      'Ready : integer',
      'Up-to-date : integer',
      'Available : integer',
      'Node Selector',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      'apps DaemonSet',
      'on some nodes',
      {
        spec: { selector: {}, template: { spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } },
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      },
      [5, 4, 3, 2, 1, 'disk=ssd', 'c,d', 'i:1,j', '<none>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  /** A daemon set that does not count its templates yet. */
  const UNCOUNTED = { annotations: { 'deprecated.daemonset.template.generation': '0' } }
  it.each(
    named([
      {
        of: 'apps/v1 DaemonSet',
        given: {},
        meant: {
          metadata: UNCOUNTED,
          spec: {
            template: TEMPLATE,
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
            revisionHistoryLimit: 10,
          },
        },
      },
      {
        of: 'apps/v1 DaemonSet',
        as: 'updated by deletion',
        given: { spec: { updateStrategy: { type: 'OnDelete' } } },
        meant: {
          metadata: UNCOUNTED,
          spec: { template: TEMPLATE, updateStrategy: { type: 'OnDelete' }, revisionHistoryLimit: 10 },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...sets('DaemonSet'),
    ...rows('apps/v1 DaemonSet', [
      'no room to roll',
      { 'spec/updateStrategy': { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ]),
    ...statuses('apps/v1 DaemonSet', [
      'fewer than none',
      {},
      { 'status/numberReady': -1 },
      `status.numberReady: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]),
    ...rows('apps/v1 DaemonSet', [
      'an unknown strategy',
      { 'spec/updateStrategy': { type: 'x', rollingUpdate: { maxUnavailable: 1 } } },
      'spec.updateStrategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":1,"MaxSurge":0}}: supported values: "RollingUpdate", "OnDelete"',
    ]),
    ...changes('apps/v1 DaemonSet', [
      'a fault is told once',
      {},
      { 'spec/minReadySeconds': -1 },
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ]),
  ])('$of: $case', judge)
})

const POD_TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const GENERATION = 'deprecated.daemonset.template.generation'
const annotation = (object: ApiObject): unknown =>
  (object.metadata['annotations'] as Record<string, string> | undefined)?.[GENERATION]

describe('daemon sets', () => {
  test('count the versions of their template, whatever clients write there (W-135)', async () => {
    const world = await openWorld()
    const sets = world.resource('daemonsets', 'apps')
    const spec = { selector: { matchLabels: { app: 'x' } }, template: POD_TEMPLATE }
    expect(annotation(await world.create(sets, { metadata: { name: 'd' }, spec }))).toBe('1')
    const other = { ...POD_TEMPLATE, spec: { containers: [{ name: 'c', image: 'j' }] } }
    const metadata = { name: 'd', annotations: { [GENERATION]: '9' } }
    const changed = await world.update(sets, 'd', () => ({ metadata, spec: { ...spec, template: other } }))
    expect(annotation(changed)).toBe('2')
    expect(annotation(await world.update(sets, 'd', (live) => ({ ...live, metadata })))).toBe('2')
    const status = { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
    const reported = await world.update(sets, 'd', (live) => ({ ...live, metadata, status }), { subresource: 'status' })
    expect(annotation(reported)).toBe('2')
  })
})
