import { describe, expect, expectTypeOf, it } from 'vitest'
import { NEWEST_LEVEL } from '../../../src/api/level.ts'
import { type Kind, k8s } from '../../../src/client/client.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'

const KINDS: Readonly<Record<string, Kind<unknown>>> = { ...k8s }

describe('the generated kinds', () => {
  it('are those that the server serves', () => {
    const served = builtInGroups(NEWEST_LEVEL)
      .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
      .map(({ group, version, kind, plural, namespaced }) => ({ group, version, kind, plural, namespaced }))
    const place = ({ group, version, plural }: Kind<unknown>) => `${group}/${version}/${plural}`
    const sorted = (kinds: readonly Kind<unknown>[]) => kinds.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    expect(sorted(Object.values(KINDS))).toEqual(sorted(served))
  })

  it('have the plain name where discovery lists them first, and that of their group where not', () => {
    const groups = (name: string) => [KINDS[name]?.group, KINDS[name]?.version]
    expect(groups('Event')).toEqual(['', 'v1'])
    expect(groups('EventsV1Event')).toEqual(['events.k8s.io', 'v1'])
    expect(groups('HorizontalPodAutoscaler')).toEqual(['autoscaling', 'v2'])
    expect(groups('AutoscalingV1HorizontalPodAutoscaler')).toEqual(['autoscaling', 'v1'])
    expect(groups('ResourceClaim')).toEqual(['resource.k8s.io', 'v1'])
  })

  it('have types as JSON has them', () => {
    expectTypeOf<k8s.Pod['metadata']>().toEqualTypeOf<k8s.ObjectMeta>()
    expectTypeOf<k8s.Container['name']>().toEqualTypeOf<string>()
    expectTypeOf<k8s.Container['imagePullPolicy']>().toEqualTypeOf<'Always' | 'IfNotPresent' | 'Never' | undefined>()
    expectTypeOf<k8s.Secret['data']>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>()
    expectTypeOf<k8s.ServicePort['targetPort']>().toEqualTypeOf<number | string | undefined>()
    // Those of an inlined type stand among the others.
    expectTypeOf<k8s.Volume['emptyDir']>().toEqualTypeOf<k8s.EmptyDirVolumeSource | undefined>()
    expectTypeOf<k8s.Deployment['apiVersion']>().toEqualTypeOf<'apps/v1' | undefined>()
  })
})
