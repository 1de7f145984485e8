// The form of a stored object that an update shows to the caller and to admission: the resource in its served version, or a view of it as
// another kind. Also turns the result into an object to store.
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion, type GroupVersionKind } from '../api/object.ts'
import type { KindVersions } from '../patch/ownership.ts'
import { managedFromView, managedInView } from '../patch/view-ownership.ts'
import { invalidError } from '../api/invalid-error.ts'
import type { ObjectView, Resource } from './registry.ts'
import { checkUid } from './steps.ts'

export interface UpdateForm {
  /** The kind that admission sees. */
  readonly kind: GroupVersionKind
  readonly versions: KindVersions
  /** The dotted paths of the fields that get no owner from this write. */
  readonly resetFields: readonly string[]
  /** The stored object, in the form that the caller changes. */
  readonly live: (stored: ApiObject) => ApiObject
  /** The object after the caller's change, in the form for admission. */
  readonly toAdmission: (changed: ApiObject) => ApiObject
  /** The stored object, in the form that admission gets. */
  readonly shown: (stored: ApiObject) => ApiObject
  /** The admitted object, in its stored form. Throws if the form itself is invalid. */
  readonly adopt: (admitted: ApiObject, stored: ApiObject) => ApiObject
}

export function updateFormOf(resource: Resource, subresource: string): UpdateForm {
  const view = resource.subresources.get(subresource)?.view
  return view === undefined ? ownForm(resource, subresource) : viewForm(resource, view)
}

function ownForm({ conversion, storedKind, versions, strategy }: Resource, subresource: string): UpdateForm {
  return {
    kind: storedKind,
    versions,
    resetFields: (strategy.subresources[subresource] ?? strategy.main).resetFields,
    live: (stored) => conversion.fromStored(stored),
    toAdmission: (changed) => conversion.toStored(changed),
    shown: (stored) => stored,
    adopt: (admitted) => admitted,
  }
}

const NONE: readonly string[] = []

function viewForm(resource: Resource, view: ObjectView): UpdateForm {
  const { sharedField } = view
  const shown = view.live ?? view.conversion.fromStored
  const managedOf = (stored: ApiObject): ApiObject[string] | undefined => metaOf(stored).managedFields
  return {
    kind: view.storedKind,
    versions: view.versions,
    resetFields: NONE,
    live: (stored) => withMeta(shown(stored), { managedFields: managedInView(managedOf(stored), sharedField) }),
    toAdmission: (changed) => changed,
    shown,
    adopt: (admitted, stored) => {
      const name = metaText(stored, 'name')
      const faults = view.validate(admitted)
      if (faults.length > 0) throw invalidError(view, name, faults)
      checkUid(resource, name, metaText(admitted, 'uid'), metaText(stored, 'uid'))
      const change = {
        before: managedOf(stored),
        view: managedOf(admitted),
        apiVersion: formatGroupVersion(resource),
      }
      const managed = managedFromView(change, sharedField)
      return withMeta(view.merge(admitted, stored), {
        // A view without a version counts as a view of the stored version.
        resourceVersion: metaText(admitted, 'resourceVersion') || metaText(stored, 'resourceVersion'),
        managedFields: managed.length === 0 ? undefined : managed,
      })
    },
  }
}
