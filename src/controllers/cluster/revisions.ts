// The history of a template, as ControllerRevisions. The newest revision has the current template. A return to an old template raises the
// number of its revision.
import type { ControllerRevision, PodTemplateSpec } from '../../api/gen/kinds.ts'
import { numberOf } from '../../api/json-number.ts'
import { annotationsOf, labelsOf } from '../../api/object-members.ts'
import { equalValues, isMap, own } from '../../api/value.ts'
import { isReason } from '../writes.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { claimChildren, ownerReference, type Selecting } from './ownership.ts'
import { templateHash } from './template-hash.ts'

export type Versioned = Selecting & {
  readonly spec: { readonly template: PodTemplateSpec; readonly revisionHistoryLimit?: number }
  readonly status: { readonly collisionCount?: number }
}

export interface History {
  /** The revisions without the newest, the oldest first. */
  readonly old: readonly ControllerRevision[]
  readonly newest: ControllerRevision
}

/**
 * Makes the revision of the current template if it is missing. If its name is taken, another name is tried. Undefined: a revision with this
 * template has gone meanwhile.
 */
export async function syncHistory(
  cluster: Cluster,
  revisions: Followed<ControllerRevision>,
  owner: Versioned,
  hashLabel: string,
): Promise<History | undefined> {
  const known = (await claimChildren(cluster, revisions, owner)).toSorted((a, b) =>
    Number(BigInt(a.revision) - BigInt(b.revision)),
  )
  const { template } = owner.spec
  const data = { spec: { template: { ...template, $patch: 'replace' } } }
  const last = known.at(-1)
  const next = numberOf(String(BigInt(last?.revision ?? 0) + 1n)) ?? 1
  const found = known.findLast((one) => equalValues(one.data, data))
  if (found !== undefined) {
    const old = known.filter((one) => one !== found)
    if (found === last) return { old, newest: found }
    const newest = await cluster.update(revisions, found, (live) => ({ ...live, revision: next }))
    return newest === undefined ? undefined : { old, newest }
  }
  const { name = '', namespace = '' } = owner.metadata as { readonly name?: string; readonly namespace?: string }
  for (let collisions = owner.status.collisionCount ?? 0; ; collisions++) {
    const hash = templateHash(data, collisions)
    const labels: Record<string, string> = { ...labelsOf(template), [hashLabel]: hash }
    const annotations = annotationsOf(owner)
    const meta = { namespace, name: `${name}-${hash}`, labels, annotations, ownerReferences: [ownerReference(owner)] }
    try {
      const newest = await cluster.create(revisions, meta, { data, revision: next })
      return { old: known, newest }
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error
    }
  }
}

export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isMap(data) ? own(data, 'spec') : undefined
  const template = isMap(spec) ? own(spec, 'template') : undefined
  if (!isMap(template)) return undefined
  const { $patch: _, ...rest } = template
  return rest as unknown as PodTemplateSpec
}

/** Deletes the oldest revisions beyond the limit, except those in use. */
export async function trimHistory(
  cluster: Cluster,
  revisions: Followed<ControllerRevision>,
  { old }: History,
  { limit = 10, used }: { readonly limit?: number | undefined; readonly used: ReadonlySet<string> },
): Promise<void> {
  const idle = old.filter(({ metadata }) => !used.has(metadata.name ?? ''))
  for (const revision of idle.slice(0, Math.max(0, idle.length - limit))) await cluster.remove(revisions, revision)
}
