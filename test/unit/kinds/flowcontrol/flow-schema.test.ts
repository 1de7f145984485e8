import { describe, it } from 'vitest'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('flowcontrol.apiserver.k8s.io FlowSchema has these columns', () =>
    expectColumns('flowcontrol.apiserver.k8s.io FlowSchema', [
      'Name : string name',
      'PriorityLevel',
      'MatchingPrecedence',
      'DistinguisherMethod',
      'Age',
      'MissingPL',
    ]))

  it.each<CellRow>([
    [
      'flowcontrol.apiserver.k8s.io FlowSchema',
      'well bound',
      {
        spec: {
          priorityLevelConfiguration: { name: 'l' },
          matchingPrecedence: 100,
          distinguisherMethod: { type: 'ByUser' },
        },
        status: { conditions: [condition('Dangling', 'False')] },
      },
      ['l', 100, 'ByUser', 'False'],
    ],
    [
      'flowcontrol.apiserver.k8s.io FlowSchema',
      'not seen yet',
      { spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 100 } },
      ['l', 100, '<none>', '?'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
        given: { spec: { matchingPrecedence: 0 } },
        meant: { spec: { matchingPrecedence: 1000 } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation (P-205)', () => {
  const FLOW = 'flowcontrol.apiserver.k8s.io/v1 FlowSchema'
  it.each<Row>([
    ...rows(
      FLOW,
      [
        'before the first',
        { 'spec/matchingPrecedence': -1 },
        'spec.matchingPrecedence: Invalid value: -1: must be a positive value',
      ],
      [
        'first of all',
        { 'spec/matchingPrecedence': 1 },
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      ],
      [
        'no level',
        { 'spec/priorityLevelConfiguration/name': '' },
        'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      ],
      [
        'nobody',
        { 'spec/rules/0/subjects': [] },
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      ],
      [
        'an account without its name',
        { 'spec/rules/0/subjects': [{ kind: 'ServiceAccount' }] },
        "spec.rules[0].subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'",
      ],
      [
        'everything and more',
        { 'spec/rules/0/resourceRules/0/verbs': ['*', 'get'] },
        'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
      ],
      [
        'a change of what is fixed',
        { 'metadata/name': 'catch-all', 'spec/matchingPrecedence': 10_000 },
        'spec: Invalid value: …',
      ],
    ),
  ])('$of: $case', judge)
})
