// Indexes for queries: the same answers, fewer objects that are looked at.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { type ApiWorld, NAMESPACE, openWorld } from '../../rigs/api-world.ts'

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`
const INDEXES = ["--index=pods=status.phase,spec.schedulerName,metadata.labels['app']"]

interface Made {
  readonly name: string
  readonly scheduler?: string
  readonly app?: string
}

async function makePods(world: ApiWorld, pods: readonly Made[]): Promise<void> {
  for (const { name, scheduler, app } of pods) {
    await world.create(world.resource('pods'), {
      metadata: { name, ...(app === undefined ? {} : { labels: { app } }) },
      spec: {
        ...(scheduler === undefined ? {} : { schedulerName: scheduler }),
        containers: [{ name: 'c', image: 'i' }],
      },
    })
  }
}

const pathOf = (base: string, parameters: Readonly<Record<string, string | number>>): string =>
  `${base}?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`

async function ask(world: ApiWorld, parameters: Readonly<Record<string, string | number>>, base = PODS) {
  const { status, body, warnings } = await world.send({ method: 'GET', path: pathOf(base, parameters) })
  return {
    status,
    warnings,
    body: body as never as { items: ApiObject[]; metadata: Record<string, string>; message: string },
  }
}

const namesIn = ({ body }: { body: { items: ApiObject[] } }): readonly unknown[] =>
  body.items.map(({ metadata }) => metadata.name)

interface Explained {
  readonly plan: { readonly index?: string; readonly scan?: string }
  readonly cost: { readonly objects: number; readonly matched: number }
}

async function explain(world: ApiWorld, parameters: Readonly<Record<string, string | number>>, base = PODS) {
  const { body } = await world.send({ method: 'GET', path: pathOf(base, { ...parameters, explainQuery: 'true' }) })
  const { plan, cost } = body as never as Explained
  return { by: plan.index ?? plan.scan, looked: cost.objects, matched: cost.matched }
}

/** Worlds are forks: their indexes are built when the test begins. */
async function openIndexed(): Promise<ApiWorld> {
  const world = await openWorld({ flags: INDEXES })
  await expect.poll(async () => world.sendForText({ method: 'GET', path: '/metrics' })).toMatch(READY)
  return world
}
const READY = /quarterdeck_query_index_ready\{group="",resource="pods",field="status.phase"\} 1/

describe('an index', () => {
  it('finds the objects of an equality, of a list of values, and of a conjunction', async () => {
    const world = await openIndexed()
    await makePods(world, [
      { name: 'a', scheduler: 's1', app: 'x' },
      { name: 'b', scheduler: 's2', app: 'x' },
      { name: 'c', scheduler: 's1', app: 'y' },
      { name: 'd', app: 'x' },
    ])
    const by = 'spec.schedulerName'
    expect(await explain(world, { where: "object.spec.schedulerName == 's1'" })).toEqual({ by, looked: 2, matched: 2 })
    expect(await explain(world, { where: "object.spec.schedulerName in ['s1', 's2', 'none']" })).toEqual({
      by,
      looked: 3,
      matched: 3,
    })
    const where =
      "object.spec.schedulerName == 's1' && object.metadata.labels['app'] == 'y' && object.metadata.name != 'z'"
    expect(await explain(world, { where })).toEqual({ by: "metadata.labels['app']", looked: 1, matched: 1 })
    expect(namesIn(await ask(world, { where }))).toEqual(['c'])
    expect(await explain(world, { where: "object.spec.schedulerName != 's1'" })).toEqual({
      by: 'all',
      looked: 4,
      matched: 2,
    })
  })

  it('is used for field selectors too', async () => {
    const world = await openIndexed()
    await makePods(world, [{ name: 'a', scheduler: 's1' }, { name: 'b' }])
    expect(await explain(world, { count: 'true', fieldSelector: 'spec.schedulerName=s1' })).toMatchObject({
      by: 'spec.schedulerName',
      matched: 1,
    })
  })

  it('follows updates and deletions, and finds objects of past states and of further pages', async () => {
    const world = await openIndexed()
    await makePods(
      world,
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, app: name === 'e' ? 'y' : 'x' })),
    )
    const where = "object.metadata.labels['app'] == 'x'"
    const first = await ask(world, { where, limit: 1 })
    const pods = world.resource('pods')
    const labelled = (app: string) => (live: ApiObject) => ({
      ...live,
      metadata: { ...live.metadata, labels: { app } },
    })
    await world.update(pods, 'b', labelled('y'))
    await world.update(pods, 'e', labelled('x'))
    await world.delete(pods, 'c', { gracePeriodSeconds: 0 })
    expect(namesIn(await ask(world, { where }))).toEqual(['a', 'd', 'e'])
    const next = { where, limit: 10, continue: first.body.metadata['continue'] ?? '' }
    expect(namesIn(await ask(world, next))).toEqual(['b', 'c', 'd'])
    const past = { resourceVersion: first.body.metadata['resourceVersion'] ?? '', resourceVersionMatch: 'Exact' }
    expect(namesIn(await ask(world, { where, ...past }))).toEqual(['a', 'b', 'c', 'd'])
    expect(await explain(world, { where, ...past })).toMatchObject({ by: "metadata.labels['app']", matched: 4 })
  })

  it('gives the answers of a server without indexes', async () => {
    const [indexed, plain] = [await openIndexed(), await openWorld()]
    const words = ['s1', 's2', 'x', 'y', '']
    const pods = Array.from({ length: 40 }, (_, i) => ({
      name: `p${i}`,
      scheduler: ['s1', 's2', 's3'][i % 3]!,
      ...(i % 4 === 0 ? {} : { app: ['x', 'y'][i % 2]! }),
    }))
    for (const world of [indexed, plain]) await makePods(world, pods)
    const text = fc.constantFrom(...words).map((word) => JSON.stringify(word))
    const field = fc.constantFrom(
      'object.spec.schedulerName',
      "object.metadata.labels['app']",
      'object.metadata.name',
      'object.metadata.namespace',
    )
    const { expression } = fc.letrec<{ expression: string; leaf: string }>((tie) => ({
      leaf: fc.oneof(
        fc.tuple(field, fc.constantFrom('==', '!='), text).map((parts) => parts.join(' ')),
        fc.tuple(field, fc.array(text, { maxLength: 3 })).map(([path, list]) => `${path} in [${list.join(', ')}]`),
        fc.constantFrom('has(object.metadata.labels)', "object.metadata.name == 'p4'", 'object.spec.priority == 0'),
      ),
      expression: fc.oneof(
        { depthSize: 'small' },
        tie('leaf'),
        fc
          .tuple(tie('expression'), fc.constantFrom('&&', '&&', '||'), tie('expression'))
          .map((all) => `(${all.join(' ')})`),
        tie('expression').map((inner) => `!(${inner})`),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(
        expression,
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (where, limit) => {
          const pages = async (world: ApiWorld): Promise<readonly unknown[]> => {
            const names: unknown[] = []
            for (let more: string | undefined = ''; more !== undefined; ) {
              const answer = await ask(world, {
                where,
                ...(limit === undefined ? {} : { limit }),
                ...(more === '' ? {} : { continue: more }),
              })
              expect(answer.status).toBe(200)
              names.push(...namesIn(answer))
              more = answer.body.metadata['continue'] || undefined
            }
            return names
          }
          expect(await pages(indexed)).toEqual(await pages(plain))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('on the name or the namespace is not needed', async () => {
    const world = await openWorld({ flags: ['--query-scan-limit=1'] })
    await makePods(world, [{ name: 'a' }, { name: 'b' }])
    const where = `object.metadata.name == 'b' && object.metadata.namespace == '${NAMESPACE}'`
    expect(namesIn(await ask(world, { where }, '/api/v1/pods'))).toEqual(['b'])
  })
})

describe('beyond the scan limit', () => {
  it('the refusal names the index that would help', async () => {
    const world = await openWorld({ flags: ['--query-scan-limit=2'] })
    await makePods(world, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const { status, body } = await ask(world, { where: "object.status.phase == 'Pending'" })
    expect(status).toBe(400)
    expect(body.message).toBe(
      'where: the query would look at more than 2 objects; an index would help: --index pods=status.phase',
    )
    const { body: other } = await ask(world, { where: 'object.spec.priority > 3' })
    expect(other.message).toMatch(
      /select fewer objects with a namespace, a labelSelector or a field that equals a value$/,
    )
  })

  it('a query with an index is answered', async () => {
    const world = await openWorld({ flags: ['--query-scan-limit=2', ...INDEXES] })
    await makePods(world, [{ name: 'a', scheduler: 's' }, { name: 'b' }, { name: 'c' }])
    const where = "object.spec.schedulerName == 's'"
    await expect.poll(async () => (await ask(world, { where })).status).toBe(200)
  })
})

const DEFINITION = {
  metadata: { name: 'sizes.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'sizes', kind: 'Size' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { height: { type: 'integer' }, colour: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SIZES = '/apis/example.com/v1/sizes'

describe('the indexes of a definition', () => {
  const named = (indexes: string) => ({
    ...DEFINITION,
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { ...DEFINITION.metadata, annotations: { 'quarterdeck.io/indexes': indexes } },
  })

  it('are those of its annotation, also when that changes', async () => {
    const world = await openWorld()
    await world.must('POST', DEFINITIONS, named('spec.height'))
    await expect.poll(async () => (await ask(world, {}, SIZES)).status).toBe(200)
    for (const [name, height, colour] of [
      ['a', 3, 'red'],
      ['b', 4, 'red'],
      ['c', 5, 'blue'],
    ] as const) {
      await world.must('POST', SIZES, {
        kind: 'Size',
        apiVersion: 'example.com/v1',
        metadata: { name },
        spec: { height, colour },
      })
    }
    const byHeight = { where: 'object.spec.height in [3, 5]' }
    const byColour = { where: "object.spec.colour == 'blue'" }
    expect(await explain(world, byHeight, SIZES)).toEqual({ by: 'spec.height', looked: 2, matched: 2 })
    expect(await explain(world, byColour, SIZES)).toEqual({ by: 'all', looked: 3, matched: 1 })
    const resource = world.resource('customresourcedefinitions', 'apiextensions.k8s.io')
    await world.update(resource, 'sizes.example.com', (live) => ({
      ...live,
      metadata: { ...live.metadata, annotations: { 'quarterdeck.io/indexes': 'spec.colour' } },
    }))
    await expect.poll(() => explain(world, byColour, SIZES)).toEqual({ by: 'spec.colour', looked: 1, matched: 1 })
    expect(await explain(world, byHeight, SIZES)).toEqual({ by: 'all', looked: 3, matched: 2 })
  })

  it.each([
    ['spec.height desc', '1:13: unexpected "desc"'],
    ['spec..height', '1:6: expected the name of a field'],
    ['spec.items[*].name', '1:1: spec.items[*].name has many values'],
    ['spec.width', "undefined field 'width' in spec.width"],
    ['spec.height,spec', 'spec is not a single value'],
  ])('are refused if they are %s', async (indexes, message) => {
    const world = await openWorld()
    const { status, body } = await world.send({ method: 'POST', path: DEFINITIONS, body: named(indexes) })
    expect({ status, body }).toMatchObject({ status: 422, body: { reason: 'Invalid' } })
    expect(body['message']).toContain(message)
  })
})
