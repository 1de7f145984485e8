// What is told of objects that are taken all the same.
import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { canonicalOf } from '../../../corpora/kind-of.ts'
import { openWorld } from '../../../rigs/api-world.ts'
import { deployment } from '../warning.ts'

describe('warnings', async () => {
  const world = await openWorld()
  test('about templates come again only with a new generation', () => {
    const { strategy } = world.resource('deployments', 'apps')
    const of = (generation: number): ApiObject => {
      const spec = deployment({ terminationGracePeriodSeconds: -1 }) as ValueMap
      const object = canonicalOf({ group: 'apps', kind: 'Deployment' }, spec)
      return { ...object, metadata: { ...object.metadata, generation } }
    }
    expect(strategy.warnings(of(2), of(2), world.context())).toEqual([])
    expect(strategy.warnings(of(3), of(2), world.context())).toHaveLength(1)
  })

  test('about pods are not repeated on updates', () => {
    const { strategy } = world.resource('pods')
    const pod = canonicalOf({ group: '', kind: 'Pod' }, { metadata: { name: 'a.b' } })
    expect(strategy.warnings(pod, pod, world.context())).toEqual([])
  })

  test.each([
    ['pods', { podIPs: [{ ip: '2001:DB8::1' }], hostIPs: [{ ip: '192.0.2.1' }] }, 'status.podIPs[0].ip'],
    ['services', { loadBalancer: { ingress: [{ ip: '2001:DB8::1' }] } }, 'status.loadBalancer.ingress[0]'],
    [
      'ingresses',
      { loadBalancer: { ingress: [{ ip: '2001:DB8::1' }] } },
      'status.loadBalancer.ingress[0]',
      'networking.k8s.io',
    ],
  ])('about the status of %s', (resource, status, place, group = '') => {
    const { strategy, storedKind } = world.resource(resource, group)
    const object = canonicalOf(storedKind, { metadata: { name: 'x' }, status })
    expect(strategy.subresources['status']?.warnings?.(object)).toEqual([
      `${place}: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")`,
    ])
  })

  test.each([
    ['resourcequotas', '', { spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1' } } }, []],
    ['endpointslices', 'discovery.k8s.io', { addressType: 'FQDN' }, []],
    [
      'statefulsets',
      'apps',
      { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1m' } } } }] } },
      [
        'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
      ],
    ],
    [
      'cronjobs',
      'batch',
      { spec: { schedule: 'TZ=UTC 0 0 * * *' } },
      [
        'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      ],
    ],
  ])('about updates of %s', (resource, group, body, told) => {
    const { strategy, storedKind } = world.resource(resource, group)
    const object = canonicalOf(storedKind, { metadata: { name: 'x' }, ...body })
    expect(strategy.warnings(object, object, world.context())).toEqual(told)
  })

  test('about an account come once', () => {
    const { strategy } = world.resource('serviceaccounts')
    const metadata = { name: 's', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } }
    const account = canonicalOf({ group: '', kind: 'ServiceAccount' }, { metadata })
    expect(strategy.warnings(account, account, world.context())).toEqual([])
  })
})
