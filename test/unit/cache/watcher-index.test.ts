import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryRecord } from '../../../src/cache/history.ts'
import { type Scope, WatcherIndex } from '../../../src/cache/watcher-index.ts'
import { Change } from '../../../src/store/change.ts'
import type { StoredItem } from '../../../src/store/store.ts'
import { pods } from '../../corpora/stored-resources.ts'

const fields = pods.selectableFields.filter(({ indexed }) => indexed)

function record(key: string, before: string | undefined, now: string | undefined): HistoryRecord {
  const values = (value: string | undefined): readonly string[] | undefined =>
    value === undefined ? undefined : [value]
  const change = new Change(1, labelled(now), labelled(before))
  return { revision: 1, change, key, previous: undefined, before: values(before), now: values(now), atMs: 0, bytes: 0 }
}

function labelled(app: string | undefined): StoredItem | undefined {
  if (app === undefined) return undefined
  const bytes = Buffer.from(JSON.stringify({ metadata: { name: 'x', resourceVersion: '1', labels: { app } } }))
  const object = (): never => {
    throw new Error('a label is read off the bytes')
  }
  return { kind: 'object', namespace: '', name: 'x', revision: 1, bytes, object }
}

function isIn(scope: Scope, { key, before, now }: HistoryRecord): boolean {
  switch (scope.kind) {
    case 'all':
      return true
    case 'namespace':
      return key.startsWith(scope.prefix)
    case 'key':
      return key === scope.key
    case 'name':
      return key.endsWith(scope.suffix)
    case 'field':
      return now?.[scope.place] === scope.value || before?.[scope.place] === scope.value
    case 'label':
      return scope.key === 'app' && (now?.[0] === scope.value || before?.[0] === scope.value)
  }
}

describe('who is told of a change', () => {
  const word = fc.constantFrom('a', 'b', 'ab')
  const scopes = fc.oneof(
    fc.constant<Scope>({ kind: 'all' }),
    word.map((namespace): Scope => ({ kind: 'namespace', prefix: `${namespace}/` })),
    fc.tuple(word, word).map(([namespace, name]): Scope => ({ kind: 'key', key: `${namespace}/${name}` })),
    word.map((name): Scope => ({ kind: 'name', suffix: `/${name}` })),
    word.map((value): Scope => ({ kind: 'field', place: 0, value })),
    fc.tuple(fc.constantFrom('app', 'tier'), word).map(([key, value]): Scope => ({ kind: 'label', key, value })),
  )

  it('is who watches another value of a label of which nobody watches one any more', () => {
    const index = new WatcherIndex<string>(fields)
    const scope = (value: string): Scope => ({ kind: 'label', key: 'app', value })
    for (const value of ['a', 'b']) index.add(scope(value), value)
    index.remove(scope('a'), 'a')
    const told: string[] = []
    index.forEach(record('ns/x', undefined, 'b'), (watcher) => told.push(watcher))
    expect([told, index.everyone()]).toEqual([['b'], ['b']])
  })

  it('is everyone in whose scope it is, each once', () => {
    const value = fc.option(word, { nil: undefined })
    fc.assert(
      fc.property(fc.array(scopes), word, word, value, value, (all, namespace, name, before, now) => {
        const index = new WatcherIndex<number>(fields)
        for (const [i, scope] of all.entries()) index.add(scope, i)
        const change = record(`${namespace}/${name}`, before, now)
        const told: number[] = []
        index.forEach(change, (watcher) => told.push(watcher))
        const wanted = all.flatMap((scope, i) => (isIn(scope, change) ? [i] : []))
        expect(told.toSorted((a, b) => a - b)).toEqual(wanted)
        expect(index.everyone().toSorted((a, b) => a - b)).toEqual([...all.keys()])
        for (const [i, scope] of all.entries()) index.remove(scope, i)
        expect(index.everyone()).toEqual([])
      }),
    )
  })
})
