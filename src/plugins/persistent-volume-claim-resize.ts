// PersistentVolumeClaimResize: a claim can be expanded only where its storage class allows it (W-472).
import { mapOrEmpty, quantityOrAbsent, textOrAbsent, textOrEmpty } from '../api/members.ts'
import { annotationsOf, specOf, statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own } from '../api/value.ts'
import { compareQuantities, type Quantity } from '../lib/quantity.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

export function claimResize(classes: ObjectReader): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['persistentvolumeclaims'],
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (object === undefined || oldObject === undefined || subresource !== '' || !grows(oldObject, object)) return
      if (textOrEmpty(statusOf(oldObject), 'phase') !== 'Bound') {
        throw forbidden(request, 'Only bound persistent volume claims can be expanded')
      }
      const name = classOf(object)
      const found = name === '' || classOf(oldObject) === '' ? undefined : await classes.find('', name, signal)
      if (found === undefined || own(found, 'allowVolumeExpansion') !== true) {
        const why =
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
        throw forbidden(request, why)
      }
    },
  }
}

function grows(before: ApiObject, after: ApiObject): boolean {
  const [old, wanted] = [storageOf(before), storageOf(after)]
  return old !== undefined && wanted !== undefined && compareQuantities(wanted, old) > 0
}

/** The requested storage. */
export function storageOf(claim: ApiObject): Quantity | undefined {
  return quantityOrAbsent(mapOrEmpty(mapOrEmpty(specOf(claim), 'resources'), 'requests'), 'storage')
}

export function classOf(claim: ApiObject): string {
  const older = textOrAbsent(annotationsOf(claim), 'volume.beta.kubernetes.io/storage-class')
  return older ?? textOrEmpty(specOf(claim), 'storageClassName')
}
