import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../src/api/value.ts'
import { defaulted } from '../defaults/defaulting.ts'

describe('defaults of the networking group', () => {
  it.each<[string, string, ValueMap, ValueMap]>([
    [
      'the scope of parameters',
      'IngressClass',
      { parameters: { kind: 'K', name: 'n' } },
      { parameters: { kind: 'K', name: 'n', scope: 'Cluster' } },
    ],
    ['no parameters', 'IngressClass', { controller: 'a/b' }, { controller: 'a/b' }],
    ['a policy without rules', 'NetworkPolicy', { podSelector: {} }, { podSelector: {}, policyTypes: ['Ingress'] }],
    [
      'a policy with rules for what goes out',
      'NetworkPolicy',
      { egress: [{}] },
      { egress: [{}], policyTypes: ['Ingress', 'Egress'] },
    ],
    [
      'policy types as given',
      'NetworkPolicy',
      { egress: [{}], policyTypes: ['Egress'] },
      { egress: [{}], policyTypes: ['Egress'] },
    ],
    [
      'protocols of ports',
      'NetworkPolicy',
      { policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 1 }, { protocol: 'UDP' }] }], egress: [{ ports: [{}] }] },
      {
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ port: 1, protocol: 'TCP' }, { protocol: 'UDP' }] }],
        egress: [{ ports: [{ protocol: 'TCP' }] }],
      },
    ],
  ])('%s', (_, kind, spec, expected) => {
    expect(defaulted(`networking.k8s.io/v1 ${kind}`, { spec })['spec']).toEqual(expected)
  })
})
