// Queries held against a naive model: conditions with errors, orders, pages, fields, groups, and watches.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const THINGS = '/apis/example.com/v1/things'

interface Spec {
  readonly n?: number
  readonly t?: string
  readonly list?: readonly number[]
}

const spec: fc.Arbitrary<Spec> = fc.record(
  {
    n: fc.integer({ min: -2, max: 3 }),
    t: fc.constantFrom('a', 'b', '10', '9'),
    list: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

/** `error`: the expression fails. */
type Truth = boolean | 'error'

interface Condition {
  readonly text: string
  readonly on: (spec: Spec) => Truth
}

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(fc.constantFrom('==', '<', '>='), fc.integer({ min: -2, max: 3 })).map(([op, to]) => ({
    text: `object.spec.n ${op} ${to}`,
    on: ({ n }: Spec): Truth => (n === undefined ? 'error' : op === '==' ? n === to : op === '<' ? n < to : n >= to),
  })),
  fc.subarray(['a', 'b', '9']).map((texts) => ({
    text: `object.spec.t in [${texts.map((text) => `'${text}'`).join()}]`,
    // Nothing is in an empty list, whatever it is.
    on: ({ t }: Spec): Truth => (t === undefined && texts.length > 0 ? 'error' : texts.includes(t ?? '')),
  })),
  fc.constantFrom('n', 't', 'list').map((field) => ({
    text: `has(object.spec.${field})`,
    on: (of: Spec): Truth => of[field as keyof Spec] !== undefined,
  })),
  fc.integer({ min: 0, max: 3 }).map((to) => ({
    text: `object.spec.list.exists(i, i == ${to})`,
    on: ({ list }: Spec): Truth => (list === undefined ? 'error' : list.includes(to)),
  })),
)

/** An error counts only if the other side does not decide. */
const both = (a: Truth, b: Truth, decides: boolean): Truth =>
  a === decides || b === decides ? decides : a === 'error' || b === 'error' ? 'error' : !decides

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('condition').map(({ text, on }) => ({
      text: `!(${text})`,
      on: (of: Spec): Truth => {
        const inner = on(of)
        return inner === 'error' ? inner : !inner
      },
    })),
    fc.tuple(tie('condition'), fc.boolean(), tie('condition')).map(([a, isAnd, b]) => ({
      text: `(${a.text} ${isAnd ? '&&' : '||'} ${b.text})`,
      on: (of: Spec): Truth => both(a.on(of), b.on(of), !isAnd),
    })),
  ),
}))

type Objects = ReadonlyMap<string, Spec>

const fields = ['spec.n', 'spec.t', 'metadata.name'] as const
const order = fc.array(fc.record({ field: fc.constantFrom(...fields), isDescending: fc.boolean() }), { maxLength: 3 })

function valueOf(field: (typeof fields)[number], name: string, { n, t }: Spec): number | string | undefined {
  return field === 'spec.n' ? n : field === 'spec.t' ? t : name
}

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

function sorted(
  objects: Objects,
  terms: readonly { field: (typeof fields)[number]; isDescending: boolean }[],
): string[] {
  return [...objects.keys()].sort((one, other) => {
    for (const { field, isDescending } of terms) {
      const [a, b] = [valueOf(field, one, objects.get(one)!), valueOf(field, other, objects.get(other)!)]
      if (a === undefined || b === undefined) {
        if (a !== b) return a === undefined ? 1 : -1
      } else if (compare(a, b) !== 0) return isDescending ? -compare(a, b) : compare(a, b)
    }
    return compare(one, other)
  })
}

const search = (parameters: Readonly<Record<string, string | number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

async function openThings(): Promise<ApiWorld> {
  const world = await openWorld()
  const number = { type: 'integer' }
  const properties = { n: number, t: { type: 'string' }, list: { type: 'array', items: number } }
  await world.must('POST', DEFINITIONS, {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'things.example.com', annotations: { 'quarterdeck.io/indexes': 'spec.t,spec.n' } },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  })
  await expect.poll(async () => (await world.send({ method: 'GET', path: THINGS })).status).toBe(200)
  return world
}

const thing = (name: string, of: Spec): object => ({
  kind: 'Thing',
  apiVersion: 'example.com/v1',
  metadata: { name },
  spec: of,
})

async function make(world: ApiWorld, specs: readonly Spec[]): Promise<Objects> {
  const objects = new Map(specs.map((one, i) => [`o${i}`, one]))
  for (const [name, one] of objects) await world.must('POST', THINGS, thing(name, one))
  return objects
}

const clear = (world: ApiWorld): Promise<unknown> => world.must('DELETE', THINGS)
const matching = (objects: Objects, { on }: Condition): Objects =>
  new Map([...objects].filter(([, of]) => on(of) === true))

it('lists, pages, counts and groups are those of a naive model', async () => {
  const world = await openThings()
  await fc.assert(
    fc.asyncProperty(
      fc.array(spec, { maxLength: 8 }),
      fc.array(fc.record({ where: condition, terms: order, limit: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 4,
        maxLength: 4,
      }),
      async (specs, queries) => {
        await clear(world)
        const objects = await make(world, specs)
        for (const { where, terms, limit } of queries) {
          const found = matching(objects, where)
          const orderBy = terms.map(({ field, isDescending }) => `${field}${isDescending ? ' desc' : ''}`).join()
          const asked = { where: where.text, ...(orderBy === '' ? {} : { orderBy }) }
          const names: unknown[] = []
          const failed = [...objects.values()].filter((of) => where.on(of) === 'error').length
          for (let next: string | undefined = ''; next !== undefined; ) {
            const path: string = `${THINGS}?${search({ ...asked, limit, ...(next === '' ? {} : { continue: next }) })}`
            const { status, body } = await world.send({ method: 'GET', path })
            expect(status, path).toBe(200)
            const items = body['items'] as ApiObject[]
            expect(items.length).toBeLessThanOrEqual(limit)
            names.push(...items.map(({ metadata }) => metadata.name))
            next = (body['metadata'] as { continue?: string }).continue || undefined
          }
          expect(names, where.text).toEqual(sorted(found, terms))
          const rows = await world.send({
            method: 'GET',
            path: `${THINGS}?${search({ where: where.text, groupBy: 'spec.t', sum: 'spec.n', max: 'spec.list' })}`,
          })
          const groups = Map.groupBy(found.values(), ({ t }) => t ?? null)
          const row = (t: string | null, of: readonly Spec[]): object => ({
            group: { 'spec.t': t },
            count: of.length,
            sum: { 'spec.n': of.reduce((sum, { n = 0 }) => sum + n, 0) },
            max: {
              'spec.list':
                of
                  .flatMap(({ list = [] }) => list)
                  .sort(compare)
                  .at(-1) ?? null,
            },
          })
          expect((rows.body['rows'] as object[]).length).toBe(groups.size)
          expect(rows.body['rows']).toEqual(expect.arrayContaining([...groups].map(([t, of]) => row(t, of))))
          // An index passes over objects that do not match, whether the expression fails on them or not.
          const told = Number(/failed on (\d+) object/.exec(rows.warnings.join())?.[1] ?? 0)
          expect(told).toBeLessThanOrEqual(failed)
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  )
})

it('a watch with where tells what a naive model tells', async () => {
  const world = await openThings()
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), to: fc.option(spec) })
  await fc.assert(
    fc.asyncProperty(condition, fc.array(step, { maxLength: 10 }), async (where, steps) => {
      await clear(world)
      const watch = await world.watch(`${THINGS}?watch=1&${search({ where: where.text })}`)
      const live = new Map<string, Spec>()
      const due: string[] = []
      for (const { name, to } of steps) {
        const before = live.get(name)
        const was = before !== undefined && where.on(before) === true
        const is = to !== null && where.on(to) === true
        const path = `${THINGS}/${name}`
        if (to === null) {
          if (live.delete(name)) await world.must('DELETE', path)
        } else {
          const { metadata } = before === undefined ? { metadata: {} } : await world.must('GET', path)
          const { resourceVersion } = metadata as { resourceVersion?: string }
          const body = { ...thing(name, to), metadata: { name, resourceVersion } }
          const written = await world.must(
            before === undefined ? 'POST' : 'PUT',
            before === undefined ? THINGS : path,
            body,
          )
          live.set(name, to)
          // An update that changes nothing is no event.
          if (was && is && written.metadata.resourceVersion === resourceVersion) continue
        }
        if (was || is) due.push(`${was ? (is ? 'MODIFIED' : 'DELETED') : 'ADDED'} ${name}`)
      }
      await expect
        .poll(() => watch.events.map(({ type, object }) => `${type} ${object.metadata.name as string}`))
        .toEqual(due)
    }),
    { numRuns: 30, endOnFailure: true },
  )
})
