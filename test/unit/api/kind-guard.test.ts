import { describe, expect, it } from 'vitest'
import { isKind } from '../../../src/api/kind-guard.ts'

const object = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: {} })

describe('the kind of an object', () => {
  it.each([
    ['one of the core group', object('v1', 'Pod'), 'core_v1.Pod', true],
    ['one of another group', object('resource.k8s.io/v1', 'ResourceSlice'), 'resource.k8s.io_v1.ResourceSlice', true],
    ['another kind', object('v1', 'Binding'), 'core_v1.Pod', false],
    ['another group', object('example.com/v1', 'Pod'), 'core_v1.Pod', false],
    [
      'another version',
      object('autoscaling/v1', 'HorizontalPodAutoscaler'),
      'autoscaling_v2.HorizontalPodAutoscaler',
      false,
    ],
    ['none', undefined, 'core_v1.Pod', false],
  ] as const)('is told by its names: %s', (_, given, name, expected) => {
    expect(isKind(given, name)).toBe(expected)
  })
})
