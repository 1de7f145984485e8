// Another program can have written anything to the store, and a webhook can answer with anything. The server never fails for it: no field
// of any kind, with a wrong type in it, makes a request for the object answer 500.
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/api/json-text.ts'
import { type ApiObject, parseGroupVersion } from '../../../src/api/object.ts'
import type { Value } from '../../../src/api/value.ts'
import type { KubernetesObject } from '../../../src/client/client.ts'
import { ABSENT, putKey } from '../../../src/kv/kv.ts'
import { keyInType } from '../../../src/store/keys.ts'
import { everyKind, type KindSample } from '../../corpora/every-kind.ts'
import { plantedObjects } from '../../corpora/planted-values.ts'
import { type ApiWorld, openWorld, type SentRequest } from '../../rigs/api-world.ts'
import { SEED } from '../../rigs/seed.ts'
import { IS_WHOLE } from '../../rigs/whole.ts'

const SIGNAL = new AbortController().signal
const COUNT = IS_WHOLE ? 200 : 3
const NAME = 'planted'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const FORMS: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/cbor',
  PROTOBUF,
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
]
const STATE = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
const STREAMS: readonly string[] = ['/proxy', '/log', '/exec', '/attach', '/portforward']

const samples = everyKind()
  .filter(({ object }) => !object.apiVersion.startsWith('swap.'))
  .map((sample) => [`${sample.object.kind} ${sample.name} of ${sample.object.apiVersion}`, sample] as const)

async function worldFor({ object }: KindSample): Promise<ApiWorld> {
  const world = await openWorld({ gates: ['AllAlpha', 'AllBeta'], controllersOff: ['garbage-collector'] })
  const { namespace } = object.metadata
  if (typeof namespace !== 'string') return world
  const namespaces = '/api/v1/namespaces'
  await world.send({ method: 'POST', path: namespaces, body: { metadata: { name: namespace } } })
  // A new pod waits for it, by a clock that stands still.
  const accounts = `${namespaces}/${namespace}/serviceaccounts`
  await world.send({ method: 'POST', path: accounts, body: { metadata: { name: 'default' } } })
  return world
}

function named({ object }: KindSample): ApiObject {
  const metadata = { ...object.metadata, name: NAME, uid: 'u-1', creationTimestamp: '2024-01-01T00:00:00Z' }
  return { ...object, metadata }
}

function resourceOf(world: ApiWorld, { object, collection }: KindSample): ReturnType<ApiWorld['resource']> {
  const { group, version } = parseGroupVersion(object.apiVersion)!
  return world.resource(collection.split('/').at(-1)!, group, version)
}

describe('a value of a wrong type in the store', () => {
  it.each(samples)('fails no request: %s', async (_, sample) => {
    const world = await worldFor(sample)
    const { subresources, stored, schema } = resourceOf(world, sample)
    const sound = named(sample)
    const namespace = (sound.metadata['namespace'] ?? '') as string
    const key = `/registry/${stored.storagePrefix}/${keyInType({ resource: stored, namespace, name: NAME })}`
    const path = `${sample.collection}/${NAME}`
    const below = [...subresources.keys()].map((name) => `/${name}`).filter((name) => !STREAMS.includes(name))
    const { apiVersion, kind, metadata: _metadata, ...rest } = sound
    const patches: readonly (readonly [contentType: string, body: Value, query?: string])[] = [
      ['application/merge-patch+json', { metadata: { annotations: { a: '1' } } }],
      ['application/strategic-merge-patch+json', rest],
      ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { a: '3' } }]],
      [
        'application/apply-patch+yaml',
        { apiVersion, kind, metadata: { name: NAME, labels: { a: 'b' } }, ...rest },
        '?fieldManager=me&force=true',
      ],
    ]
    const requests: readonly SentRequest[] = [
      { method: 'PUT', path, body: jsonText({ ...sound, metadata: { ...sample.object.metadata, name: NAME } }) },
      ...patches.map(([contentType, body, query = '']) => ({
        method: 'PATCH',
        path: `${path}${query}`,
        body: jsonText(body),
        contentType,
      })),
      ...below.flatMap((each) => [
        { method: 'GET', path: `${path}${each}` },
        { method: 'PATCH', path: `${path}${each}`, body: jsonText(patches[0]![1]), contentType: patches[0]![0] },
      ]),
      { method: 'DELETE', path: `${path}?propagationPolicy=Foreground` },
      { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } },
    ]
    for (const { name, text } of plantedObjects(sound, schema.shape, { seed: SEED, count: COUNT })) {
      const plant = async (): Promise<void> => {
        const { item } = await world.kv.get(key, {}, SIGNAL)
        await putKey(world.kv, { key, value: Buffer.from(text), expected: item?.revision ?? ABSENT }, SIGNAL)
      }
      await plant()
      for (const accept of FORMS) {
        for (const place of [path, sample.collection]) {
          expect(await world.sendForStart({ method: 'GET', path: place, accept }), `${name} ${accept}`).toMatch(
            /^[234]/,
          )
        }
      }
      await plant()
      for (const accept of ['application/json', PROTOBUF]) {
        const watch = { method: 'GET', path: `${sample.collection}?${STATE}`, accept }
        const began = await world.sendForStart(watch)
        expect(began, name).toMatch(/^200/)
        expect(began, name).not.toContain('"type":"ERROR"')
      }
      for (const request of requests) {
        await plant()
        const answer = await world.sendForStart(request)
        expect(answer, `${name}: ${request.method} ${request.path} ${request.contentType ?? ''}`).toMatch(/^[234]/)
      }
    }
  })
})

it.each(['secrets', 'configmaps'])('null is no bytes and fails no request: %s', async (plural) => {
  const world = await openWorld()
  const field = plural === 'secrets' ? 'data' : 'binaryData'
  const path = `/api/v1/namespaces/ns/${plural}`
  const body = { metadata: { name: 'a' }, [field]: { 'tls.crt': null, 'tls.key': null }, type: 'kubernetes.io/tls' }
  expect(await world.send({ method: 'POST', path, body })).toMatchObject({ status: 201 })
  const patch = { metadata: { labels: { a: 'b' } } }
  const contentType = 'application/merge-patch+json'
  expect(await world.send({ method: 'PATCH', path: `${path}/a`, body: patch, contentType })).toMatchObject({
    status: 200,
  })
})

describe('a value of a wrong type from a webhook', () => {
  it.each(samples)('is refused in words or taken: %s', async (_, sample) => {
    const world = await worldFor(sample)
    const { schema, group } = resourceOf(world, sample)
    let answer: ApiObject | undefined
    const rules = [{ operations: ['CREATE'], apiGroups: [group], apiVersions: ['*'], resources: ['*'] }] as const
    world.extensible.admit({ name: 'a.example.com', type: 'mutating', rules }, ({ object }) => {
      if (answer === undefined || object?.metadata?.name !== NAME) return undefined
      return { object: answer as unknown as KubernetesObject }
    })
    for (const { name, text } of plantedObjects(named(sample), schema.shape, { seed: SEED + 1, count: COUNT })) {
      answer = JSON.parse(text) as ApiObject
      const body = jsonText({ ...sample.object, metadata: { ...sample.object.metadata, name: NAME } })
      const got = await world.sendForStart({ method: 'POST', path: `${sample.collection}?dryRun=All`, body })
      expect(got, name).not.toContain('unexpected failure')
    }
  })
})
