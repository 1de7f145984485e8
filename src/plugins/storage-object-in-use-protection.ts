// StorageObjectInUseProtection: adds a finalizer to volumes, claims and volume attributes classes (W-469).
import type { AdmissionPlugin } from '../admission/admission.ts'
import { metaOf, withMeta } from '../api/object-members.ts'

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
}

export const STORAGE_PROTECTION: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  resources: ['persistentvolumeclaims', 'persistentvolumes', 'volumeattributesclasses.storage.k8s.io'],
  operations: ['CREATE'],
  mutate({ object, resource, subresource }) {
    const finalizer = FINALIZERS[resource.resource]
    if (object === undefined || subresource !== '' || finalizer === undefined) return object
    const { finalizers = [] } = metaOf(object)
    return finalizers.includes(finalizer) ? object : withMeta(object, { finalizers: [...finalizers, finalizer] })
  },
}
