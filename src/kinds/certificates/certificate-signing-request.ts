// Certificate signing requests. The server sets the requesting user. Approval and signing have subresources of their own (W-596 to W-598).
import { FieldPath } from '../../api/field-path.ts'
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '../../api/gen/kinds.ts'
import { withMembers, withSpec } from '../../api/object-members.ts'
import { userInfo } from '../../api/user.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { humanDuration } from '../../codec/tables/elapsed.ts'
import { orNone } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate } from '../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { certificateFault, requestFault } from '../shared/pem.ts'
import { checkSignerName } from '../shared/signer-name.ts'

type Request = CertificateSigningRequest
type Condition = CertificateSigningRequestCondition

const SPEC = FieldPath.root<CertificateSigningRequestSpec>('spec')
const STATUS = FieldPath.root<CertificateSigningRequestStatus>('status')
const CONDITIONS = STATUS.child('conditions')
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'

/** Called if a decision and its opposite are both present. */
type Exclude = (type: string, check: Check) => void

const excludeEachOther: Exclude = (type, check) =>
  check.invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive')

const MEMBERS = [`conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`] as const

const excludeTogether: Exclude = (_type, check) =>
  check.invalid(
    CONDITIONS,
    `{${MEMBERS.join(', ')}}`,
    `must specify at most one of: ${MEMBERS.map((name) => `\`${name}\``).join(', ')}`,
  )

function checkRequest(object: Request, exclude: Exclude, check: Check): void {
  checkBuiltInMeta(object, () => [], check)
  const { spec, status } = object
  const { request, signerName: signer } = spec
  const fault = requestFault(Buffer.from(request ?? '', 'base64').toString('latin1'))
  if (fault !== undefined) check.invalid(SPEC.child('request'), request ?? undefined, fault)
  check.fields(spec, SPEC, 'certificates.k8s.io_v1.CertificateSigningRequestSpec', 'usages')
  // The reference reports duplicates after the errors of single items.
  const usages = new Set<string>()
  spec.usages?.forEach((usage, i) => check.unique(usages, usage, SPEC.child('usages').index(i)))
  if (signer === LEGACY_SIGNER) {
    check.invalid(SPEC.child('signerName'), signer, 'the legacy signerName is not allowed via this API version')
  } else checkSignerName(signer, SPEC.child('signerName'), check)
  check.fields(spec, SPEC, 'certificates.k8s.io_v1.CertificateSigningRequestSpec', 'expirationSeconds')
  checkConditions(status, exclude, check)
  checkCertificate(status, check)
}

const DECISIONS: readonly string[] = ['Approved', 'Denied']
const FINAL: readonly string[] = [...DECISIONS, 'Failed']

function checkConditions(requestStatus: CertificateSigningRequestStatus, exclude: Exclude, check: Check): void {
  const seen = new Set<string>()
  check.each(requestStatus, 'conditions', STATUS, (condition, at) => {
    const { type, status } = condition
    check.fields(condition, at, 'certificates.k8s.io_v1.CertificateSigningRequestCondition')
    const statuses = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (status === '') check.required(at.child('status'))
    else check.oneOf(at.child('status'), status, statuses)
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (opposite !== undefined && seen.has(opposite)) exclude(type, check)
    check.unique(seen, type, at.child('type'))
  })
}

function checkCertificate({ certificate }: CertificateSigningRequestStatus, check: Check): void {
  if (certificate === undefined) return
  const fault = certificateFault(Buffer.from(certificate, 'base64').toString('latin1'))
  if (fault !== undefined) check.invalid(STATUS.child('certificate'), '<certificate data>', fault)
}

interface Allowed {
  readonly approval: boolean
  readonly certificate: boolean
  readonly exclude: Exclude
}

function isOfType(type: string): (condition: Condition) => boolean {
  return (condition) => condition.type === type
}

function conditionsOf({ status: { conditions = [] } }: Request, type: string): readonly Condition[] {
  return conditions.filter(isOfType(type))
}

const changeRule =
  (allowed: Allowed): UpdateRule<Request> =>
  (object, stored, check) => {
    checkRequest(object, allowed.exclude, check)
    checkBuiltInMetaUpdate(object, stored, check)
    for (const type of FINAL) {
      if (conditionsOf(object, type).length < conditionsOf(stored, type).length) {
        check.forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`)
      }
    }
    if (!allowed.approval) {
      for (const type of DECISIONS) {
        const [now, before] = [conditionsOf(object, type), conditionsOf(stored, type)]
        if (now.length > before.length) check.forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`)
        else if (now.length === before.length && !equalValues(now, before)) {
          check.forbidden(CONDITIONS, `updates may not modify a condition of type "${type}"`)
        }
      }
    }
    const { certificate: before } = stored.status
    if (object.status.certificate === before) return
    const at = STATUS.child('certificate')
    if (!allowed.certificate) check.forbidden(at, 'updates may not set certificate content')
    else if (before !== undefined) check.forbidden(at, 'updates may not modify existing certificate content')
  }

/** Clears the client's values: the server sets the requesting user. */
const NOBODY = { username: undefined, uid: undefined, groups: undefined, extra: undefined } as const

/** A signer cannot change the approval: the stored conditions are restored. Validation rejects added and removed conditions. */
function withDecisionsOf(object: Request, stored: Request): Request {
  let { conditions = [] } = object.status
  for (const type of DECISIONS) {
    const decided = conditionsOf(stored, type)
    if (conditions.filter(isOfType(type)).length !== decided.length) continue
    let next = 0
    conditions = conditions.map((condition) => (isOfType(type)(condition) ? decided[next++]! : condition))
  }
  return withConditions(object, conditions)
}

function withConditionTimes(object: Request, stored: Request, now: string): Request {
  const keyOf = ({ type, status }: Condition): string => JSON.stringify([type, status])
  // If stored conditions have the same type and status, the time of the first condition counts.
  const timed = (stored.status.conditions ?? []).filter((each) => each.lastTransitionTime !== null).toReversed()
  const times = new Map(timed.map((each) => [keyOf(each), each.lastTransitionTime]))
  const conditions = (object.status.conditions ?? []).map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? times.get(keyOf(condition)) ?? now,
  }))
  return withConditions(object, conditions)
}

function withConditions(object: Request, conditions: readonly Condition[]): Request {
  const { status } = object
  if (conditions.length === 0 && status.conditions === undefined) return object
  return { ...object, status: { ...status, conditions } }
}

function requestState({ status: { conditions = [], certificate } }: Request): string {
  const types = conditions.map(({ type }) => type)
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
  const failed = types.includes('Failed') ? ',Failed' : ''
  return `${decision}${failed}${certificate === undefined ? '' : ',Issued'}`
}

function requestedDuration({ spec: { expirationSeconds: seconds } }: Request): string {
  return seconds === undefined ? '<none>' : humanDuration(seconds * 1000)
}

function rulesWith(exclude: Exclude): KindRules<Request> {
  return {
    create: (object, check) => checkRequest(object, exclude, check),
    update: changeRule({ approval: false, certificate: false, exclude }),
    subresources: {
      status: changeRule({ approval: false, certificate: true, exclude }),
      approval: changeRule({ approval: true, certificate: false, exclude }),
    },
  }
}

export const CERTIFICATE_SIGNING_REQUEST: Kind = typedKind<Request>({
  validation: rulesWith(excludeEachOther),
  since: { '1.37': { validation: rulesWith(excludeTogether) } },
  strategy: {
    status: { keepsMetadata: [], resetFields: ['spec', 'status.conditions'] },
    prepareForCreate: (object, { user }) => withSpec(object, { ...NOBODY, ...userInfo(user) }),
    prepareForUpdate: (object, stored) => ({ ...object, spec: stored.spec }),
    prepareStatus: (object, stored, { now }) => withConditionTimes(withDecisionsOf(object, stored), stored, now),
    resetFields: ['spec', 'status'],
    subresources: {
      approval: {
        prepare: (object, stored, { now }) => {
          const { conditions } = withConditionTimes(object, stored, now).status
          return { ...object, spec: stored.spec, status: withMembers(stored.status, { conditions }) }
        },
        resetFields: ['spec', 'status.certificate'],
      },
    },
  },
  columns: tableOf([
    NAME,
    AGE,
    column('SignerName', 'The requested signer.', ({ spec }) => orNone(spec.signerName)),
    column('Requestor', 'The requesting user.', ({ spec }) => spec.username ?? ''),
    column('RequestedDuration', 'The requested lifetime of the certificate.', requestedDuration),
    column('Condition', 'The decision, and whether a certificate is issued.', requestState),
  ]),
  olderVersions: { 'certificates.k8s.io/v1beta1': 'same' },
})
