import { describe, expect, it, test } from 'vitest'
import { openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns, template } from '../columns.ts'
import { expectDefaults, LABELS, named, TEMPLATE } from '../defaulting.ts'
import { changes, judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('ReplicationController has these columns', () =>
    expectColumns(' ReplicationController', [
      'Name : string name',
      'Desired : integer',
      'Current : integer',
      'Ready : integer',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      ' ReplicationController',
      'scaled',
      { spec: { replicas: 3, selector: { app: 'x' }, template }, status: { replicas: 2, readyReplicas: 1 } },
      [3, 2, 1, 'c,d', 'i:1,j', 'app=x'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 ReplicationController',
        given: { spec: { template: LABELS } },
        meant: {
          metadata: { labels: { a: 'b' } },
          spec: { replicas: 1, selector: { a: 'b' }, template: { ...LABELS, ...TEMPLATE } },
        },
      },
      { of: 'v1 ReplicationController', as: 'without a template', given: {}, meant: { spec: { replicas: 1 } } },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 ReplicationController',
      ['fewer than none', { 'spec/replicas': -1 }, `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`],
      ['no template', { 'spec/template': undefined }, 'spec.template: Required value'],
      [
        'a selector that takes others',
        { 'spec/selector': { app: 'b' } },
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ),
    ...changes('v1 ReplicationController', [
      'a fault is told once',
      {},
      { 'spec/replicas': -1 },
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]),
  ])('$of: $case', judge)
})

const POD_TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

test('a replication controller that loses its labels bears those of its template', async () => {
  const world = await openWorld()
  const controllers = world.resource('replicationcontrollers')
  const spec = { selector: { app: 'x' }, template: POD_TEMPLATE }
  await world.create(controllers, { metadata: { name: 'r', labels: { mine: 'yes' } }, spec })
  const bare = await world.update(controllers, 'r', (live) => ({ ...live, metadata: { name: 'r' } }), {
    subresource: 'status',
  })
  expect(bare.metadata['labels']).toEqual({ app: 'x' })
})
