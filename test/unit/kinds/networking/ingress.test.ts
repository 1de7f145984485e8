import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('networking.k8s.io Ingress has these columns', () =>
    expectColumns('networking.k8s.io Ingress', ['Name : string name', 'Class', 'Hosts', 'Address', 'Ports', 'Age']))

  it.each<CellRow>([
    [
      'networking.k8s.io Ingress',
      'secure, for many hosts',
      {
        spec: {
          ingressClassName: 'n',
          tls: [{}],
          rules: [{ host: 'a' }, {}, { host: 'b' }, { host: 'c' }, { host: 'd' }],
        },
        status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
      },
      ['n', 'a,b,c + 2 more...', '1.1.1.1', '80, 443'],
    ],
    ['networking.k8s.io Ingress', 'for all', { spec: {} }, ['<none>', '*', '', '80']],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  const BACKEND = { service: { name: 's', port: { number: 80 } } }
  it.each<Row>([
    ...rows(
      'networking.k8s.io/v1 Ingress',
      [
        'nothing behind it',
        { 'spec/defaultBackend': undefined },
        'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
      ],
      [
        'an address as a host',
        { 'spec/rules': [{ host: '10.0.0.1' }] },
        'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      ],
      ['no paths', { 'spec/rules': [{ http: {} }] }, 'spec.rules[0].http.paths: Required value'],
      [
        'no kind of path',
        { 'spec/rules': [{ http: { paths: [{ path: '/', backend: BACKEND }] } }] },
        'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
      ],
      [
        'a relative path',
        { 'spec/rules': [{ http: { paths: [{ path: 'x', pathType: 'Exact', backend: BACKEND }] } }] },
        'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
      ],
      ['no service', { 'spec/defaultBackend/service/name': '' }, 'spec.defaultBackend.service.name: Required value'],
    ),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'a class of an ingress said the old way',
      at: ['ingresses', 'networking.k8s.io'],
      object: { metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': '' } }, spec: {} },
      warnings: [
        'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
      ],
    },
    {
      name: 'a class of an ingress said both ways',
      at: ['ingresses', 'networking.k8s.io'],
      object: {
        metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
        spec: { ingressClassName: 'x' },
      },
      warnings: [],
    },
  ])('$name', expectWarnings)
})
