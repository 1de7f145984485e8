import { describe, expect, it } from 'vitest'
import { expectDefaults, named } from '../defaulting.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 LimitRange',
        given: {
          spec: {
            limits: [
              {
                type: 'Container',
                max: { cpu: '2', memory: '1u' },
                min: { pods: '1', cpu: '1' },
                default: { pods: '3' },
                maxLimitRequestRatio: { cpu: '1u' },
              },
              { type: 'Pod', max: { cpu: '1' } },
            ],
          },
        },
        meant: {
          spec: {
            limits: [
              {
                type: 'Container',
                max: { cpu: '2', memory: '1m' },
                min: { pods: '1', cpu: '1' },
                default: { pods: '3', cpu: '2', memory: '1m' },
                defaultRequest: { pods: '3', cpu: '2', memory: '1m' },
                maxLimitRequestRatio: { cpu: '1m' },
              },
              { type: 'Pod', max: { cpu: '1' } },
            ],
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'limit ranges get a name',
      at: ['limitranges'],
      object: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
      expected: { metadata: { name: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    },
  ])('$name', expectState)
})

describe('validation (W-373)', () => {
  it.each<Row>([
    ...rows(
      'v1 LimitRange',
      [
        'an unknown type',
        { 'spec/limits/0/type': 'Odd' },
        'spec.limits[0].type: Invalid value: "Odd": must be a standard limit type or fully qualified',
      ],
      [
        'defaults of pods',
        { 'spec/limits/0': { type: 'Pod', default: { cpu: '1' } } },
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      ],
      [
        'more at least than at most',
        { 'spec/limits/0': { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } } },
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      ],
    ),
  ])('$of: $case', judge)
})
