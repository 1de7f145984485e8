import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('networking.k8s.io ServiceCIDR has these columns', () =>
    expectColumns('networking.k8s.io ServiceCIDR', ['Name : string name', 'CIDRs', 'Age']))

  it.each<CellRow>([
    [
      'networking.k8s.io ServiceCIDR',
      'two ranges',
      { spec: { cidrs: ['10.0.0.0/8', 'fd00::/64'] } },
      ['10.0.0.0/8,fd00::/64'],
    ],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'networking.k8s.io/v1 ServiceCIDR',
      ['no ranges', { 'spec/cidrs': [] }, 'spec.cidrs: Required value: at least one CIDR required'],
      [
        'one in another spelling',
        { 'spec/cidrs': ['2001:DB8::/64'] },
        'spec.cidrs[0]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")',
      ],
      [
        'two of one family',
        { 'spec/cidrs': ['10.0.0.0/24', '10.0.1.0/24'] },
        'spec.cidrs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
      [
        'one that is no range',
        { 'spec/cidrs': ['10.0.0.0/24', 'x'] },
        'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ),
    ...changes('networking.k8s.io/v1 ServiceCIDR', [
      'another range',
      {},
      { 'spec/cidrs': ['10.0.1.0/24'] },
      `spec.cidrs[0]: Invalid value: "10.0.1.0/24": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})
