import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenServer, openServer, type ServerCall } from '../rigs/running-server.ts'
import { ALLOW, type Behaviour, openWebhookServer, type WebhookServer } from '../fakes/webhook-server.ts'

const BASE = '/apis/stable.example.com'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Spec {
  readonly size?: number
  readonly length?: number
}

interface Converted {
  readonly apiVersion: string
  readonly spec: Spec
}

/** `size` in v1 is `length` in v2. */
const convert: Behaviour = (review, out) => {
  const { request, kind, apiVersion } = review as unknown as {
    readonly kind: string
    readonly apiVersion: string
    readonly request: { uid: string; desiredAPIVersion: string; objects: readonly Converted[] }
  }
  const convertedObjects = request.objects.map((object) => {
    const size = object.spec.size ?? object.spec.length
    const spec = request.desiredAPIVersion.endsWith('/v1') ? { size } : { length: size }
    return { ...object, apiVersion: request.desiredAPIVersion, spec }
  })
  const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects }
  out.end(JSON.stringify({ kind, apiVersion, response }))
}

describe('custom resources that a webhook converts', () => {
  let server: OpenServer
  let hooks: WebhookServer

  beforeAll(async () => {
    hooks = await openWebhookServer()
    server = await openServer()
    hooks.on('/convert', convert)
    const schema = (name: string): object => ({
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [name]: { type: 'integer' } } } },
      },
    })
    await server.must(CRD, {
      method: 'POST',
      body: {
        kind: 'CustomResourceDefinition',
        apiVersion: 'apiextensions.k8s.io/v1',
        metadata: { name: 'planks.stable.example.com' },
        spec: {
          group: 'stable.example.com',
          scope: 'Namespaced',
          names: { plural: 'planks', singular: 'plank', kind: 'Plank' },
          versions: [
            { name: 'v1', served: true, storage: true, schema: schema('size') },
            {
              name: 'v2',
              served: true,
              storage: false,
              schema: schema('length'),
              selectableFields: [{ jsonPath: '.spec.length' }],
            },
          ],
          conversion: {
            strategy: 'Webhook',
            webhook: {
              conversionReviewVersions: ['v1'],
              clientConfig: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle },
            },
          },
        },
      },
    })
    await server.must(`${BASE}/v1/namespaces/default/planks`, {
      method: 'POST',
      body: { kind: 'Plank', apiVersion: 'stable.example.com/v1', metadata: { name: 'a' }, spec: { size: 3 } },
    })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await hooks?.[Symbol.asyncDispose]()
  })

  it('are shown, listed and written in every version (P-366)', async () => {
    const planks = (version: string): string => `${BASE}/${version}/namespaces/default/planks`
    expect(await server.must(`${planks('v2')}/a`)).toMatchObject({
      apiVersion: 'stable.example.com/v2',
      spec: { length: 3 },
    })
    expect(await server.must(planks('v2'))).toMatchObject({ items: [{ spec: { length: 3 } }] })
    expect(await server.must(`${planks('v2')}?fieldSelector=spec.length%3D3`)).toMatchObject({ items: [{}] })
    expect(await server.must(`${planks('v2')}?fieldSelector=spec.length%3D4`)).toMatchObject({ items: [] })
    await server.must(planks('v2'), {
      method: 'POST',
      body: { kind: 'Plank', apiVersion: 'stable.example.com/v2', metadata: { name: 'b' }, spec: { length: 5 } },
    })
    expect(await server.must(`${planks('v1')}/b`)).toMatchObject({ spec: { size: 5 } })
    const patch = { method: 'PATCH', body: { spec: { length: 6 } } }
    await server.must(`${planks('v2')}/a`, {
      ...patch,
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(await server.must(`${planks('v1')}/a`)).toMatchObject({ spec: { size: 6 } })
  })

  describe('in a dry run', () => {
    const PLANKS = `${BASE}/v2/namespaces/default/planks`
    const MERGE = { 'content-type': 'application/merge-patch+json' }
    const APPLY = { 'content-type': 'application/apply-patch+yaml' }
    const plank = (metadata: object, length: number): object => ({
      kind: 'Plank',
      apiVersion: 'stable.example.com/v2',
      metadata,
      spec: { length },
    })
    let stored: { readonly metadata: { readonly resourceVersion: string } }
    beforeAll(async () => {
      stored = (await server.must(PLANKS, { method: 'POST', body: plank({ name: 'dry' }, 1) })) as never
    })

    const writes: readonly [string, () => readonly [string, ServerCall]][] = [
      ['created', () => [`${PLANKS}?`, { method: 'POST', body: plank({ name: 'new' }, 5) }]],
      ['replaced', () => [`${PLANKS}/dry?`, { method: 'PUT', body: plank(stored.metadata, 7) }]],
      ['patched', () => [`${PLANKS}/dry?`, { method: 'PATCH', headers: MERGE, body: { spec: { length: 8 } } }]],
      [
        'applied',
        () => {
          const body = plank({ name: 'dry' }, 9)
          return [`${PLANKS}/dry?fieldManager=m&force=true&`, { method: 'PATCH', headers: APPLY, body }]
        },
      ],
    ]

    it.each(writes)('are %s by way of what would be stored', async (verb, write) => {
      const [path, call] = write()
      const before = hooks.calls.length
      const said = await server.must(`${path}dryRun=All`, call)
      const asked = hooks.calls.slice(before).map(({ review }) => JSON.stringify(review))
      const wanted = asked.map((text) => /"desiredAPIVersion":"[^"]*\/(v\d)"/.exec(text)?.[1])
      expect(wanted.slice(-2)).toEqual(['v1', 'v2'])
      const { apiVersion, metadata } = said as { apiVersion: string; metadata: { resourceVersion?: string } }
      const version = verb === 'created' ? undefined : stored.metadata.resourceVersion
      expect([apiVersion, metadata.resourceVersion]).toEqual(['stable.example.com/v2', version])
      expect(await server.must(`${PLANKS}/dry`)).toMatchObject({ metadata: stored.metadata, spec: { length: 1 } })
    })

    it.each(writes)('are not %s where the write could not be', async (_, write) => {
      const [path, call] = write()
      const isToStorage = /"desiredAPIVersion":"[^"]*\/v1"/
      hooks.on('/convert', (review, out) => {
        if (isToStorage.test(JSON.stringify(review))) out.writeHead(500).end('broken')
        else convert(review, out)
      })
      try {
        const dry = await server.request(`${path}dryRun=All`, call)
        expect(dry.status).toBe(500)
        expect(dry.json()['message']).toContain('conversion webhook for stable.example.com/v2, Kind=Plank failed')
        expect((await server.request(path, call)).body).toBe(dry.body)
      } finally {
        hooks.on('/convert', convert)
      }
    })
  })

  it('are owned field by field across versions', async () => {
    const place = (version: string, query: string): string =>
      `${BASE}/${version}/namespaces/default/planks/owned?${query}`
    const applied = (size: number): object => ({
      kind: 'Plank',
      apiVersion: 'stable.example.com/v1',
      metadata: { name: 'owned' },
      spec: { size },
    })
    const apply = (size: number, query: string): ReturnType<OpenServer['request']> =>
      server.request(place('v1', query), {
        method: 'PATCH',
        body: applied(size),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
    expect((await apply(3, 'fieldManager=first')).status).toBe(201)
    await server.must(place('v2', 'fieldManager=second'), {
      method: 'PATCH',
      body: { spec: { length: 4 } },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    const conflict = await apply(3, 'fieldManager=first')
    expect(conflict.status).toBe(409)
    expect(conflict.json()['message']).toContain('conflict with "second" using stable.example.com/v2')
    expect((await apply(4, 'fieldManager=first')).status).toBe(200)
    expect((await apply(5, 'fieldManager=first&force=true')).status).toBe(200)
    const { metadata } = (await server.must(place('v1', ''))) as unknown as {
      readonly metadata: { readonly managedFields: readonly { readonly manager: string }[] }
    }
    expect(metadata.managedFields.map(({ manager }) => manager)).toEqual(['first'])
  })

  it('cannot be had where the webhook fails, and nothing else suffers (P-366)', async () => {
    hooks.on('/convert', (_review, out) => void out.writeHead(500).end('broken'))
    await server.must(`${BASE}/v1/namespaces/default/planks`, {
      method: 'POST',
      body: { kind: 'Plank', apiVersion: 'stable.example.com/v1', metadata: { name: 'z' }, spec: { size: 1 } },
    })
    const answer = await server.request(`${BASE}/v2/namespaces/default/planks/z`)
    expect(answer.status).toBe(500)
    expect(answer.json()['message']).toBe(
      'conversion webhook for stable.example.com/v1, Kind=Plank failed: an error on the server ("broken") has prevented the request from succeeding',
    )
    expect(await server.must(`${BASE}/v1/namespaces/default/planks/z`)).toMatchObject({ spec: { size: 1 } })
    hooks.on('/convert', convert)
    expect(await server.must(`${BASE}/v2/namespaces/default/planks/z`)).toMatchObject({ spec: { length: 1 } })
    const counted = 'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="planks.stable.example.com"'
    const { body } = await server.request('/metrics')
    expect(body).toContain(`${counted},from_version="v1",to_version="v2",succeeded="true"}`)
    expect(body).toContain(`${counted},from_version="v1",to_version="v2",succeeded="false"} 1`)
  })

  it('are shown to admission webhooks in the version that those know (W-484)', async () => {
    hooks.on('/admit', ALLOW)
    await server.must('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      method: 'POST',
      body: {
        kind: 'ValidatingWebhookConfiguration',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name: 'planks' },
        webhooks: [
          {
            name: 'planks.example.com',
            clientConfig: { url: `${hooks.url}/admit`, caBundle: hooks.caBundle },
            rules: [
              {
                operations: ['CREATE'],
                apiGroups: ['stable.example.com'],
                apiVersions: ['v2'],
                resources: ['planks'],
              },
            ],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    })
    const asked = (): readonly unknown[] => hooks.calls.filter(({ path }) => path === '/admit')
    const firstCall = async (): Promise<unknown> => {
      await server.must(`${BASE}/v1/namespaces/default/planks?dryRun=All`, {
        method: 'POST',
        body: { kind: 'Plank', apiVersion: 'stable.example.com/v1', metadata: { name: 'c' }, spec: { size: 7 } },
      })
      return asked()[0]
    }
    await expect.poll(firstCall).toMatchObject({
      review: {
        request: {
          kind: { version: 'v2' },
          requestKind: { version: 'v1' },
          object: { apiVersion: 'stable.example.com/v2', spec: { length: 7 } },
        },
      },
    })
  })
})
