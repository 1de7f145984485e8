import { describe, it } from 'vitest'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { judge, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('apiregistration.k8s.io APIService has these columns', () =>
    expectColumns('apiregistration.k8s.io APIService', ['Name : string name', 'Service', 'Available', 'Age']))

  it.each<CellRow>([
    [
      'apiregistration.k8s.io APIService',
      'our own',
      { status: { conditions: [condition('Available', 'True', { reason: 'Local' })] } },
      ['Local', 'True'],
    ],
    [
      'apiregistration.k8s.io APIService',
      'of another',
      {
        spec: { service: { namespace: 'n', name: 's' } },
        status: { conditions: [condition('Available', 'False', { reason: 'Gone' })] },
      },
      ['n/s', 'False (Gone)'],
    ],
    ['apiregistration.k8s.io APIService', 'new', {}, ['Local', 'Unknown']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'apiregistration.k8s.io/v1 APIService',
        given: { spec: { service: {} } },
        meant: { spec: { service: { port: 443 } } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'local services of the API are available at once',
      at: ['apiservices', 'apiregistration.k8s.io'],
      object: {
        metadata: { name: 'v1.example.com' },
        spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
      },
      expected: { status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] } },
    },
  ])('$name', expectState)
})

describe('validation (W-056, W-623, P-380)', () => {
  it.each<Row>([
    ...rows(
      'apiregistration.k8s.io/v1 APIService',
      [
        'another name',
        { 'metadata/name': 'x' },
        'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"',
      ],
      [
        'a priority out of range',
        { 'spec/groupPriorityMinimum': 20_001 },
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      ],
      ['nobody to answer', { 'spec/service/name': '' }, 'spec.service.name: Required value'],
      [
        'a bundle that is not looked at',
        { 'spec/caBundle': 'AAEC', 'spec/insecureSkipTLSVerify': true },
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    ),
    ...statuses('apiregistration.k8s.io/v1 APIService', [
      'an unknown status',
      {},
      { 'status/conditions': [{ type: 'Available', status: 'Odd' }] },
      'status.conditions[0].status: Unsupported value: "Odd": supported values: "True", "False", "Unknown"',
    ]),
  ])('$of: $case', judge)
})
