import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { judge, LABEL, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('Endpoints has these columns', () => expectColumns(' Endpoints', ['Name : string name', 'Endpoints', 'Age']))

  it.each<CellRow>([
    [
      ' Endpoints',
      'more than three',
      {
        subsets: [
          { addresses: [{ ip: '1.1.1.1' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 81 }] },
          { addresses: [{ ip: '2.2.2.2' }] },
        ],
      },
      ['1.1.1.1:80,[::1]:80,1.1.1.1:81 + 2 more...'],
    ],
    [' Endpoints', 'none', {}, ['<none>']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 Endpoints',
        given: { subsets: [{ ports: [{ port: 1 }] }] },
        meant: { subsets: [{ ports: [{ port: 1, protocol: 'TCP' }] }] },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 Endpoints',
      [
        'nobody',
        { subsets: [{ ports: [{ port: 1 }] }] },
        'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
      ],
      [
        'no address',
        { 'subsets/0/addresses': [{ ip: '' }] },
        'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[0].addresses[0].ip: Invalid value: "": must be a valid IP address',
      ],
      [
        'a bad name of a host',
        { 'subsets/0/addresses/0/hostname': 'A' },
        `subsets[0].addresses[0].hostname: Invalid value: "A": ${LABEL}`,
      ],
      [
        'two ports, one without a name',
        { 'subsets/0/ports': [{ port: 1, name: 'a' }, { port: 2 }] },
        'subsets[0].ports[1].name: Required value',
      ],
    ),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'endpoints that are not in their canonical form',
      at: ['endpoints'],
      object: { metadata: { name: 'e' }, subsets: [{ notReadyAddresses: [{ ip: '2001:DB8::1' }] }] },
      warnings: [
        'subsets[0].notReadyAddresses[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      ],
    },
  ])('$name', expectWarnings)
})
