// DenyServiceExternalIPs: refuses new external IPs of services.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject } from '../api/object.ts'

/** External IPs can intercept the traffic of others (CVE-2020-8554). Existing external IPs are kept. */
export const DENY_SERVICE_EXTERNAL_IPS: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  resources: ['services'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    if (request.subresource !== '') return
    const before = new Set(externalIpsOf(request.oldObject))
    if (externalIpsOf(request.object).some((address) => !before.has(address))) {
      throw forbidden(request, 'Use of external IPs is denied by admission control')
    }
  },
}

function externalIpsOf(object: ApiObject | undefined): readonly string[] {
  return (isKind(object, 'core_v1.Service') ? object.spec.externalIPs : undefined) ?? []
}
