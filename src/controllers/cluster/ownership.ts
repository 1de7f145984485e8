// Controllers manage the objects that they own: they adopt orphans, release objects that no longer match, and follow changes.
import type { LabelSelector as SelectorObject, OwnerReference, Pod } from '../../api/gen/kinds.ts'
import { labelsOf, metaOf, metaText, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { type LabelSelector, matchesLabels } from '../../api/selector.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import type { Cluster, SyncQueue } from './cluster-state.ts'
import { controllerOf, type Followed } from './followed.ts'

/** A kind that selects its children by labels. The selector of a ReplicationController is a plain map of labels. */
export type Selecting = ApiObject & { readonly spec: { readonly selector?: SelectorObject | null } }

export function selectorOf({ kind, spec }: Selecting): LabelSelector | undefined {
  const { selector } = spec
  if (selector === null || selector === undefined) return undefined
  return labelSelectorOf(kind === 'ReplicationController' ? { matchLabels: selector } : selector)
}

export function ownerReference({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  const { name = '', uid = '' } = metadata as { readonly name?: string; readonly uid?: string }
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The children of an owner, after it has adopted orphans that match, and released children that do not. */
export async function claimChildren<T extends ApiObject>(
  cluster: Cluster,
  children: Followed<T>,
  owner: Selecting,
): Promise<readonly T[]> {
  const selector = selectorOf(owner)
  const matches = (child: T): boolean => selector !== undefined && matchesLabels(selector, metaOf(child).labels)
  const claimed: T[] = []
  for (const child of children.ownedBy(metaText(owner, 'uid'))) {
    if (matches(child)) claimed.push(child)
    else if (!isTerminating(owner)) await release(cluster, children, child, owner)
  }
  if (isTerminating(owner) || (selector?.requirements.length ?? 0) === 0) return claimed
  for (const orphan of children.orphansIn(metaText(owner, 'namespace'))) {
    if (isTerminating(orphan) || !matches(orphan)) continue
    const adopted = await adopt(cluster, children, orphan, owner)
    if (adopted !== undefined) claimed.push(adopted)
  }
  return claimed
}

function adopt<T extends ApiObject>(
  cluster: Cluster,
  children: Followed<T>,
  orphan: T,
  owner: ApiObject,
): Promise<T | undefined> {
  const reference = ownerReference(owner)
  return cluster.update(children, orphan, (live) => {
    if (controllerOf(live) !== undefined || isTerminating(live)) return live
    return withOwners(live, [...(metaOf(live).ownerReferences ?? []), reference])
  })
}

async function release<T extends ApiObject>(
  cluster: Cluster,
  children: Followed<T>,
  child: T,
  owner: ApiObject,
): Promise<void> {
  const uid = metaText(owner, 'uid')
  await cluster.update(children, child, (live) =>
    withOwners(
      live,
      (metaOf(live).ownerReferences ?? []).filter((reference) => reference.uid !== uid),
    ),
  )
}

function withOwners<T extends ApiObject>(object: T, owners: readonly OwnerReference[]): T {
  return withMeta(object as ApiObject, { ownerReferences: owners.length === 0 ? undefined : owners }) as T
}

/** After every change of a child, adds its owner to the queue. After a change of an orphan, adds every owner that may adopt it. */
export function queueOwners<C extends ApiObject, T extends Selecting>(
  children: Followed<C>,
  owners: Followed<T>,
  queue: Pick<SyncQueue<T>, 'add'>,
): void {
  const { kind, group, version } = owners.resource
  const apiVersion = group === '' ? version : `${group}/${version}`
  const ownersOf = (child: ApiObject): readonly T[] => {
    const reference = controllerOf(child)
    const namespace = metaText(child, 'namespace')
    if (reference === undefined) {
      if (isTerminating(child)) return []
      return [...owners.in(namespace)].filter((owner) => {
        const selector = selectorOf(owner)
        return selector !== undefined && matchesLabels(selector, labelsOf(child))
      })
    }
    if (reference.kind !== kind || reference.apiVersion !== apiVersion) return []
    const owner = owners.get(namespace, reference.name)
    return owner !== undefined && metaText(owner, 'uid') === reference.uid ? [owner] : []
  }
  const tell = (child: ApiObject): void => {
    for (const owner of ownersOf(child)) queue.add(owner)
  }
  children.listen({
    changed: (child, before) => {
      tell(child)
      if (before !== undefined && controllerOf(before)?.uid !== controllerOf(child)?.uid) tell(before)
    },
    gone: tell,
  })
}

/** Sorts the oldest first, and by name if the times are equal. */
export function byAge(a: ApiObject, b: ApiObject): number {
  const [first, second] = [metaOf(a).creationTimestamp ?? '', metaOf(b).creationTimestamp ?? '']
  if (first !== second) return first < second ? -1 : 1
  return metaText(a, 'name') < metaText(b, 'name') ? -1 : 1
}

export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && !hasEnded(status)
}

export function hasEnded({ phase }: Pod['status']): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

/** The time when the pod became ready, in milliseconds since 1970. Undefined: it is not ready. */
export function readySince({ status }: Pod): number | undefined {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') : undefined
}

export function isReady(pod: Pod): boolean {
  return readySince(pod) !== undefined
}

/** The time until the pod counts as available. 0: it is available. Undefined: it is not ready. */
export function availableIn(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const since = readySince(pod)
  if (since === undefined) return undefined
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1000 - nowMs)
}
