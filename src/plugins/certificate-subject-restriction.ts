// CertificateSubjectRestriction: refuses client certificates for system:masters (W-476).
import { isKind } from '../api/kind-guard.ts'
import { MASTERS } from '../auth/user.ts'
import { ORGANIZATION, subjectOfRequest } from '../pki/certificate-names.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

export const CERTIFICATE_SUBJECT: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources: ['certificatesigningrequests.certificates.k8s.io'],
  operations: ['CREATE'],
  validate(request) {
    const { object, subresource } = request
    if (subresource !== '' || !isKind(object, 'certificates.k8s.io_v1.CertificateSigningRequest')) return
    if (object.spec.signerName !== CLIENT_SIGNER) return
    const subject = subjectOfRequest(requestIn(object.spec.request ?? ''))
    if (subject === undefined) throw forbidden(request, 'failed to parse CSR: malformed certificate request')
    if (subject.some(({ type, text }) => type === ORGANIZATION && text === MASTERS)) {
      throw forbidden(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`)
    }
  },
}

/** Decodes a base64 PEM certificate request. */
export function requestIn(data: string): Buffer {
  const armour = Buffer.from(data, 'base64').toString('latin1')
  const [, inner = ''] =
    /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(armour) ?? []
  return Buffer.from(inner, 'base64')
}
