// The family of an object: its owners up to the first, and all their dependents, with their places in a drawing.
import type { Kind } from './kind.ts'

export interface TreeObject {
  readonly uid: string
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  /** Uids of its owners. */
  readonly owners: readonly string[]
}

export interface PlacedNode {
  readonly object: TreeObject
  /** In steps from the left and from the top. */
  readonly column: number
  readonly row: number
  readonly parent: PlacedNode | undefined
}

/** The objects of the family with their places. Parents come before their children. */
export function placeTree(all: readonly TreeObject[], uid: string): readonly PlacedNode[] {
  const byUid = new Map(all.map((object) => [object.uid, object]))
  const children = new Map<string, TreeObject[]>()
  for (const object of all) {
    const owner = object.owners.find((one) => byUid.has(one))
    if (owner !== undefined) children.set(owner, [...(children.get(owner) ?? []), object])
  }
  const placed: PlacedNode[] = []
  let rows = 0
  const place = (object: TreeObject, column: number, parent: PlacedNode | undefined): void => {
    const node = { object, column, row: rows, parent }
    placed.push(node)
    const below = children.get(object.uid) ?? []
    for (const child of below) if (!placed.some((one) => one.object === child)) place(child, column + 1, node)
    if (below.length === 0) rows++
  }
  const top = topOf(byUid, uid)
  if (top !== undefined) place(top, 0, undefined)
  return placed
}

function topOf(byUid: ReadonlyMap<string, TreeObject>, uid: string): TreeObject | undefined {
  const seen = new Set<string>()
  let object = byUid.get(uid)
  for (;;) {
    const owner: TreeObject | undefined = object?.owners.map((one) => byUid.get(one)).find((one) => one !== undefined)
    if (owner === undefined || seen.has(owner.uid)) return object
    seen.add(owner.uid)
    object = owner
  }
}
