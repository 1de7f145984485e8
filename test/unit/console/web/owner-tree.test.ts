import { expect, it } from 'vitest'
import type { Kind } from '../../../../src/console/web/kind.ts'
import { familyOf, type TreeObject } from '../../../../src/console/web/owner-tree.ts'

const POD: Kind = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  verbs: [],
  shortNames: [],
  subresources: [],
}

function object(uid: string, ...owners: readonly string[]): TreeObject {
  return { node: { id: uid, kind: POD, name: uid, health: { tone: '', text: '', reason: '' } }, owners }
}

function drawn(all: readonly TreeObject[], uid: string): readonly string[] {
  const { nodes, edges } = familyOf(all, uid)
  return [...nodes.map(({ name }) => name), ...edges.map(({ from, to }) => `${from.name} owns ${to.name}`)]
}

it('is the whole family, from the first owner on', () => {
  const all = [
    object('d'),
    object('r1', 'd'),
    object('r2', 'd'),
    object('p1', 'r1'),
    object('p2', 'r1'),
    object('other'),
    object('x', 'gone'),
  ]
  const edges = ['d owns r1', 'd owns r2', 'r1 owns p1', 'r1 owns p2']
  expect(drawn(all, 'p2')).toEqual(['p2', 'r1', 'd', 'p1', 'r2', ...edges])
  expect(drawn(all, 'x')).toEqual(['x'])
})

it('has all owners of an object', () => {
  expect(drawn([object('a'), object('b'), object('c', 'a', 'b')], 'a')).toEqual(['a', 'c', 'a owns c'])
  expect(drawn([object('a'), object('b'), object('c', 'a', 'b')], 'c')).toEqual(['c', 'a', 'b', 'a owns c', 'b owns c'])
})

it('ends where owners go in a circle', () => {
  expect(drawn([object('a', 'b'), object('b', 'a')], 'a')).toEqual(['a', 'b', 'b owns a', 'a owns b'])
})

it('is nothing where the object is not there', () => expect(drawn([], 'a')).toEqual([]))
