import { describe, expect, it } from 'vitest'
import type { ObjectReader } from '../../../src/admission/object-reader.ts'
import type { ApiObject, GroupKind } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'
import { serviceResolver } from '../../../src/controllers/service-resolver.ts'

interface World {
  readonly service?: object
  readonly endpoints?: object
  readonly slices?: readonly object[]
}

function locate(
  { service, endpoints, slices = [] }: World,
  port = 443,
): ReturnType<ReturnType<typeof serviceResolver>> {
  const reader = <T extends ApiObject>(
    kind: GroupKind,
    object: object | undefined,
    list: readonly object[] = [],
  ): ObjectReader<T> => {
    const canonical = (one: object): T => canonicalOf(kind, one as ValueMap) as T
    return {
      find: () => Promise.resolve(object && canonical(object)),
      findLatest: () => Promise.resolve(undefined),
      list: () => Promise.resolve(list.map(canonical)),
    }
  }
  const places = serviceResolver({
    services: reader({ group: '', kind: 'Service' }, service),
    endpoints: reader({ group: '', kind: 'Endpoints' }, endpoints),
    slices: reader({ group: 'discovery.k8s.io', kind: 'EndpointSlice' }, undefined, slices),
  })
  return places({ namespace: 'ns', name: 'hook', port })
}

describe('where a service is reached', () => {
  const service = (more: object = {}): object => ({
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.9', ports: [{ name: 'https', port: 443 }], ...more },
  })
  const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'https', port: 8443 }] }]

  it('is an address behind it, at the port of that name', async () => {
    expect(await locate({ service: service(), endpoints: { subsets } })).toEqual({ host: '10.0.0.1', port: 8443 })
  })

  it('is an endpoint that is ready in its slices', async () => {
    const slices = [
      {
        metadata: { labels: { 'kubernetes.io/service-name': 'other' } },
        endpoints: [{ addresses: ['10.0.0.7'] }],
        ports: [{ name: 'https', port: 1 }],
      },
      {
        metadata: { labels: { 'kubernetes.io/service-name': 'hook' } },
        endpoints: [{ addresses: ['10.0.0.8'], conditions: { ready: false } }, { addresses: ['10.0.0.9'] }],
        ports: [{ name: 'https', port: 2 }],
      },
    ]
    expect(await locate({ service: service(), slices })).toEqual({ host: '10.0.0.9', port: 2 })
  })

  it('is its own address where nothing is known behind it', async () => {
    expect(await locate({ service: service() })).toEqual({ host: '10.96.0.9', port: 443 })
    expect(await locate({ service: service(), endpoints: { subsets: [] } })).toEqual({ host: '10.96.0.9', port: 443 })
  })

  it('is where an external name says', async () => {
    const external = service({ type: 'ExternalName', externalName: 'hook.example.com', clusterIP: '' })
    expect(await locate({ service: external }, 8443)).toEqual({ host: 'hook.example.com', port: 8443 })
  })

  it.each<[string, World, number, string]>([
    ['no service', {}, 443, 'service "hook" not found'],
    ['no such port', { service: service() }, 80, 'no service port 80 found for service "hook"'],
    ['no address', { service: service({ clusterIP: 'None' }) }, 443, 'cannot route to service with ClusterIP "None"'],
  ])('is nowhere: %s', async (_name, world, port, message) => {
    await expect(locate(world, port)).rejects.toThrow(message)
  })
})
