// CertificateApproval, CertificateSigning and ClusterTrustBundleAttest: besides permission for the object, a user needs permission to
// approve, sign or attest for its signer. This permission names the signer or its domain (W-474, W-475).
import { forbidden as forbiddenField } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { CertificateSigningRequest, PodCertificateRequest } from '../api/gen/kinds.ts'
import { invalidError } from '../api/invalid-error.ts'
import { isKind, isKindInAnyVersion } from '../api/kind-guard.ts'
import { equalValues } from '../api/value.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const REQUEST = 'certificates.k8s.io_v1.CertificateSigningRequest'
const POD_REQUEST = 'certificates.k8s.io_v1.PodCertificateRequest'
const BUNDLE = 'certificates.k8s.io_v1.ClusterTrustBundle'
const RESOURCES: readonly string[] = ['certificatesigningrequests.certificates.k8s.io']
const SIGNER = FieldPath.root('spec').child('signerName')

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
    resources: [...RESOURCES, 'podcertificaterequests.certificates.k8s.io'],
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (subresource !== 'status') return
      if (isKindInAnyVersion(object, POD_REQUEST) && isKindInAnyVersion(oldObject, POD_REQUEST)) {
        if (!equalValues(object.status, oldObject.status)) await checkPodSigner(authorizer, request, oldObject, signal)
        return
      }
      if (!isKind(object, REQUEST) || !isKind(oldObject, REQUEST)) return
      const isSame = (name: 'certificate' | 'conditions'): boolean =>
        equalValues(object.status[name], oldObject.status[name])
      if (isSame('certificate') && isSame('conditions')) return
      await checkSigner(authorizer, { request, verb: 'sign', signed: oldObject }, signal)
    },
  }
}

export function clusterTrustBundleAttest(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    resources: ['clustertrustbundles.certificates.k8s.io'],
    operations: ['CREATE', 'UPDATE'],
    async validate({ object, oldObject, user, ...request }, signal) {
      if (!isKindInAnyVersion(object, BUNDLE)) return
      const { signerName: signer = '' } = object.spec
      // A storage migration and the garbage collector change only the metadata.
      const isSame = isKindInAnyVersion(oldObject, BUNDLE) && equalValues(object.spec, oldObject.spec)
      if (signer === '' || isSame || (await mayUseSigner(authorizer, { user, verb: 'attest', signer }, signal))) return
      const why = `user not permitted to attest for signerName ${JSON.stringify(signer)}`
      throw forbidden({ object, oldObject, user, ...request }, why)
    },
  }
}

/** The reference reports this refusal as a fault of the object, with 422. */
async function checkPodSigner(
  authorizer: Authorizer,
  { user, name }: AdmissionRequest,
  { spec: { signerName: signer } }: PodCertificateRequest,
  signal: AbortSignal,
): Promise<void> {
  if (await mayUseSigner(authorizer, { user, verb: 'sign', signer }, signal)) return
  const why = `User ${JSON.stringify(user.name)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`
  const kind = { group: 'certificates.k8s.io', kind: 'PodCertificateRequest' }
  throw invalidError(kind, name, [forbiddenField(SIGNER, why)])
}

async function checkSigner(
  authorizer: Authorizer,
  { request, verb, signed }: { request: AdmissionRequest; verb: 'approve' | 'sign'; signed: CertificateSigningRequest },
  signal: AbortSignal,
): Promise<void> {
  const signer = signed.spec.signerName
  if (await mayUseSigner(authorizer, { user: request.user, verb, signer }, signal)) return
  throw forbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`)
}

interface SignerUse {
  readonly user: AdmissionRequest['user']
  readonly verb: 'approve' | 'sign' | 'attest'
  readonly signer: string
}

async function mayUseSigner(
  authorizer: Authorizer,
  { user, verb, signer }: SignerUse,
  signal: AbortSignal,
): Promise<boolean> {
  const [domain = ''] = signer.split('/')
  for (const name of [signer, `${domain}/*`]) {
    const place = { group: 'certificates.k8s.io', version: '*', resource: 'signers', name }
    const decision = await authorizer.authorize({ kind: 'resource', user, verb, ...place }, signal)
    if (decision.kind === 'allow') return true
  }
  return false
}
