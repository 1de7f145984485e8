// Draws the family of an object.
import { useEffect, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { ask, type Problem, UnreachableError } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { canList, collectionPath, type Kind } from './kind.ts'
import { type PlacedNode, placeTree, type TreeObject } from './owner-tree.ts'
import { useAttempts } from './polling.ts'
import { objectAddress } from './routes.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly kind: Kind
  readonly object: ManagedObject
}

const COLUMN_PX = 280
const ROW_PX = 54
const BOX = { width: 230, height: 42 } as const

export function TreeTab({ kinds, kind, object }: Props) {
  const { nodes, problem } = useFamily(kinds, kind, object)
  if (problem !== undefined) return <Alert text={problem.message} />
  if (nodes === undefined) return <p class="empty">Loading…</p>
  const width = (Math.max(...nodes.map(({ column }) => column)) + 1) * COLUMN_PX
  const height = (Math.max(...nodes.map(({ row }) => row)) + 1) * ROW_PX
  return (
    <div class="tree">
      <svg width={width} height={height} role="group" aria-label="Owners and what they own">
        {nodes.map((node) => (
          <Branch key={node.object.uid} node={node} />
        ))}
        {nodes.map((node) => (
          <Box key={node.object.uid} node={node} isCurrent={node.object.uid === object.metadata.uid} />
        ))}
      </svg>
      {nodes.length === 1 && <p class="dim">No owners and no dependents.</p>}
    </div>
  )
}

function placeOf({ column, row }: PlacedNode): { readonly x: number; readonly y: number } {
  return { x: column * COLUMN_PX + 1, y: row * ROW_PX + 4 }
}

function Branch({ node }: { readonly node: PlacedNode }) {
  if (node.parent === undefined) return null
  const [from, to] = [placeOf(node.parent), placeOf(node)]
  const [x1, y1, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.y + BOX.height / 2]
  const middle = (x1 + to.x) / 2
  return <path class="branch" d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${to.x} ${y2}`} />
}

function Box({ node, isCurrent }: { readonly node: PlacedNode; readonly isCurrent: boolean }) {
  const { x, y } = placeOf(node)
  const { kind, name } = node.object
  return (
    <a href={objectAddress(kind, node.object)} class={`box ${isCurrent ? 'current' : ''}`}>
      <title>{`${kind.kind} ${name}`}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      <text x={x + 10} y={y + 17} class="dim">
        {kind.kind}
      </text>
      <text x={x + 10} y={y + 33}>
        {name.length > 30 ? `${name.slice(0, 29)}…` : name}
      </text>
    </a>
  )
}

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
/** The most objects of each kind. Larger families are cut short. */
const MOST_OBJECTS = 500

interface MetadataList {
  readonly items: readonly Pick<ManagedObject, 'metadata'>[]
}

/** The family among the objects of the namespace that the user may list. */
function useFamily(
  kinds: readonly Kind[],
  kind: Kind,
  { metadata }: ManagedObject,
): { readonly nodes: readonly PlacedNode[] | undefined; readonly problem: Problem | undefined } {
  const [nodes, setNodes] = useState<readonly PlacedNode[]>()
  const { count, problem, report } = useAttempts()
  const { uid = '', namespace = '' } = metadata
  useEffect(() => {
    const closing = new AbortController()
    const looked = kinds.filter(
      (one) => canList(one) && one.namespaced === (namespace !== '') && one.plural !== 'events',
    )
    const lists = looked.map(async (one): Promise<readonly TreeObject[]> => {
      const path = `${collectionPath(one, namespace)}?limit=${MOST_OBJECTS}`
      const { items } = await ask<MetadataList>(path, { accept: METADATA, signal: closing.signal })
      return items.map((item) => treeObject(one, item.metadata))
    })
    void Promise.allSettled(lists).then((results) => {
      const all = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      const others = all.filter((one) => one.uid !== uid)
      if (closing.signal.aborted) return
      report(results.map(reasonOf).find((reason) => reason instanceof UnreachableError))
      setNodes(placeTree([treeObject(kind, metadata), ...others], uid))
    })
    return () => closing.abort()
  }, [kinds, kind, uid, namespace, count])
  return { nodes, problem }
}

function reasonOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'rejected' ? result.reason : undefined
}

function treeObject(kind: Kind, metadata: ManagedObject['metadata']): TreeObject {
  const { uid = '', namespace = '', name, ownerReferences = [] } = metadata
  return { uid, kind, namespace, name, owners: ownerReferences.map((owner) => owner.uid) }
}
