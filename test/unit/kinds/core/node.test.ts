import { describe, it } from 'vitest'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { changes, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('Node has these columns', () =>
    expectColumns(' Node', [
      'Name : string name',
      'Status',
      'Roles',
      'Age',
      'Version',
      '|Internal-IP',
      '|External-IP',
      '|OS-Image',
      '|Kernel-Version',
      '|Container-Runtime',
    ]))

  it.each<CellRow>([
    [
      ' Node',
      'ready, with roles and addresses',
      {
        metadata: {
          labels: {
            'node-role.kubernetes.io/worker': '',
            'kubernetes.io/role': 'edge',
            'node-role.kubernetes.io/': '',
          },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [condition('Ready')],
          addresses: [
            { type: 'ExternalIP', address: '1.2.3.4' },
            { type: 'InternalIP', address: '10.0.0.1' },
          ],
          nodeInfo: {
            kubeletVersion: 'v1',
            osImage: 'os',
            kernelVersion: '6',
            architecture: 'arm64',
            containerRuntimeVersion: 'c://2',
          },
        },
      },
      ['Ready,SchedulingDisabled', 'edge,worker', 'v1', '10.0.0.1', '1.2.3.4', 'os', '6 (arm64)', 'c://2'],
    ],
    [' Node', 'unknown', {}, ['Unknown', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
    [
      ' Node',
      'not ready',
      { status: { conditions: [condition('Ready', 'Unknown')] } },
      ['NotReady', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 Node',
        given: { spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '1u' } } },
        meant: {
          spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
          status: { capacity: { cpu: '1m' }, allocatable: { cpu: '1m' } },
        },
      },
      {
        of: 'v1 Node',
        as: 'with ranges',
        given: {
          spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
          status: { capacity: { cpu: '1' }, allocatable: { cpu: '2u' } },
        },
        meant: {
          spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
          status: { capacity: { cpu: '1' }, allocatable: { cpu: '1m' } },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'nodes keep the status that they come with',
      at: ['nodes'],
      object: { metadata: { name: 'n' }, status: { capacity: { cpu: '4' } } },
      expected: { status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } } },
    },
  ])('$name', expectState)
})

describe('validation (W-373)', () => {
  it.each<Row>([
    ...rows(
      'v1 Node',
      ['a taint without effect', { 'spec/taints': [{ key: 'k' }] }, 'metadata.taints[0].effect: Required value'],
      [
        'a taint twice',
        {
          'spec/taints': [
            { key: 'k', effect: 'NoExecute' },
            { key: 'k', effect: 'NoExecute' },
          ],
        },
        'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ),
    ...changes(
      'v1 Node',
      [
        'other ranges',
        { 'spec/podCIDRs': ['10.0.0.0/24'] },
        { 'spec/podCIDRs': ['10.0.1.0/24'] },
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      ],
      [
        'another machine',
        { 'spec/providerID': 'a' },
        { 'spec/providerID': 'b' },
        'spec.providerID: Invalid value: null: field cannot be modified once set',
      ],
    ),
  ])('$of: $case', judge)
})
