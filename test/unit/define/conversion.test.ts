import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ConversionReview, defineResource } from '../../../src/define/define.ts'

/** `v1` has one address as a text, `v2` its two parts, `v3` a list; only neighbours know each other. */
const server = defineResource({
  group: 'example.com',
  kind: 'Server',
  scope: 'Cluster',
  versions: {
    v1: { spec: z.object({ address: z.string() }) },
    v2: { spec: z.object({ host: z.string(), port: z.string() }), status: z.object({ up: z.boolean() }) },
    v3: { spec: z.object({ parts: z.array(z.string()) }), storage: true },
  },
  convert: {
    'v1 -> v2': ({ spec }) => {
      const [host, port] = spec.address.split(':')
      if (host === undefined || port === undefined) throw new Error(`${spec.address} has no port`)
      return { spec: { host, port } }
    },
    'v2 -> v1': ({ spec, metadata }) => ({
      spec: { address: `${spec.host}:${spec.port}` },
      metadata: { ...metadata, name: 'other', labels: { converted: 'yes' } },
    }),
    'v2 -> v3': (object) => ({ ...object, spec: { parts: [object.spec.host, object.spec.port] } }),
    'v3 -> v2': ({ spec }) => ({ spec: { host: spec.parts[0] ?? '', port: spec.parts[1] ?? '' } }),
  },
  webhook: { service: { namespace: 'default', name: 'servers' } },
})

const kept = { name: 'a', uid: 'u', labels: { app: 'x' }, annotations: { note: 'y' } }
const first = { apiVersion: 'example.com/v1', kind: 'Server', metadata: kept, spec: { address: 'a:1' } } as const

function review(desired: string, ...objects: readonly object[]): ConversionReview {
  return server.review({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: '705ab4f5', desiredAPIVersion: `example.com/${desired}`, objects: objects as never },
  })
}

describe('conversion', () => {
  it('is by webhook where there are functions', () => {
    expect(server.definition.spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'default', name: 'servers' } },
        conversionReviewVersions: ['v1'],
      },
    })
  })

  it('goes through the versions in between', () => {
    expect(server.convert(first, 'v3')).toEqual({ ...first, apiVersion: 'example.com/v3', spec: { parts: ['a', '1'] } })
    expect(server.convert(server.convert(first, 'v3'), 'v3')).toEqual(server.convert(first, 'v3'))
  })

  it('keeps a status that a function leaves out', () => {
    const versions = {
      v1: { spec: z.object({ a: z.string() }), status: z.object({ up: z.boolean() }), storage: true },
      v2: { spec: z.object({ b: z.string() }), status: z.object({ up: z.boolean() }) },
      v3: { spec: z.object({ c: z.string() }) },
    }
    const thing = defineResource({
      group: 'example.com',
      kind: 'Thing',
      scope: 'Cluster',
      versions,
      convert: {
        'v1 -> v2': ({ spec }) => ({ spec: { b: spec.a } }),
        'v2 -> v1': ({ spec }) => ({ spec: { a: spec.b } }),
        'v1 -> v3': ({ spec }) => ({ spec: { c: spec.a } }),
        'v3 -> v1': ({ spec }) => ({ spec: { a: spec.c } }),
      },
    })
    const object = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
      spec: { a: 'x' },
      status: { up: true },
    } as const
    expect(thing.convert(object, 'v2')).toEqual({ ...object, apiVersion: 'example.com/v2', spec: { b: 'x' } })
    expect(thing.convert(object, 'v3')).not.toHaveProperty('status')
    expect(thing.convert(thing.convert(object, 'v2'), 'v1')).toEqual(object)
  })

  it('lets functions change labels and annotations, and nothing else of the metadata', () => {
    const { metadata } = server.convert(server.convert(first, 'v2'), 'v1')
    expect(metadata).toEqual({ name: 'a', uid: 'u', labels: { converted: 'yes' }, annotations: { note: 'y' } })
  })

  it('fills in the defaults of each version on the way', () => {
    const port = z.object({ number: z.int(), protocol: z.string().default('TCP') })
    const chain = defineResource({
      group: 'example.com',
      kind: 'Server',
      scope: 'Cluster',
      versions: {
        v1: { spec: z.object({ port: z.int() }) },
        v2: {
          spec: z.object({ ports: z.array(port), by: z.record(z.string(), port), kept: port.prefault({ number: 1 }) }),
        },
        v3: { spec: z.object({ texts: z.array(z.string()) }), storage: true },
      },
      convert: {
        'v1 -> v2': ({ spec }) => ({ spec: { ports: [{ number: spec.port }], by: { a: { number: 2 } } } }),
        'v2 -> v3': ({ spec: { ports, by, kept } }) => ({
          spec: {
            texts: [...ports, ...Object.values(by), kept].map(({ number, protocol }) => `${number}/${protocol}`),
          },
        }),
        'v3 -> v1': () => ({ spec: { port: 1 } }),
      },
      webhook: { url: 'https://convert.example.com' },
    })
    const object = { apiVersion: 'example.com/v1', kind: 'Server', metadata: {}, spec: { port: 80 } } as const
    expect(chain.convert(object, 'v3').spec.texts).toEqual(['80/TCP', '2/TCP', '1/TCP'])
  })

  it('only renames the version where there are no functions', () => {
    const renamed = defineResource({
      group: 'example.com',
      kind: 'Server',
      scope: 'Cluster',
      versions: { v1: { spec: z.object({}) }, v2: { spec: z.object({}), storage: true } },
    })
    const object = { apiVersion: 'example.com/v1', kind: 'Server', metadata: { name: 'a' }, spec: {} } as const
    expect(renamed.definition.spec.conversion).toBeUndefined()
    expect(renamed.convert(object, 'v2')).toEqual({ ...object, apiVersion: 'example.com/v2' })
  })

  it('answers a review', () => {
    expect(review('v3', first, server.convert(first, 'v2'))).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: {
        uid: '705ab4f5',
        convertedObjects: [server.convert(first, 'v3'), server.convert(first, 'v3')],
        result: { status: 'Success' },
      },
    })
  })

  it.each([
    ['what a function throws', review('v2', { ...first, spec: { address: 'a' } }), 'a has no port'],
    ['an unknown version', review('v4', first), 'cannot convert v1 to v4: the versions are v1, v2, v3'],
    ['another group', review('v2', { ...first, apiVersion: 'other.com/v1' }), 'cannot convert other.com/v1 to v2'],
  ])('answers a review with %s', (_name, { response }, message) => {
    expect(response?.uid).toBe('705ab4f5')
    expect(response?.result).toEqual({ status: 'Failure', message: expect.stringContaining(message) as string })
    expect(response).not.toHaveProperty('convertedObjects')
  })

  it('answers a review without a request', () => {
    const { response } = server.review({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' })
    expect(response?.result).toEqual({ status: 'Failure', message: 'the review has no request' })
  })

  it.each(['v1 > v2', 'v1 -> v9', 'v1 -> v1'])('takes no function under %s', (pair) => {
    const define = (): unknown =>
      defineResource({
        group: 'example.com',
        kind: 'Server',
        scope: 'Cluster',
        versions: { v1: { spec: z.object({}) } },
        convert: { [pair]: () => ({ spec: {} }) },
      })
    expect(define).toThrow(`convert["${pair}"]: is not "FROM -> TO" with two of the versions v1`)
  })
})
