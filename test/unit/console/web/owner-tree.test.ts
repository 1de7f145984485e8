import { expect, it } from 'vitest'
import type { Kind } from '../../../../src/console/web/kind.ts'
import { placeTree, type TreeObject } from '../../../../src/console/web/owner-tree.ts'

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
  return { uid, kind: POD, namespace: 'default', name: uid, owners }
}

function drawn(all: readonly TreeObject[], uid: string): readonly string[] {
  return placeTree(all, uid).map(
    ({ object: { name }, column, row, parent }) => `${name} ${column},${row} of ${parent?.object.name ?? 'none'}`,
  )
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
  expect(drawn(all, 'p2')).toEqual(['d 0,0 of none', 'r1 1,0 of d', 'p1 2,0 of r1', 'p2 2,1 of r1', 'r2 1,2 of d'])
  expect(drawn(all, 'x')).toEqual(['x 0,0 of none'])
})

it('ends where owners go in a circle', () => {
  expect(drawn([object('a', 'b'), object('b', 'a')], 'a')).toHaveLength(2)
})

it('is nothing where the object is not there', () => expect(drawn([], 'a')).toEqual([]))
