import { describe, expect, it } from 'vitest'
import type { Value } from '../../../../src/api/value.ts'
import { formed, formOf } from '../../../../src/kinds/shared/internal-form.ts'

const rows: readonly (readonly [string, string, Value, Value])[] = [
  [
    'absent members as null or zero, in the order of declaration',
    'core_v1.Toleration',
    { effect: 'NoExecute', key: 'k' },
    { Key: 'k', Operator: '', Value: '', Effect: 'NoExecute', TolerationSeconds: null },
  ],
  [
    'the names of the reference where they are no plain capitals',
    'core_v1.ObjectReference',
    { uid: 'u', apiVersion: 'v1' },
    { Kind: '', Namespace: '', Name: '', UID: 'u', APIVersion: 'v1', ResourceVersion: '', FieldPath: '' },
  ],
  [
    'what is inside of lists',
    'core_v1.ScopeSelector',
    { matchExpressions: [{ scopeName: 'Terminating' }] },
    { MatchExpressions: [{ ScopeName: 'Terminating', Operator: '', Values: null }] },
  ],
  [
    'an absent object that is no pointer with what it would hold',
    'resource.k8s.io_v1.ResourceClaimSpec',
    {},
    { Devices: { Requests: null, Constraints: null, Config: null } },
  ],
  [
    'members of an inlined type beside the others',
    'resource.k8s.io_v1.DeviceClaimConfiguration',
    { requests: ['r'], opaque: { driver: 'd', parameters: { a: 1 } } },
    { Requests: ['r'], Opaque: { Driver: 'd', Parameters: { a: 1 } } },
  ],
  [
    'metadata as it is in JSON',
    'policy_v1.PodDisruptionBudgetSpec',
    { selector: { matchLabels: { a: 'b' } }, minAvailable: '10%' },
    {
      MinAvailable: '10%',
      Selector: { matchLabels: { a: 'b' } },
      MaxUnavailable: null,
      UnhealthyPodEvictionPolicy: null,
    },
  ],
]

describe('the form of a declared type', () => {
  it.each(rows)('shows %s', (_, type, value, expected) => {
    const shown = formed(value, formOf(type))
    expect(shown).toEqual(expected)
    expect(JSON.stringify(shown)).toBe(JSON.stringify(expected))
  })
})
