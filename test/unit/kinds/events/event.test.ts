import { describe, expect, it, test } from 'vitest'
import { openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns, HOUR_AGO } from '../columns.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('events.k8s.io Event has these columns', () =>
    expectColumns('events.k8s.io Event', [
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      '|Subobject',
      '|Source',
      'Message',
      '|First Seen',
      '|Count',
      '|Name : string name',
    ]))

  it.each<CellRow>([
    [
      'events.k8s.io Event',
      'in the words of its group',
      {
        type: 'Normal',
        reason: 'R',
        regarding: { kind: 'Pod', name: 'p' },
        note: 'm',
        reportingController: 'c',
        reportingInstance: 'i',
        deprecatedCount: 3,
        deprecatedFirstTimestamp: HOUR_AGO,
        deprecatedLastTimestamp: '2026-03-01T11:59:00Z',
      },
      ['60s', 'Normal', 'R', 'pod/p', '', 'c, i', 'm', '60m', 3],
    ],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'events.k8s.io/v1 Event',
      ['no time', { eventTime: undefined }, 'eventTime: Required value'],
      ['an unknown type', { type: 'Odd' }, 'type: Invalid value: "": has invalid value: Odd'],
      ['a long reason', { reason: 'r'.repeat(129) }, 'reason: Invalid value: "": can have at most 128 characters'],
    ),
    ...changes('events.k8s.io/v1 Event', [
      'another reason',
      {},
      { reason: 'S' },
      `reason: Invalid value: "S": ${IMMUTABLE}`,
    ]),
    ...changes('events.k8s.io/v1 Event', [
      'another reporter and no type',
      { type: 'Normal' },
      { reportingController: 'example.com/other', type: undefined },
      `type: Invalid value: "": ${IMMUTABLE}`,
      `reportingController: Invalid value: "example.com/other": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})

describe('events', () => {
  test('of either group are one object under two sets of names', async () => {
    const world = await openWorld()
    const [core, own] = [world.resource('events'), world.resource('events', 'events.k8s.io')]
    await world.create(core, {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
      message: 'it started',
      reason: 'Started',
      source: { component: 'me' },
      count: 2,
      type: 'Normal',
    })
    const served = await world.get(own, 'e')
    expect(served).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'it started',
      deprecatedSource: { component: 'me' },
      deprecatedCount: 2,
    })
    expect(own.conversion.toStored(served)).toMatchObject({ apiVersion: 'v1', source: { component: 'me' }, count: 2 })
  })

  test('of their own group are held to its rules', async () => {
    const world = await openWorld()
    const own = world.resource('events', 'events.k8s.io')
    const made = world.create(own, { metadata: { name: 'e' }, regarding: { namespace: 'ns', name: 'p' } })
    await expect(made).rejects.toMatchObject({ reason: 'Invalid', message: expect.stringContaining('eventTime') })
  })

  test('are kept for an hour', async () => {
    expect((await openWorld()).resource('events').strategy.ttlSeconds).toBe(3600)
  })
})
