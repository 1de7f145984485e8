import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('ResourceQuota has these columns', () =>
    expectColumns(' ResourceQuota', ['Name : string name', 'Request', 'Limit', 'Age']))

  it.each<CellRow>([
    [
      ' ResourceQuota',
      'limits apart',
      {
        status: {
          hard: { pods: '5', 'limits.cpu': '2', 'requests.cpu': '1', limits: '9' },
          used: { pods: '3', 'limits.cpu': '500m' },
        },
      },
      ['limits: 0/9, pods: 3/5, requests.cpu: 0/1', 'limits.cpu: 500m/2'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 ResourceQuota',
        given: { spec: { hard: { cpu: '1u' } }, status: { hard: { cpu: '1u' }, used: { cpu: '1u' } } },
        meant: { spec: { hard: { cpu: '1m' } }, status: { hard: { cpu: '1m' }, used: { cpu: '1m' } } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation (W-373)', () => {
  it.each<Row>([
    ...rows(
      'v1 ResourceQuota',
      [
        'an unknown resource',
        { 'spec/hard': { gold: '1' } },
        'spec.hard[gold]: Invalid value: "gold": must be a standard resource type or fully qualified',
        'spec.hard[gold]: Invalid value: "gold": must be a standard resource for quota',
      ],
      ['half a pod', { 'spec/hard': { pods: '500m' } }, 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
      [
        'a scope and its opposite',
        { 'spec/scopes': ['BestEffort', 'NotBestEffort'] },
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
      ],
    ),
    ...changes('v1 ResourceQuota', [
      'other scopes',
      {},
      { 'spec/scopes': ['BestEffort'] },
      `spec.scopes: Invalid value: ["BestEffort"]: ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'more requested than the limit',
      at: ['resourcequotas'],
      object: { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1500m' } } },
      warnings: ['ResourceQuota requests.cpu (2) should be less than limits.cpu (1500m)'],
    },
    {
      name: 'more asked for by the plain name than the limit',
      at: ['resourcequotas'],
      object: { metadata: { name: 'q' }, spec: { hard: { memory: '3Gi', 'limits.memory': '2Gi', 'limits.cpu': '1' } } },
      warnings: ['ResourceQuota memory (3Gi) should be less than limits.memory (2Gi)'],
    },
  ])('$name', expectWarnings)
})
