import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIndexedPlaces } from '../../../src/api/indexed-place.ts'
import { valueAt } from '../../../src/api/path-text.ts'
import type { ListAt, StoredObject } from '../../../src/api/read.ts'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { parseLabelSelector } from '../../../src/api/selector-text.ts'
import type { Value } from '../../../src/api/value.ts'
import type { ListPage, Pin, Predicate, Store } from '../../../src/store/store.ts'
import { pods } from '../../corpora/stored-resources.ts'
import { openCacheForTest } from './open-cache.ts'

interface Step {
  readonly namespace: string
  readonly name: string
  readonly kind: 'put' | 'remove'
  readonly app: string
  readonly node: string
}

const step: fc.Arbitrary<Step> = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'ab'),
  name: fc.constantFrom('x', 'y', 'z', 'x-1'),
  kind: fc.constantFrom('put', 'put', 'put', 'remove'),
  app: fc.constantFrom('web', 'db'),
  node: fc.constantFrom('', 'n1', 'n2'),
})

const query = fc.record({
  /** Which of the revisions to read at, counted from the newest; beyond the first: the newest. */
  back: fc.nat(30),
  namespace: fc.option(fc.constantFrom('a', 'a-b', 'none'), { nil: undefined }),
  labels: fc.constantFrom('', 'app=web', 'app!=web', 'app in (db)', '!app'),
  fields: fc.constantFrom(
    '',
    'spec.nodeName=n1',
    'spec.nodeName=',
    'metadata.name=x',
    'metadata.namespace=a',
    'status.phase!=Running',
  ),
  /** The values of a condition, at an indexed place or at one that is not indexed. */
  where: fc.option(
    fc.record({
      path: fc.constantFrom(
        ['spec', 'nodeName'],
        ['spec', 'version'],
        ['metadata', 'name'],
        ['metadata', 'labels', 'app'],
      ),
      values: fc.subarray(['', 'n1', 'n2', '1', '3', 'x', 'web']),
    }),
    { nil: undefined },
  ),
  limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
})

/** As a query requires it. */
function predicateOf(pin: Pin): Predicate {
  const matches = ({ bytes }: StoredObject): boolean => {
    const value = valueAt(JSON.parse(bytes.toString()) as Value, pin.path)
    return pin.values.includes(typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  }
  return { key: JSON.stringify(pin), pins: [pin], isSlow: true, matches }
}

const INDEXES = new Map([['pods', parseIndexedPlaces('index', 'spec.version,spec.nodeName')]])

async function write(
  store: Store,
  { namespace, name, kind, app, node }: Step,
  version: number,
  signal: AbortSignal,
): Promise<number> {
  const metadata = { name, namespace, labels: { app } }
  const spec = { ...(node === '' ? {} : { nodeName: node }), version }
  const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec }
  const result = await store.write(
    { resource: pods, namespace, name },
    () => (kind === 'put' ? { kind: 'put', object } : { kind: 'remove' }),
    signal,
  )
  return result.object?.revision ?? 0
}

interface Told {
  readonly revision: number
  readonly remaining: number | undefined
  readonly next: unknown
  readonly objects: readonly string[]
}

async function tell(page: ListPage): Promise<Told> {
  const objects: string[] = []
  for await (const batch of page.batches) objects.push(...batch.map(({ bytes }) => bytes.toString()))
  return { revision: page.revision, remaining: page.remaining, next: page.next, objects }
}

describe('the cache and the storage', () => {
  it('give the same answers, at every revision, to every question, on every page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.array(query, { minLength: 5, maxLength: 5 }),
        async (steps, queries) => {
          await using test = await openCacheForTest({ indexes: INDEXES })
          const revisions = [await test.putNode('first')]
          for (const [i, one] of steps.entries())
            revisions.push(await write(i % 2 === 0 ? test.cache : test.other, one, i, test.signal))
          await test.settled()
          for (const { back, namespace, labels, fields, where, limit } of queries) {
            const revision = revisions.filter((known) => known > 0).at(-1 - back)
            const first: ListAt = revision === undefined ? { kind: 'latest' } : { kind: 'exact', revision }
            const selection = {
              labels: parseLabelSelector(labels),
              fields: parseFieldSelector(fields),
              where: where && predicateOf(where),
            }
            const scope = namespace === undefined ? {} : { namespace }
            for (let at: ListAt | undefined = first; at !== undefined; ) {
              const request = { resource: pods, at, selection, ...scope, ...(limit === undefined ? {} : { limit }) }
              const page: ListPage = await test.cache.list(request, test.signal)
              const cached = await tell(page)
              const stored = await tell(await test.other.list(request, test.signal))
              // By an index the cache knows that nothing matches behind a page; the storage has to look.
              const isSurer =
                cached.next === undefined &&
                stored.next !== undefined &&
                (fields.startsWith('spec.nodeName') || where !== undefined)
              expect(isSurer ? { ...cached, next: stored.next } : cached).toEqual(stored)
              at = page.next === undefined ? undefined : { kind: 'continuation', position: page.next }
            }
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
