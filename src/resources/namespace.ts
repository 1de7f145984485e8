// Namespaces: two phases of deletion of their own, a label with their name, and finalizers in the specification that only
// `finalize` changes (writes.md section 8).
import type { ApiObject } from '../api/object.ts'
import type { Value } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import { metaOf, metaText, withMemberOf, withMeta } from '../registry/object-meta.ts'
import { validateSubresource } from '../schema/validation/validation.ts'
import type { CharacterTraits } from './character.ts'

const FINALIZER = 'kubernetes'
const NAME_LABEL = 'kubernetes.io/metadata.name'

export const NAMESPACE: CharacterTraits = {
  prepareForCreate: (object) => {
    const before = specFinalizers(object)
    const finalizers = before.includes(FINALIZER) ? before : [...before, FINALIZER]
    return withNameLabel(withSpecFinalizers(object, finalizers))
  },
  firstStatus: () => ({ phase: 'Active' }),
  prepareForUpdate: (object, stored) => withNameLabel(withSpecFinalizers(object, specFinalizers(stored))),
  markOnDelete: (object, now) => {
    const status = own(object, 'status')
    const marked = withMeta(object, { deletionTimestamp: now })
    return { ...marked, status: { ...(isMap(status) ? status : {}), phase: 'Terminating' } }
  },
  isHeldBack: (object) => specFinalizers(object).length > 0,
  subresources: {
    finalize: {
      prepare: (object, stored) => withNameLabel(withMemberOf(object, stored, 'status')),
      validate: (object, stored, { gates }) =>
        validateSubresource(
          { group: '', version: 'v1', kind: 'Namespace' },
          { object, stored, subresource: 'finalize' },
          { gates, namespaced: false },
        ),
      resetFields: ['status'],
    },
  },
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
