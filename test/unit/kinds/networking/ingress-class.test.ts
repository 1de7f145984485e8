import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('networking.k8s.io IngressClass has these columns', () =>
    expectColumns('networking.k8s.io IngressClass', ['Name : string name', 'Controller', 'Parameters', 'Age']))

  it.each<CellRow>([
    [
      'networking.k8s.io IngressClass',
      'the default one',
      {
        metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'x/y', parameters: { kind: 'P', apiGroup: 'x.io', name: 'p' } },
      },
      ['a (default)', 'x/y', 'P.x.io/p'],
    ],
    ['networking.k8s.io IngressClass', 'another', { spec: { controller: 'x/y' } }, ['x/y', '<none>']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'networking.k8s.io/v1 IngressClass',
        as: 'the scope of parameters',
        given: { spec: { parameters: { kind: 'K', name: 'n' } } },
        meant: { spec: { parameters: { kind: 'K', name: 'n', scope: 'Cluster' } } },
      },
      {
        of: 'networking.k8s.io/v1 IngressClass',
        as: 'no parameters',
        given: { spec: { controller: 'a/b' } },
        meant: { spec: { controller: 'a/b' } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'networking.k8s.io/v1 IngressClass',
      ['no controller', { 'spec/controller': '' }, 'spec.controller: Required value'],
      [
        'parameters of one place',
        { 'spec/parameters': { kind: 'K', name: 'n', scope: 'Namespace' } },
        "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
      ],
    ),
    ...changes('networking.k8s.io/v1 IngressClass', [
      'another controller',
      {},
      { 'spec/controller': 'example.com/d' },
      `spec.controller: Invalid value: "example.com/d": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})
