// DenyServiceExternalIPs: refuses new external IPs of services.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'
import { textsOnly } from '../api/members.ts'
import { specOf } from '../api/object-members.ts'

/** External IPs can intercept traffic of others (CVE-2020-8554); existing ones are kept. */
export const DENY_SERVICE_EXTERNAL_IPS: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  resources: ['services'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    const { object, oldObject, subresource } = request
    if (object === undefined || subresource !== '') return
    const before = new Set(oldObject === undefined ? [] : textsOnly(specOf(oldObject), 'externalIPs'))
    if (textsOnly(specOf(object), 'externalIPs').some((address) => !before.has(address))) {
      throw forbidden(request, 'Use of external IPs is denied by admission control')
    }
  },
}
