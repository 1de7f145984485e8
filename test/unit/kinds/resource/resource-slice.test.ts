import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named, NOW } from '../defaulting.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('resource.k8s.io ResourceSlice has these columns', () =>
    expectColumns('resource.k8s.io ResourceSlice', ['Name : string name', 'Node', 'Driver', 'Pool', 'Age']))

  it.each<CellRow>([
    [
      'resource.k8s.io ResourceSlice',
      'of a node',
      { spec: { nodeName: 'n', driver: 'd', pool: { name: 'p' } } },
      ['n', 'd', 'p'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'resource.k8s.io/v1 ResourceSlice',
        given: { spec: { devices: [{ taints: [{ key: 'k' }], nodeAllocatableResourceMappings: { cpu: {} } }] } },
        meant: {
          spec: {
            devices: [
              {
                taints: [{ key: 'k', timeAdded: NOW }],
                nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } },
              },
            ],
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const SLICE = 'resource.k8s.io/v1 ResourceSlice'
  it.each<Row>([
    ...rows(
      SLICE,
      ['no driver', { 'spec/driver': '' }, 'spec.driver: Required value'],
      [
        'an empty pool',
        { 'spec/pool/resourceSliceCount': 0 },
        'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      ],
      [
        'nowhere',
        { 'spec/nodeName': undefined },
        'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      ],
      [
        'too many devices',
        { 'spec/devices': Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) },
        'spec.devices: Too many: 129: must have at most 128 items',
      ],
      [
        'no value',
        { 'spec/devices/0/attributes': { a: {} } },
        'spec.devices[0].attributes[a]: Invalid value: "": must specify one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`',
      ],
    ),
    ...changes(SLICE, [
      'another driver',
      {},
      { 'spec/driver': 'example.org' },
      `spec.driver: Invalid value: "example.org": ${IMMUTABLE}`,
    ]),
    ...rows('resource.k8s.io/v1 ResourceSlice', [
      'a version that is none and too long',
      { 'spec/devices/0/attributes': { a: { version: 'x'.repeat(65) } } },
      'spec.devices[0].attributes[a].version: Invalid value: "xxx…',
      'spec.devices[0].attributes[a].version: Too long: may not be more than 64 bytes',
    ]),
  ])('$of: $case', judge)
})
