// PersistentVolumeClaimResize: a claim can be expanded only if its storage class allows it (W-472).
import type { PersistentVolumeClaim, StorageClass } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { own } from '../api/value.ts'
import { compareQuantities, type Quantity } from '../lib/quantity.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'
import { amountsOf } from '../api/amounts.ts'

export function claimResize(classes: ObjectReader<StorageClass>): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['persistentvolumeclaims'],
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (!isKind(object, 'core_v1.PersistentVolumeClaim') || subresource !== '') return
      if (!isKind(oldObject, 'core_v1.PersistentVolumeClaim') || !grows(oldObject, object)) return
      if (oldObject.status.phase !== 'Bound') {
        throw forbidden(request, 'Only bound persistent volume claims can be expanded')
      }
      const name = classOf(object)
      const found = name === '' || classOf(oldObject) === '' ? undefined : await classes.find('', name, signal)
      if (found?.allowVolumeExpansion !== true) {
        const why =
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
        throw forbidden(request, why)
      }
    },
  }
}

function grows(before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean {
  const [old, wanted] = [storageOf(before), storageOf(after)]
  return old !== undefined && wanted !== undefined && compareQuantities(wanted, old) > 0
}

/** The requested storage. */
export function storageOf({ spec }: PersistentVolumeClaim): Quantity | undefined {
  return amountsOf(spec.resources.requests).get('storage')
}

export function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  const older = own(metadata.annotations ?? {}, 'volume.beta.kubernetes.io/storage-class')
  return older ?? spec.storageClassName ?? ''
}
