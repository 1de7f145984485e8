import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'
import { DEVICES, expectDefaults, named } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('resource.k8s.io ResourceClaimTemplate has these columns', () =>
    expectColumns('resource.k8s.io ResourceClaimTemplate', ['Name : string name', 'Age']))
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'resource.k8s.io/v1 ResourceClaimTemplate',
        given: { spec: { spec: DEVICES({}) } },
        meant: { spec: { spec: DEVICES({ allocationMode: 'ExactCount', count: 1 }) } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows('resource.k8s.io/v1 ResourceClaimTemplate', [
      'no kind of device',
      { 'spec/spec/devices/requests/0/exactly': { deviceClassName: '' } },
      'spec.spec.devices.requests[0].exactly.deviceClassName: Required value',
    ]),
    ...rows('resource.k8s.io/v1 ResourceClaimTemplate', [
      'a name in the template',
      { 'spec/metadata': { name: 'x', uid: 'y' } },
      'spec.metadata.name: Forbidden: cannot be set',
      'spec.metadata.uID: Forbidden: cannot be set',
    ]),
  ])('$of: $case', judge)
})
