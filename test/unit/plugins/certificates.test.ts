import { beforeEach, describe, expect, it } from 'vitest'
import {
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
} from '../../../src/plugins/certificate-signers.ts'
import { CERTIFICATE_SUBJECT } from '../../../src/plugins/certificate-subject-restriction.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../../../src/admission/admission.ts'
import type { Access, Authorizer } from '../../../src/auth/authorizer.ts'
import * as der from '../../../src/pki/der-writer.ts'
import { certificateRequest, COMMON_NAME, ORGANIZATION } from '../../corpora/certificate-request.ts'
import { requestFor } from '../admission/request-for.ts'

const SIGNAL = new AbortController().signal

let asked: Access[]

beforeEach(() => {
  asked = []
})

function allowing(verb: string, name: string): Authorizer {
  return {
    authorize: (access: Access) => {
      asked.push(access)
      return access.kind === 'resource' &&
        access.resource === 'signers' &&
        access.group === 'certificates.k8s.io' &&
        access.verb === verb &&
        access.name === name
        ? { kind: 'allow' }
        : { kind: 'no-opinion' }
    },
  }
}

async function judge(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<void> {
  await plugin.validate!(request, SIGNAL)
}

function csr(spec: object, status: object, more: Partial<AdmissionRequest>): AdmissionRequest {
  const object = { metadata: { name: 'c' }, spec: { signerName: 'example.com/one', ...spec }, status }
  const old = { ...object, status: {} }
  return requestFor('certificatesigningrequests', object, { oldObject: old as never, ...more }, 'certificates.k8s.io')
}

describe('approving and signing (W-474, W-475, P-107)', () => {
  const approval = csr({}, { conditions: [{ type: 'Approved' }] }, { operation: 'UPDATE', subresource: 'approval' })
  const signing = csr({}, { certificate: 'AA==' }, { operation: 'UPDATE', subresource: 'status' })

  it.each(['example.com/one', 'example.com/*'])('needs a right to the signer: %s', async (name) => {
    await expect(judge(certificateApproval(allowing('approve', name)), approval)).resolves.toBeUndefined()
    expect(asked.at(-1)).toMatchObject({ verb: 'approve', name })
    await expect(judge(certificateSigning(allowing('sign', name)), signing)).resolves.toBeUndefined()
    expect(asked.at(-1)).toMatchObject({ verb: 'sign', name })
  })

  it.each([
    ['approve', certificateApproval(allowing('sign', 'example.com/one')), approval],
    ['sign', certificateSigning(allowing('sign', 'example.com/two')), signing],
  ] as const)('is refused to those who may not %s', async (verb, plugin, request) => {
    await expect(judge(plugin, request)).rejects.toMatchObject({
      reason: 'Forbidden',
      message: `certificatesigningrequests.certificates.k8s.io "c" is forbidden: user not permitted to ${verb} requests with signerName "example.com/one"`,
    })
  })

  it('asks for nothing where nothing is signed', async () => {
    const nobody = allowing('nothing', 'nobody')
    const unsigned = csr({}, {}, { operation: 'UPDATE', subresource: 'status' })
    await expect(judge(certificateSigning(nobody), unsigned)).resolves.toBeUndefined()
    await expect(judge(certificateApproval(nobody), unsigned)).resolves.toBeUndefined()
    expect(asked).toEqual([])
  })
})

describe('kinds that are stored in an older version', () => {
  const stored = (resource: string, object: object, more: Partial<AdmissionRequest>): AdmissionRequest => {
    const request = requestFor(resource, object, more, 'certificates.k8s.io')
    const older = <T extends AdmissionRequest['object']>(one: T): T =>
      one && { ...one, apiVersion: 'certificates.k8s.io/v1beta1' }
    return { ...request, object: older(request.object), oldObject: older(request.oldObject) }
  }

  it('need a right to the signer of a certificate for a pod', async () => {
    const object = { metadata: { name: 'r' }, spec: { signerName: 'example.com/one' }, status: {} }
    const issued = { ...object, status: { certificateChain: 'x' } }
    const more = { operation: 'UPDATE', subresource: 'status', oldObject: object as never } as const
    const request = stored('podcertificaterequests', issued, more)
    await expect(judge(certificateSigning(allowing('sign', 'example.com/two')), request)).rejects.toMatchObject({
      reason: 'Invalid',
    })
    await expect(judge(certificateSigning(allowing('sign', 'example.com/one')), request)).resolves.toBeUndefined()
  })

  it('need a right to the signer of a bundle', async () => {
    const object = { metadata: { name: 'b' }, spec: { signerName: 'example.com/one', trustBundle: 'x' } }
    const request = stored('clustertrustbundles', object, {})
    const plugin = (name: string) => clusterTrustBundleAttest(allowing('attest', name))
    await expect(judge(plugin('example.com/two'), request)).rejects.toMatchObject({ reason: 'Forbidden' })
    await expect(judge(plugin('example.com/one'), request)).resolves.toBeUndefined()
  })
})

describe('the subject of a request', () => {
  const asking = (signerName: string, organization: der.Der): AdmissionRequest => {
    const pem = certificateRequest([
      [COMMON_NAME, der.utf8String('jane')],
      [ORGANIZATION, der.utf8String('devs')],
      [ORGANIZATION, organization],
    ])
    return csr({ signerName, request: Buffer.from(pem).toString('base64') }, {}, { operation: 'CREATE' })
  }
  const client = 'kubernetes.io/kube-apiserver-client'
  const masters = der.utf8String('system:masters')
  const bigEndian = Buffer.from('system:masters', 'utf16le').swap16()

  it.each([
    ['in the usual alphabet', masters],
    ['in the one for printers', Buffer.concat([Buffer.of(0x13, 14), Buffer.from('system:masters')])],
    ['in one of two bytes a letter', Buffer.concat([Buffer.of(0x1e, bigEndian.length), bigEndian])],
  ])('does not make an administrator: %s (W-476)', async (_name, organization) => {
    await expect(judge(CERTIFICATE_SUBJECT, asking(client, organization))).rejects.toThrow(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    )
  })

  it('is for other signers to judge, and other groups are fine', async () => {
    await expect(judge(CERTIFICATE_SUBJECT, asking('example.com/one', masters))).resolves.toBeUndefined()
    const other = asking(client, der.utf8String('system:master'))
    await expect(judge(CERTIFICATE_SUBJECT, other)).resolves.toBeUndefined()
  })

  it('that cannot be read is refused', async () => {
    const request = csr({ signerName: client, request: 'AAAA' }, {}, { operation: 'CREATE' })
    await expect(judge(CERTIFICATE_SUBJECT, request)).rejects.toThrow('failed to parse CSR')
  })
})
