// Pod certificate requests. A node makes a request for a pod that it runs. A signer ends the request by a condition. Then its status is
// immutable.
import { OMITTED } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type {
  PodCertificateRequest,
  PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from '../../api/gen/kinds.ts'
import { specOf, withMembers } from '../../api/object-members.ts'
import { equalValues, own, type ValueMap } from '../../api/value.ts'
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { labelText } from '../../codec/tables/reading.ts'
import { readCertificateRequest } from '../../pki/certificate-request.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain, longerThan } from '../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { stateOf } from '../shared/condition-column.ts'
import { checkConditions } from '../shared/conditions.ts'
import { leafOf } from '../shared/pem.ts'
import { checkSignerName } from '../shared/signer-name.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

type Request = PodCertificateRequest

const SPEC = FieldPath.root<PodCertificateRequestSpec>('spec')
const STATUS = FieldPath.root<PodCertificateRequestStatus>('status')
const CONDITIONS = STATUS.child('conditions')
const CHAIN = STATUS.child('certificateChain')

const MAX_UID = 128
const MAX_REQUEST = 10 * 1024
const MIN_SECONDS = 3600
const DAY_SECONDS = 86_400
/** The longest lifetimes of certificates: `own` for the signers of Kubernetes itself, `others` for all other signers. */
const MAX_SECONDS = { own: DAY_SECONDS, others: 91 * DAY_SECONDS } as const
const MAX_CHAIN = 10 * 1024 * 1024
const HOUR_MS = 3_600_000
const MARGIN_MS = 10 * 60_000

/** A curve that is not strong enough. */
const WEAK_CURVE = 'secp224r1'
const RSA_BITS: readonly number[] = [3072, 4096]

/** The members that can hold the public key. Version v1 has only the first member. */
const FORMS = ['stubPKCS10Request', 'pkixPublicKey', 'proofOfPossession'] as const

const ENDS: readonly string[] = ['Issued', 'Denied', 'Failed']

function checkRequest({ spec }: Request, check: Check): void {
  const { signerName, maxExpirationSeconds: seconds } = spec
  checkSignerName(signerName, SPEC.child('signerName'), check)
  for (const [name, uid] of [
    ['podName', 'podUID'],
    ['serviceAccountName', 'serviceAccountUID'],
    ['nodeName', 'nodeUID'],
  ] as const) {
    check.format(SPEC.child(name), spec[name], dns1123Subdomain(spec[name]))
    if (spec[uid] === '') check.invalid(SPEC.child(uid), '', 'must not be empty')
    if (longerThan(spec[uid], MAX_UID)) check.tooLong(SPEC.child(uid), MAX_UID)
  }
  const domain = signerName.slice(0, Math.max(signerName.indexOf('/'), 0))
  const max = domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io') ? MAX_SECONDS.own : MAX_SECONDS.others
  if (seconds === undefined) check.required(SPEC.child('maxExpirationSeconds'), 'must be set')
  else if (seconds < MIN_SECONDS || seconds > max)
    check.invalid(SPEC.child('maxExpirationSeconds'), seconds, `must be in the range [${MIN_SECONDS}, ${max}]`)
  const [stub, key, proof] = FORMS.map((name) => (own<ValueMap>(spec, name) ?? '') !== '')
  if (stub ? key || proof : !key || !proof) {
    const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'
    check.invalid(SPEC, OMITTED, detail)
  } else if (stub) checkStub(Buffer.from(spec.stubPKCS10Request ?? '', 'base64'), check)
}

/** Names in the request are not checked: the kubelet sends no names, and signers refuse them. */
function checkStub(bytes: Buffer, check: Check): void {
  const at = SPEC.child('stubPKCS10Request')
  if (bytes.length > MAX_REQUEST) return check.tooLong(at, MAX_REQUEST)
  const request = readCertificateRequest(bytes)
  if (request === undefined) return check.invalid(at, OMITTED, 'must be a valid PKCS#10 CSR')
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = request.key ?? {}
  const bits = Math.ceil(modulusLength / 8) * 8
  if (type !== 'ed25519' && type !== 'ec' && type !== 'rsa') {
    check.invalid(at, OMITTED, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA')
  } else if (namedCurve === WEAK_CURVE) {
    check.invalid(at, 'curve P-224', 'elliptic public keys must use curve P256, P384, or P521')
  } else if (type === 'rsa' && !RSA_BITS.includes(bits)) {
    check.invalid(at, `${bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')
  } else if (!request.isSigned()) check.invalid(at, OMITTED, 'invalid signature')
}

function endOf({ conditions = [] }: PodCertificateRequestStatus): string | undefined {
  return conditions.find(({ type }) => ENDS.includes(type))?.type
}

function checkEnds({ conditions = [] }: PodCertificateRequestStatus, check: Check): void {
  let ends = 0
  for (const [i, { type, status }] of conditions.entries()) {
    const at = CONDITIONS.index(i)
    if (!ENDS.includes(type)) check.notSupported(at.child('type'), type, ENDS)
    else {
      if (ends++ > 0) {
        check.invalid(
          at.child('type'),
          type,
          'There may be at most one condition with type "Issued", "Denied", or "Failed"',
        )
      }
      if (status !== 'True') check.notSupported(at.child('status'), status, ['True'])
    }
  }
  checkConditions(conditions, CONDITIONS, check)
}

function checkStatus({ status, spec }: Request, { status: before }: Request, check: Check): void {
  const known = check.errors.length
  checkEnds(status, check)
  if (check.errors.length > known) return
  const end = endOf(status)
  const { conditions: _, ...rest } = status
  if (endOf(before) !== undefined) {
    if (!equalValues(status, before))
      check.invalid(STATUS, status, 'immutable after PodCertificateRequest is issued, denied, or failed')
  } else if (end === 'Issued') checkIssued(status, spec, check)
  else if (end !== undefined) {
    if (Object.keys(rest).length > 0) {
      const detail = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest'
      check.invalid(STATUS, status, detail)
    }
  } else if (!equalValues(status, before))
    check.invalid(STATUS, status, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"')
}

function checkIssued(status: PodCertificateRequestStatus, spec: PodCertificateRequestSpec, check: Check): void {
  const { certificateChain: chain = '', notBefore, notAfter, beginRefreshAt } = status
  if (longerThan(chain, MAX_CHAIN)) return check.tooLong(CHAIN, MAX_CHAIN)
  const leaf = leafOf(chain)
  if (typeof leaf === 'string') return check.invalid(CHAIN, chain, leaf)
  const consistent = 'must be present and consistent with the issued certificate'
  if (notBefore === undefined) check.required(STATUS.child('notBefore'), consistent)
  if (notAfter === undefined) check.required(STATUS.child('notAfter'), consistent)
  if (beginRefreshAt === undefined) {
    const detail = 'must be present and in the range [notbefore+10min, notafter-10min]'
    check.required(STATUS.child('beginRefreshAt'), detail)
  }
  if (notBefore === undefined || notAfter === undefined || beginRefreshAt === undefined) return
  const [from, until, refresh] = [notBefore, notAfter, beginRefreshAt].map((time) => Date.parse(time)) as [
    number,
    number,
    number,
  ]
  const lifetime = leaf.notAfterMs - leaf.notBeforeMs
  const most = spec.maxExpirationSeconds ?? 0
  if (from !== leaf.notBeforeMs) {
    check.invalid(
      STATUS.child('notBefore'),
      notBefore,
      'must be set to the NotBefore time encoded in the leaf certificate',
    )
  } else if (until !== leaf.notAfterMs) {
    check.invalid(
      STATUS.child('notAfter'),
      notAfter,
      'must be set to the NotAfter time encoded in the leaf certificate',
    )
  } else if (lifetime < HOUR_MS) check.invalid(CHAIN, chain, 'leaf certificate lifetime must be >= 1 hour')
  else if (lifetime > most * 1000) {
    check.invalid(CHAIN, chain, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${most})`)
  } else if (refresh < from + MARGIN_MS) {
    check.invalid(STATUS.child('beginRefreshAt'), beginRefreshAt, 'must be at least 10 minutes after status.notBefore')
  } else if (refresh > until - MARGIN_MS) {
    check.invalid(STATUS.child('beginRefreshAt'), beginRefreshAt, 'must be at least 10 minutes before status.notAfter')
  }
}

export const POD_CERTIFICATE_REQUEST: Kind = typedKind<Request>({
  validation: {
    ...builtInRules<Request>({
      object: () => undefined,
      change: (object, stored, check) => check.unchanged(SPEC, object.spec, stored.spec),
      status: checkStatus,
    }),
    create: builtInRules<Request>({ object: checkRequest }).create,
  },
  defaults: within({ spec: within({ maxExpirationSeconds: absent(DAY_SECONDS) }) }),
  strategy: { status: WITH_STATUS_ALONE, conditionalUpdate: true },
  columns: tableOf([
    NAME,
    column('PodName', 'The pod that gets the certificate.', ({ spec }) => spec.podName),
    column('ServiceAccountName', 'The account of the pod.', ({ spec }) => spec.serviceAccountName),
    column('NodeName', 'The node of the pod.', ({ spec }) => spec.nodeName),
    column('SignerName', 'The requested signer.', ({ spec }) => spec.signerName),
    column('State', 'The decision about the request.', (one) => stateOf(one, ENDS, 'Pending')),
    column('UnverifiedUserAnnotations', 'Unverified facts that the pod states about itself.', ({ spec }) =>
      labelText(spec.unverifiedUserAnnotations ?? {}),
    ),
  ]),
  storedAs: {
    v1: {
      kind: { group: 'certificates.k8s.io', version: 'v1beta1', kind: 'PodCertificateRequest' },
      conversion: {
        isIdentity: false,
        toStored: (object) => ({ ...object, apiVersion: 'certificates.k8s.io/v1beta1' }),
        fromStored: (stored) => ({
          ...stored,
          apiVersion: 'certificates.k8s.io/v1',
          spec: withMembers(specOf(stored), { pkixPublicKey: undefined, proofOfPossession: undefined }),
        }),
      },
    },
  },
})
