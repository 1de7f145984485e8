import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, QUALIFIED, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('Event has these columns', () =>
    expectColumns(' Event', [
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
      ' Event',
      'of a pod, in a series',
      {
        type: 'Normal',
        reason: 'Started',
        involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{c}' },
        source: { component: 'agent', host: 'h' },
        message: ' it still runs \n',
        firstTimestamp: '2026-03-01T09:00:00Z',
        lastTimestamp: '2026-03-01T09:00:00Z',
        series: { count: 4, lastObservedTime: '2026-03-01T11:59:00.000000Z' },
      },
      ['60s', 'Normal', 'Started', 'pod/p', 'spec.containers{c}', 'agent, h', 'it still runs', '3h', 4],
    ],
    [
      ' Event',
      'a single one',
      {
        type: 'Warning',
        reason: 'R',
        involvedObject: { kind: 'Node' },
        reportingComponent: 'c',
        message: 'm',
        firstTimestamp: null,
        eventTime: '2026-03-01T11:00:00.000000Z',
      },
      ['60m', 'Warning', 'R', 'node', '', 'c', 'm', '60m', 1],
    ],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 Event',
      [
        'about something elsewhere',
        { involvedObject: { namespace: 'other' } },
        'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      ],
      [
        'of the new kind without a reporter',
        { eventTime: '2024-01-01T00:00:00.000000Z', reason: 'R', action: 'A', type: 'Normal', reportingInstance: 'i' },
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        `reportingComponent: Invalid value: "": ${QUALIFIED}`,
      ],
    ),
  ])('$of: $case', judge)
})
