import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns, HOUR_AGO } from '../columns.ts'
import { DEVICES, expectDefaults, named } from '../defaulting.ts'
import { changes, judge, LABEL, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('resource.k8s.io ResourceClaim has these columns', () =>
    expectColumns('resource.k8s.io ResourceClaim', ['Name : string name', 'State', 'Age']))

  it.each<CellRow>([
    ['resource.k8s.io ResourceClaim', 'new', {}, ['pending']],
    [
      'resource.k8s.io ResourceClaim',
      'in use',
      { status: { allocation: {}, reservedFor: [{}] } },
      ['allocated,reserved'],
    ],
    [
      'resource.k8s.io ResourceClaim',
      'going',
      { metadata: { deletionTimestamp: HOUR_AGO }, status: { allocation: {} } },
      ['deleted,allocated'],
    ],
    ['resource.k8s.io ResourceClaim', 'gone unused', { metadata: { deletionTimestamp: HOUR_AGO } }, ['deleted']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'resource.k8s.io/v1 ResourceClaim',
        given: {
          spec: DEVICES({ tolerations: [{}] }),
          status: { allocation: { devices: { results: [{ tolerations: [{}] }] } } },
        },
        meant: {
          spec: DEVICES({ allocationMode: 'ExactCount', count: 1, tolerations: [{ operator: 'Equal' }] }),
          status: { allocation: { devices: { results: [{ tolerations: [{ operator: 'Equal' }] }] } } },
        },
      },
      {
        of: 'resource.k8s.io/v1 ResourceClaim',
        as: 'for all devices',
        given: { spec: DEVICES({ allocationMode: 'All' }) },
        meant: { spec: DEVICES({ allocationMode: 'All' }) },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const CLAIM = 'resource.k8s.io/v1 ResourceClaim'
  const REQUEST = 'spec.devices.requests[0]'
  it.each<Row>([
    ...rows(
      CLAIM,
      [
        'no kind of device',
        { 'spec/devices/requests/0/exactly': { deviceClassName: '' } },
        `${REQUEST}.exactly.deviceClassName: Required value`,
      ],
      [
        'nothing asked',
        { 'spec/devices/requests': [{ name: 'r' }] },
        `${REQUEST}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`,
      ],
      ['a bad name', { 'spec/devices/requests/0/name': 'A' }, `${REQUEST}.name: Invalid value: "A": ${LABEL}`],
      [
        'all of some',
        { 'spec/devices/requests/0/exactly/allocationMode': 'All', 'spec/devices/requests/0/exactly/count': 2 },
        `${REQUEST}.exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`,
      ],
      [
        'a constraint on another request',
        { 'spec/devices/constraints': [{ requests: ['x'], matchAttribute: 'example.com/a' }] },
        'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      ],
    ),
    ...changes(CLAIM, [
      'another claim',
      {},
      { 'spec/devices/requests/0/exactly/deviceClassName': 'd' },
      'spec: Invalid value: …',
    ]),
    ...statuses(CLAIM, [
      'in use before it is given',
      {},
      { 'status/reservedFor': [{ resource: 'pods', name: 'p', uid: 'u' }] },
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    ]),
  ])('$of: $case', judge)
})
