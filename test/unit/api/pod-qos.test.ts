import { describe, expect, it } from 'vitest'
import { qosOf } from '../../../src/api/pod-qos.ts'

const amounts = (cpu: string, memory: string): object => ({ cpu, memory })
const container = (resources: object): object => ({ name: 'c', resources })

const CASES: readonly (readonly [name: string, spec: object, expected: string])[] = [
  ['that asks for nothing', { containers: [container({})] }, 'BestEffort'],
  ['that asks for zero', { containers: [container({ requests: amounts('0', '0') })] }, 'BestEffort'],
  [
    'that asks for what does not count',
    { containers: [container({ limits: { 'example.com/x': '1' } })] },
    'BestEffort',
  ],
  ['that asks for some', { containers: [container({ requests: { cpu: '1' } })] }, 'Burstable'],
  ['whose limits are what it gets', { containers: [container({ limits: amounts('1', '1Gi') })] }, 'Guaranteed'],
  [
    'whose requests are written otherwise than its limits',
    { containers: [container({ limits: amounts('1', '1Gi'), requests: amounts('1000m', '1024Mi') })] },
    'Guaranteed',
  ],
  [
    'that asks for less than its limits',
    { containers: [container({ limits: amounts('2', '1Gi'), requests: amounts('1', '1Gi') })] },
    'Burstable',
  ],
  [
    'with an init container that asks for nothing',
    { containers: [container({ limits: amounts('1', '1Gi') })], initContainers: [container({})] },
    'Burstable',
  ],
  [
    'that asks as a whole',
    { resources: { limits: amounts('1', '1Gi') }, containers: [container({ requests: { cpu: '1' } })] },
    'Guaranteed',
  ],
]

describe('the class of service of a pod', () => {
  it.each(CASES)('%s', (_name, spec, expected) => {
    expect(qosOf(spec as Parameters<typeof qosOf>[0])).toBe(expected)
  })
})
