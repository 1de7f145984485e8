// CertificateApproval and CertificateSigning: besides permission for the subresource, permission to approve or sign for the signer is
// needed, by its name or its domain (W-474, W-475).
import type { CertificateSigningRequest } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { equalValues } from '../api/value.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const REQUEST = 'certificates.k8s.io_v1.CertificateSigningRequest'
const RESOURCES: readonly string[] = ['certificatesigningrequests.certificates.k8s.io']

export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources: RESOURCES,
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object, subresource } = request
      if (subresource !== 'approval' || !isKind(object, REQUEST)) return
      await checkSigner(authorizer, { request, verb: 'approve', signed: object }, signal)
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
      if (subresource !== 'status' || !isKind(object, REQUEST) || !isKind(oldObject, REQUEST)) return
      const isSame = (name: 'certificate' | 'conditions'): boolean =>
        equalValues(object.status[name], oldObject.status[name])
      if (isSame('certificate') && isSame('conditions')) return
      await checkSigner(authorizer, { request, verb: 'sign', signed: oldObject }, signal)
    },
  }
}

async function checkSigner(
  authorizer: Authorizer,
  { request, verb, signed }: { request: AdmissionRequest; verb: 'approve' | 'sign'; signed: CertificateSigningRequest },
  signal: AbortSignal,
): Promise<void> {
  const signer = signed.spec.signerName
  const [domain = ''] = signer.split('/')
  for (const name of [signer, `${domain}/*`]) {
    const place = { group: 'certificates.k8s.io', version: '*', resource: 'signers', name }
    const decision = await authorizer.authorize({ kind: 'resource', user: request.user, verb, ...place }, signal)
    if (decision.kind === 'allow') return
  }
  throw forbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`)
}
