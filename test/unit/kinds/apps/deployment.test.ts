import { describe, it } from 'vitest'
import { sets } from './sets.ts'
import { type CellRow, expectCells, expectColumns, selector, template } from '../columns.ts'
import { expectDefaults, named, TEMPLATE } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, NOT_NEGATIVE, type Row, rows, statuses } from '../judging.ts'
import { container, deployment, DNS_LABEL, expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('apps Deployment has these columns', () =>
    expectColumns('apps Deployment', [
      'Name : string name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      'apps Deployment',
      'rolling out',
      {
        spec: { replicas: 2, selector, template },
        status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      },
      ['1/2', 2, 1, 'c,d', 'i:1,j', 'app=x,b'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'apps/v1 Deployment',
        given: {},
        meant: {
          spec: {
            template: TEMPLATE,
            replicas: 1,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
            revisionHistoryLimit: 10,
            progressDeadlineSeconds: 600,
          },
        },
      },
      {
        of: 'apps/v1 Deployment',
        as: 'with settings of its own',
        given: {
          spec: {
            replicas: 0,
            strategy: { rollingUpdate: { maxSurge: 0 } },
            revisionHistoryLimit: 0,
            progressDeadlineSeconds: 1,
          },
        },
        meant: {
          spec: {
            template: TEMPLATE,
            replicas: 0,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 0 } },
            revisionHistoryLimit: 0,
            progressDeadlineSeconds: 1,
          },
        },
      },
      {
        of: 'apps/v1 Deployment',
        as: 'made anew',
        given: { spec: { strategy: { type: 'Recreate' } } },
        meant: {
          spec: {
            template: TEMPLATE,
            replicas: 1,
            strategy: { type: 'Recreate' },
            revisionHistoryLimit: 10,
            progressDeadlineSeconds: 600,
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...sets('Deployment'),
    ...rows(
      'apps/v1 Deployment',
      ['fewer than none', { 'spec/replicas': -1 }, `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`],
      [
        'rolling where all are made anew',
        { 'spec/strategy': { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
      ],
      [
        'no room to roll',
        { 'spec/strategy': { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
      ],
      [
        'more than all away',
        { 'spec/strategy': { rollingUpdate: { maxUnavailable: '101%' } } },
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      ],
      [
        'no time to get ready',
        { 'spec/minReadySeconds': 10, 'spec/progressDeadlineSeconds': 10 },
        'spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds',
      ],
    ),
    ...changes('apps/v1 Deployment', [
      'another selector',
      {},
      { 'spec/selector': { matchLabels: { app: 'b' } }, 'spec/template/metadata/labels': { app: 'b' } },
      `spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: ${IMMUTABLE}`,
    ]),
    ...statuses(
      'apps/v1 Deployment',
      [
        'more ready than there are',
        {},
        { 'status/replicas': 1, 'status/readyReplicas': 2 },
        'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      ],
      [
        'fewer collisions than before',
        { 'status/collisionCount': 2 },
        { 'status/collisionCount': 1 },
        'status.collisionCount: Invalid value: 1: cannot be decremented',
      ],
    ),
    ...rows('apps/v1 Deployment', [
      'an unknown strategy',
      { 'spec/strategy': { type: 'x', rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } } },
      'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    { name: 'nothing to tell', at: ['deployments', 'apps'], object: deployment({}), warnings: [] },
    {
      name: 'a name with dots',
      at: ['deployments', 'apps'],
      object: deployment({}, 'a.b'),
      warnings: [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ${DNS_LABEL}: [must not contain dots]`,
      ],
    },
    {
      name: 'a variable that hides one, but not one that builds on it',
      at: ['deployments', 'apps'],
      object: deployment({
        containers: [
          {
            ...container,
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
              { name: 'A', value: '3' },
            ],
          },
        ],
      }),
      warnings: [
        'spec.template.spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
      ],
    },
  ])('$name', expectWarnings)
})
