import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, LABEL, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('discovery.k8s.io EndpointSlice has these columns', () =>
    expectColumns('discovery.k8s.io EndpointSlice', ['Name : string name', 'AddressType', 'Ports', 'Endpoints', 'Age']))

  it.each<CellRow>([
    [
      'discovery.k8s.io EndpointSlice',
      'ports by number, name and any',
      {
        addressType: 'IPv4',
        ports: [{ port: 80 }, { name: 'web' }, {}, { port: 1 }],
        endpoints: [{ addresses: ['1.1.1.1', '2.2.2.2'] }, { addresses: ['3.3.3.3'] }],
      },
      ['IPv4', '80,web,* + 1 more...', '1.1.1.1,2.2.2.2,3.3.3.3'],
    ],
    ['discovery.k8s.io EndpointSlice', 'empty', { addressType: 'IPv6' }, ['IPv6', '<unset>', '<unset>']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'discovery.k8s.io/v1 EndpointSlice',
        given: { ports: [{}, { name: 'n', protocol: 'UDP' }] },
        meant: {
          ports: [
            { name: '', protocol: 'TCP' },
            { name: 'n', protocol: 'UDP' },
          ],
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'discovery.k8s.io/v1 EndpointSlice',
      ['no family', { addressType: '' }, 'addressType: Required value'],
      [
        'an address in another spelling',
        { addressType: 'IPv6', 'endpoints/0/addresses': ['2001:DB8::1'] },
        'endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
      ],
      [
        'an address of another family',
        { 'endpoints/0/addresses': ['2001:db8::1'] },
        'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
      ],
      [
        'no address',
        { 'endpoints/0/addresses': [] },
        'endpoints[0].addresses: Required value: must contain at least 1 address',
      ],
      ['a bad name of a host', { 'endpoints/0/hostname': 'A' }, `endpoints[0].hostname: Invalid value: "A": ${LABEL}`],
      [
        'a port name twice',
        {
          ports: [
            { name: 'p', port: 1 },
            { name: 'p', port: 2 },
          ],
        },
        'ports[1].name: Duplicate value: "p"',
      ],
    ),
    ...changes('discovery.k8s.io/v1 EndpointSlice', [
      'another family',
      { endpoints: [] },
      { addressType: 'IPv6' },
      `addressType: Invalid value: "IPv6": ${IMMUTABLE}`,
    ]),
    ...rows(
      'discovery.k8s.io/v1 EndpointSlice',
      ['any number as a port', { ports: [{ port: 70000 }] }],
      [
        'an empty protocol',
        { ports: [{ port: 80, protocol: '' }] },
        'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
      ],
    ),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'endpoints by name',
      at: ['endpointslices', 'discovery.k8s.io'],
      object: { metadata: { name: 's' }, addressType: 'FQDN', endpoints: [{ addresses: ['a.example'] }] },
      warnings: ['spec.addressType: FQDN endpoints are deprecated'],
    },
    {
      name: 'addresses that a controller of the cluster wrote',
      at: ['endpointslices', 'discovery.k8s.io'],
      object: {
        metadata: {
          name: 's',
          labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
        },
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:DB8::1'] }],
      },
      warnings: [],
    },
    {
      name: 'an address that is not in its canonical form',
      at: ['endpointslices', 'discovery.k8s.io'],
      object: {
        metadata: { name: 's' },
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:DB8::1', '2001:db8::2'] }],
      },
      warnings: [
        'endpoints[0].addresses[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      ],
    },
  ])('$name', expectWarnings)
})
