// CertificateApproval and CertificateSigning: besides permission for the subresource, permission to approve or sign for the signer is
// needed, by its name or its domain (W-474, W-475).
import { textOrEmpty } from '../api/members.ts'
import { specOf, statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues, own } from '../api/value.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const RESOURCES: readonly string[] = ['certificatesigningrequests.certificates.k8s.io']

export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources: RESOURCES,
    operations: ['UPDATE'],
    async validate(request, signal) {
      if (request.subresource !== 'approval' || request.object === undefined) return
      await checkSigner(authorizer, { request, verb: 'approve', signed: request.object }, signal)
    },
  }
}

export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    resources: RESOURCES,
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (subresource !== 'status' || object === undefined || oldObject === undefined) return
      const [status, before] = [statusOf(object), statusOf(oldObject)]
      const isSame = (name: string): boolean => equalValues(own(status, name), own(before, name))
      if (isSame('certificate') && isSame('conditions')) return
      await checkSigner(authorizer, { request, verb: 'sign', signed: oldObject }, signal)
    },
  }
}

async function checkSigner(
  authorizer: Authorizer,
  { request, verb, signed }: { request: AdmissionRequest; verb: 'approve' | 'sign'; signed: ApiObject },
  signal: AbortSignal,
): Promise<void> {
  const signer = textOrEmpty(specOf(signed), 'signerName')
  const [domain = ''] = signer.split('/')
  for (const name of [signer, `${domain}/*`]) {
    const place = { group: 'certificates.k8s.io', version: '*', resource: 'signers', name }
    const decision = await authorizer.authorize({ kind: 'resource', user: request.user, verb, ...place }, signal)
    if (decision.kind === 'allow') return
  }
  throw forbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`)
}
