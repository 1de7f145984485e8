import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, judge, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('networking.k8s.io NetworkPolicy has these columns', () =>
    expectColumns('networking.k8s.io NetworkPolicy', ['Name : string name', 'Pod-Selector', 'Age']))

  it.each<CellRow>([['networking.k8s.io NetworkPolicy', 'of all pods', { spec: { podSelector: {} } }, ['<none>']]])(
    'of %s, %s',
    expectCells,
  )
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'networking.k8s.io/v1 NetworkPolicy',
        as: 'a policy without rules',
        given: { spec: { podSelector: {} } },
        meant: { spec: { podSelector: {}, policyTypes: ['Ingress'] } },
      },
      {
        of: 'networking.k8s.io/v1 NetworkPolicy',
        as: 'a policy with rules for what goes out',
        given: { spec: { egress: [{}] } },
        meant: { spec: { egress: [{}], policyTypes: ['Ingress', 'Egress'] } },
      },
      {
        of: 'networking.k8s.io/v1 NetworkPolicy',
        as: 'policy types as given',
        given: { spec: { egress: [{}], policyTypes: ['Egress'] } },
        meant: { spec: { egress: [{}], policyTypes: ['Egress'] } },
      },
      {
        of: 'networking.k8s.io/v1 NetworkPolicy',
        as: 'protocols of ports',
        given: {
          spec: {
            policyTypes: ['Ingress'],
            ingress: [{ ports: [{ port: 1 }, { protocol: 'UDP' }] }],
            egress: [{ ports: [{}] }],
          },
        },
        meant: {
          spec: {
            policyTypes: ['Ingress'],
            ingress: [{ ports: [{ port: 1, protocol: 'TCP' }, { protocol: 'UDP' }] }],
            egress: [{ ports: [{ protocol: 'TCP' }] }],
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
  it.each<Row>([
    ...rows(
      'networking.k8s.io/v1 NetworkPolicy',
      ['nobody', { 'spec/ingress': [{ from: [{}] }] }, 'spec.ingress[0].from[0]: Required value: must specify a peer'],
      [
        'a bad range',
        { 'spec/egress': [{ to: [{ ipBlock: { cidr: 'x' } }] }] },
        `spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": ${CIDR}`,
      ],
      [
        'an exception from elsewhere',
        { 'spec/egress': [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
        'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      ],
      [
        'an end without a start',
        { 'spec/ingress': [{ ports: [{ endPort: 5 }] }] },
        'spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified',
      ],
      [
        'an unknown direction',
        { 'spec/policyTypes': ['Odd'] },
        'spec.policyTypes[0]: Unsupported value: "Odd": supported values: "Ingress", "Egress"',
      ],
    ),
    ...changes('networking.k8s.io/v1 NetworkPolicy', [
      'an empty exception, where a peer of the stored one has no block',
      { 'spec/ingress': [{ from: [{ podSelector: {} }, { ipBlock: { cidr: '1.0.0.0/8' } }] }] },
      { 'spec/ingress/0/from/1/ipBlock/except': [''] },
      'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'networks that are not in their canonical form',
      at: ['networkpolicies', 'networking.k8s.io'],
      object: {
        metadata: { name: 'n' },
        spec: {
          ingress: [{ from: [{ ipBlock: { cidr: '2001:DB8::/32', except: ['2001:DB8:1::/48'] } }] }],
          egress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }],
        },
      },
      warnings: [
        'spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
        'spec.ingress[0].from[0].ipBlock.except[0]: IPv6 CIDR value "2001:DB8:1::/48" should be in RFC 5952 canonical format ("2001:db8:1::/48")',
      ],
    },
  ])('$name', expectWarnings)
})
