// Draws the owners and the dependents of an object.
import { Alert } from './alert.tsx'
import { ask, UnreachableError } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import { canList, collectionPath, type Kind } from './kind.ts'
import { MOST_DRAWN } from './namespace-graph.ts'
import { familyOf, type TreeObject } from './owner-tree.ts'
import { usePolled } from './polling.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly kind: Kind
  readonly object: ManagedObject
}

const EVERY_MS = 30_000

export function TreeTab({ kinds, kind, object: { metadata } }: Props) {
  const { uid = '', namespace = '' } = metadata
  const read = async (signal: AbortSignal): Promise<readonly TreeObject[]> => {
    const others = await readObjects(kinds, namespace, signal)
    return [treeObject(kind, metadata), ...others.filter(({ node }) => node.id !== uid)]
  }
  const { value, problem } = usePolled(read, EVERY_MS)
  if (value === undefined)
    return problem === undefined ? <p class="empty">Loading…</p> : <Alert text={problem.message} />
  const { nodes: family, edges: all } = familyOf(value, uid)
  const nodes = family.slice(0, MOST_DRAWN)
  const edges = all.filter(({ from, to }) => nodes.includes(from) && nodes.includes(to))
  return (
    <>
      <Alert text={problem?.message} />
      <GraphDrawing nodes={nodes} edges={edges} namespace={namespace} label="Owners and dependents" current={uid} />
      {family.length > nodes.length && (
        <p class="notice">{`${family.length - nodes.length} further objects are not drawn.`}</p>
      )}
      {nodes.length === 1 && <p class="dim">No owners and no dependents.</p>}
    </>
  )
}

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
/** The largest number of objects of each kind. Larger families are cut short. */
const MOST_OBJECTS = 500

/** The objects of the namespace that the user may list. */
async function readObjects(
  kinds: readonly Kind[],
  namespace: string,
  signal: AbortSignal,
): Promise<readonly TreeObject[]> {
  const looked = kinds.filter((one) => canList(one) && one.namespaced === (namespace !== '') && one.plural !== 'events')
  const lists = looked.map(async (one) => {
    const path = `${collectionPath(one, namespace)}?limit=${MOST_OBJECTS}`
    const { items } = await ask<{ readonly items: readonly ManagedObject[] }>(path, { accept: METADATA, signal })
    return items.map((item) => treeObject(one, item.metadata))
  })
  const results = await Promise.allSettled(lists)
  const away = results.find((one) => one.status === 'rejected' && one.reason instanceof UnreachableError)
  if (away?.status === 'rejected') throw away.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

function treeObject(kind: Kind, { uid = '', name, ownerReferences = [] }: ManagedObject['metadata']): TreeObject {
  const health = { tone: '', text: '', reason: '' } as const
  return { node: { id: uid, kind, name, health }, owners: ownerReferences.map((owner) => owner.uid) }
}
