import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { WriteContext } from '../../../../src/registry/registry.ts'
import { gatedFields, withGatedFields } from '../../../../src/kinds/shared/gated-field.ts'
import { gatedPodFields } from '../../../../src/kinds/shared/pod-spec/gated-fields.ts'
import { outOfProportion } from '../../../rigs/processor-time.ts'

const HEAD = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } } as const
const CONTEXT = contextWith([])
const STRATEGY = withGatedFields(gatedPodFields('spec/template/spec'), {})

/** Nothing but the gates is looked at. */
function contextWith(gates: readonly string[]): WriteContext {
  return { gates: new Set(gates) } as unknown as WriteContext
}

function workload(sources: readonly ApiObject[string][]): ApiObject {
  const containers = [{ name: 'c', lifecycle: { stopSignal: 'SIGTERM', preStop: {} } }]
  const spec = { containers, schedulingGroup: {}, volumes: [{ name: 'v', projected: { sources } }, { name: 'w' }] }
  return { ...HEAD, spec: { template: { spec } } }
}

describe('fields of features that are off', () => {
  it('go from every item of the lists on the way', () => {
    const made = STRATEGY.prepareForCreate?.(workload([{ clusterTrustBundle: {} }, { secret: {} }]), CONTEXT)
    expect(made).toEqual({
      ...HEAD,
      spec: {
        template: {
          spec: {
            containers: [{ name: 'c', lifecycle: { preStop: {} } }],
            volumes: [{ name: 'v', projected: { sources: [{}, { secret: {} }] } }, { name: 'w' }],
          },
        },
      },
    })
  })

  it('go whether or not they have members with gates of their own', () => {
    const strategy = withGatedFields(
      [
        { gate: 'Outer', path: ['spec', 'bundle'] },
        { gate: 'Inner', path: ['spec', 'bundle', 'user'] },
      ],
      {},
    )
    const made = (gates: readonly string[]): unknown =>
      ['a', 'user'].map(
        (field) =>
          strategy.prepareForCreate?.({ ...HEAD, spec: { bundle: { [field]: 1 } } }, contextWith(gates))['spec'],
      )
    expect(made([])).toEqual([{}, {}])
    expect(made(['Inner'])).toEqual([{}, {}])
    expect(made(['Outer'])).toEqual([{ bundle: { a: 1 } }, { bundle: {} }])
  })

  it('have the gates that are declared for them, also in what is inlined and in maps', () => {
    const [bundle] = gatedFields('core_v1.PodSpec', 'volumes/*/projected/sources/*/clusterTrustBundle')
    expect(bundle?.gate).toBe('ClusterTrustBundleProjection')
    const [list] = gatedFields('resource.k8s.io_v1.ResourceSlice', 'spec/devices/*/attributes/*/ints')
    expect(list).toEqual({
      gate: 'DRAListTypeAttributes',
      path: ['spec', 'devices', '*', 'attributes', '*', 'ints'],
    })
  })

  it.each([
    ['is nowhere', 'spec/nowhere'],
    ['has no gate', 'spec/nodeName'],
  ])('cannot be named where the field %s', (_, path) => {
    expect(() => gatedFields('core_v1.Pod', path)).toThrow(`core_v1.Pod: ${path} has no gate`)
  })

  it('take their holder with them where that is meant and it holds nothing else', () => {
    const strategy = withGatedFields([{ gate: 'G', path: ['spec', 'list', '*', 'holder?', 'field'] }], {})
    const list = [{ holder: { field: 1 } }, { holder: { field: 1, other: 2 } }, { holder: {} }]
    const made = strategy.prepareForCreate?.({ ...HEAD, spec: { list } }, CONTEXT)
    expect(made).toEqual({ ...HEAD, spec: { list: [{}, { holder: { other: 2 } }, { holder: {} }] } })
  })

  it('go from every member of the maps on the way, at the cost of one copy of each', () => {
    const traits = withGatedFields([{ gate: 'G', path: ['spec', '*', 'field'] }], {})
    const specOf = (size: number, member: object): object =>
      Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, member]))
    const made = (size: number): unknown =>
      traits.prepareForCreate?.({ ...HEAD, spec: { ...specOf(size, { field: 1 }), other: 2 } }, CONTEXT)
    expect(made(2)).toEqual({ ...HEAD, spec: { k0: {}, k1: {}, other: 2 } })
    expect(outOfProportion(4_000, made)).toBe('')
  })

  it('stay where the feature is on', () => {
    const context = contextWith(['ClusterTrustBundleProjection', 'ContainerStopSignals', 'GenericWorkload'])
    const object = workload([{ clusterTrustBundle: {} }])
    expect(STRATEGY.prepareForCreate?.(object, context)).toBe(object)
  })

  it('stay where what is stored has them', () => {
    const object = workload([{ podCertificate: {} }])
    expect(STRATEGY.prepareForUpdate?.(object, object, CONTEXT)).toBe(object)
  })

  it('leave an object without them as it is', () => {
    const object: ApiObject = { ...HEAD, spec: { template: { spec: { containers: [{ name: 'c' }] } } } }
    expect(STRATEGY.prepareForCreate?.(object, CONTEXT)).toBe(object)
  })
})
