// Namespaces: two phases of deletion of their own, a label with their name, and finalizers in the specification that only
// `finalize` changes.
import type { ApiObject } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import { isList, isMap, own } from '../../api/value.ts'
import { finalizersOf, metaOf, metaText, withMemberOf, withMeta } from '../../registry/object-meta.ts'
import type { DependentsWish } from '../../registry/registry.ts'
import type { KindStrategy } from '../strategy.ts'

const FINALIZER = 'kubernetes'
const PROPAGATION_FINALIZERS = { Orphan: 'orphan', Foreground: 'foregroundDeletion', Background: undefined } as const
const PROPAGATING: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion'])
const NAME_LABEL = 'kubernetes.io/metadata.name'

export const NAMESPACE: KindStrategy = {
  prepareForCreate: (object) => {
    const before = specFinalizers(object)
    const finalizers = before.includes(FINALIZER) ? before : [...before, FINALIZER]
    return withNameLabel(withSpecFinalizers(object, finalizers))
  },
  firstStatus: () => ({ phase: 'Active' }),
  prepareForUpdate: (object, stored) => withNameLabel(withSpecFinalizers(object, specFinalizers(stored))),
  markOnDelete: (object, now, wish) => {
    const status = own(object, 'status')
    const finalizers = finalizersFor(wish, finalizersOf(object))
    const marked = withMeta(object, {
      deletionTimestamp: now,
      finalizers: finalizers.length === 0 ? undefined : finalizers,
    })
    return { ...marked, status: { ...(isMap(status) ? status : {}), phase: 'Terminating' } }
  },
  isHeldBack: (object) => specFinalizers(object).length > 0,
  subresources: {
    finalize: {
      prepare: (object, stored) => withNameLabel(withMemberOf(object, stored, 'status')),
      resetFields: ['status'],
    },
  },
}

/** Unlike with other kinds, not to orphan dependents means to wait for them (W-376). */
function finalizersFor(
  { orphanDependents, propagationPolicy }: DependentsWish,
  before: readonly string[],
): readonly string[] {
  if (orphanDependents === undefined && propagationPolicy === undefined) return before
  const propagation = orphanDependents === undefined ? propagationPolicy : orphanDependents ? 'Orphan' : 'Foreground'
  const wanted = propagation === undefined ? undefined : PROPAGATION_FINALIZERS[propagation]
  const others = before.filter((name) => name === wanted || !PROPAGATING.has(name))
  return wanted === undefined || others.includes(wanted) ? others : [...others, wanted]
}

function specFinalizers(object: ApiObject): readonly Value[] {
  const spec = own(object, 'spec')
  const finalizers = isMap(spec) ? own(spec, 'finalizers') : undefined
  return isList(finalizers) ? finalizers : []
}

function withSpecFinalizers(object: ApiObject, finalizers: readonly Value[]): ApiObject {
  const spec = own(object, 'spec')
  const { finalizers: _, ...rest } = isMap(spec) ? spec : {}
  return { ...object, spec: finalizers.length === 0 ? rest : { ...rest, finalizers } }
}

function withNameLabel(object: ApiObject): ApiObject {
  const labels = own(metaOf(object), 'labels')
  return withMeta(object, { labels: { ...(isMap(labels) ? labels : {}), [NAME_LABEL]: metaText(object, 'name') } })
}
