// CertificateApproval and CertificateSigning: besides the right to the subresource one needs a right to the signer, by its name
// or by all of its domain (W-474, W-475). Whoever approves or signs for a signer decides who gets its certificates.
import { mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { specOf } from '../api/object-members.ts'
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
      const signer = textOrEmpty(specOf(request.object), 'signerName')
      if (await isAllowed(authorizer, { request, verb: 'approve', signer }, signal)) return
      throw forbidden(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`)
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
      const [status, before] = [mapOrEmpty(object, 'status'), mapOrEmpty(oldObject, 'status')]
      const isSame = (name: string): boolean => equalValues(own(status, name), own(before, name))
      if (isSame('certificate') && isSame('conditions')) return
      const signer = textOrEmpty(specOf(oldObject), 'signerName')
      if (await isAllowed(authorizer, { request, verb: 'sign', signer }, signal)) return
      throw forbidden(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`)
    },
  }
}

interface SignerQuestion {
  readonly request: AdmissionRequest
  readonly verb: 'approve' | 'sign'
  readonly signer: string
}

async function isAllowed(
  authorizer: Authorizer,
  { request, verb, signer }: SignerQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  const [domain = ''] = signer.split('/')
  for (const name of [signer, `${domain}/*`]) {
    const access = {
      kind: 'resource',
      user: request.user,
      verb,
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'signers',
      subresource: undefined,
      namespace: undefined,
      name,
    } as const
    const decision = await authorizer.authorize(access, signal)
    if (decision.kind === 'allow') return true
  }
  return false
}
