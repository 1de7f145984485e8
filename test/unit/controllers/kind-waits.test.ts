import { expect, it } from 'vitest'
import { KindWaits } from '../../../src/controllers/kind-waits.ts'
import type { GraphNode, OwnerReference } from '../../../src/controllers/ownership-graph.ts'

const reference = (kind: string): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name: 'n',
  uid: 'u',
  blocksOwner: false,
})
const node = (uid: string, ...kinds: readonly string[]): GraphNode =>
  ({ uid, owners: kinds.map(reference) }) as unknown as GraphNode

it('those that wait for a kind are told when it is served, and no others', () => {
  const waits = new KindWaits()
  for (const uid of ['a', 'b']) waits.add(node(uid, 'Foo'), reference('Foo'))
  waits.add(node('c', 'Bar'), reference('Bar'))
  expect(waits.take(() => false)).toEqual([])
  expect(waits.take(({ kind }) => kind === 'Foo')).toEqual(['a', 'b'])
  expect(waits.take(() => true)).toEqual(['c'])
  expect(waits.take(() => true)).toEqual([])
})

it('who is gone, or has other owners, waits for nothing', () => {
  const waits = new KindWaits()
  const [one, two] = [node('a', 'Known', 'Foo'), node('b', 'Foo')]
  waits.add(one, reference('Foo'))
  waits.add(two, reference('Foo'))
  waits.remove(one)
  waits.remove(node('never-waited', 'Foo', 'Bar'))
  expect(waits.take(() => true)).toEqual(['b'])
})
