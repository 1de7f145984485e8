// Certificate signing requests. The server sets who requested them; approval and signing have subresources of their own (W-596 to
// W-598).
import { FieldPath } from '../../api/field-path.ts'
import { mapsInPlace, mapsOnly, textOrAbsent, textOrEmpty } from '../../api/members.ts'
import { specOf, statusOf, withMembers, withSpec } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { userInfo } from '../../api/user.ts'
import { equalValues, own, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { humanDuration } from '../../codec/tables/elapsed.ts'
import { at, listAt, numberAt, orNone, textAt } from '../../codec/tables/reading.ts'
import { withMemberOf } from '../../registry/object-meta.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate } from '../../schema/validation/object-meta.ts'
import type { UpdateRule } from '../../schema/validation/rules.ts'
import type { Kind } from '../kind.ts'
import { certificateFault, requestFault } from '../shared/pem.ts'
import { placedMaps, placedTexts } from '../shared/placed-items.ts'
import { checkSignerName } from '../shared/signer-name.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const CONDITIONS = STATUS.child('conditions')
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'

function checkRequest(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, () => [], check)
  const spec = specOf(object)
  const request = textOrAbsent(spec, 'request')
  const fault = requestFault(Buffer.from(request ?? '', 'base64').toString('latin1'))
  if (fault !== undefined) check.invalid(SPEC.child('request'), request, fault)
  check.fields(spec, SPEC, 'certificates.k8s.io_v1.CertificateSigningRequestSpec', 'usages')
  // The reference reports duplicates after the errors of single items.
  const usages = new Set<string>()
  for (const [usage, at] of placedTexts(spec, 'usages', SPEC)) check.unique(usages, usage, at)
  const signer = textOrEmpty(spec, 'signerName')
  if (signer === LEGACY_SIGNER) {
    check.invalid(SPEC.child('signerName'), signer, 'the legacy signerName is not allowed via this API version')
  } else checkSignerName(signer, SPEC.child('signerName'), check)
  check.fields(spec, SPEC, 'certificates.k8s.io_v1.CertificateSigningRequestSpec', 'expirationSeconds')
  checkConditions(statusOf(object), check)
  checkCertificate(object, check)
}

const DECISIONS: readonly string[] = ['Approved', 'Denied']
const FINAL: readonly string[] = [...DECISIONS, 'Failed']

function checkConditions(requestStatus: ValueMap, check: Check): void {
  const seen = new Set<string>()
  for (const [condition, at] of placedMaps(requestStatus, 'conditions', STATUS)) {
    const type = textOrEmpty(condition, 'type')
    const status = textOrEmpty(condition, 'status')
    check.fields(condition, at, 'certificates.k8s.io_v1.CertificateSigningRequestCondition')
    const statuses = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (status === '') check.required(at.child('status'))
    else check.oneOf(at.child('status'), status, statuses)
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (opposite !== undefined && seen.has(opposite)) {
      check.invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive')
    }
    check.unique(seen, type, at.child('type'))
  }
}

function checkCertificate(object: ValueMap, check: Check): void {
  const certificate = textOrEmpty(statusOf(object), 'certificate')
  if (certificate === '') return
  const fault = certificateFault(Buffer.from(certificate, 'base64').toString('latin1'))
  if (fault !== undefined) check.invalid(STATUS.child('certificate'), '<certificate data>', fault)
}

interface Allowed {
  readonly approval: boolean
  readonly certificate: boolean
}

function isOfType(type: string): (condition: ValueMap) => boolean {
  return (condition) => textOrEmpty(condition, 'type') === type
}

function conditionsOf(object: ValueMap, type: string): readonly ValueMap[] {
  return mapsInPlace(statusOf(object), 'conditions').filter(isOfType(type))
}

const changeRule =
  (allowed: Allowed): UpdateRule =>
  (object, stored, check) => {
    checkRequest(object, check)
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
    const before = textOrEmpty(statusOf(stored), 'certificate')
    if (textOrEmpty(statusOf(object), 'certificate') === before) return
    const at = STATUS.child('certificate')
    if (!allowed.certificate) check.forbidden(at, 'updates may not set certificate content')
    else if (before !== '') check.forbidden(at, 'updates may not modify existing certificate content')
  }

/** Clears what a client sent: the server sets who asks. */
const NOBODY = { username: undefined, uid: undefined, groups: undefined, extra: undefined } as const

/** A signer cannot change the approval: its conditions are restored. Validation rejects added and removed ones. */
function withDecisionsOf(object: ApiObject, stored: ApiObject): ApiObject {
  const before = mapsOnly(statusOf(stored), 'conditions')
  let conditions = mapsOnly(statusOf(object), 'conditions')
  for (const type of DECISIONS) {
    const decided = before.filter(isOfType(type))
    if (conditions.filter(isOfType(type)).length !== decided.length) continue
    let next = 0
    conditions = conditions.map((condition) => (isOfType(type)(condition) ? decided[next++]! : condition))
  }
  return withConditions(object, conditions)
}

function withConditionTimes(object: ApiObject, stored: ApiObject, now: string): ApiObject {
  const keyOf = (condition: ValueMap): string =>
    JSON.stringify([textOrEmpty(condition, 'type'), textOrEmpty(condition, 'status')])
  const timed = mapsOnly(statusOf(stored), 'conditions').filter(
    (each) => textOrEmpty(each, 'lastTransitionTime') !== '',
  )
  // Of equal ones the first counts.
  const times = new Map(timed.toReversed().map((each) => [keyOf(each), textOrEmpty(each, 'lastTransitionTime')]))
  const conditions = mapsOnly(statusOf(object), 'conditions').map((condition) =>
    withMembers(condition, {
      lastUpdateTime: textOrEmpty(condition, 'lastUpdateTime') || now,
      lastTransitionTime: textOrEmpty(condition, 'lastTransitionTime') || (times.get(keyOf(condition)) ?? now),
    }),
  )
  return withConditions(object, conditions)
}

function withConditions(object: ApiObject, conditions: readonly ValueMap[]): ApiObject {
  const status = statusOf(object)
  if (conditions.length === 0 && !Object.hasOwn(status, 'conditions')) return object
  return { ...object, status: { ...status, conditions } }
}

function requestState(request: ValueMap): string {
  const types = listAt(request, 'status', 'conditions').map((condition) => textAt(condition, 'type'))
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
  const failed = types.includes('Failed') ? ',Failed' : ''
  return `${decision}${failed}${textAt(request, 'status', 'certificate') === '' ? '' : ',Issued'}`
}

function requestedDuration(request: ValueMap): string {
  const seconds = at(request, 'spec', 'expirationSeconds')
  return seconds === undefined ? '<none>' : humanDuration(Number(numberAt(seconds)) * 1000)
}

export const CERTIFICATE_SIGNING_REQUEST: Kind = {
  validation: {
    create: checkRequest,
    update: changeRule({ approval: false, certificate: false }),
    subresources: {
      status: changeRule({ approval: false, certificate: true }),
      approval: changeRule({ approval: true, certificate: false }),
    },
  },
  strategy: {
    status: { keepsMetadata: [], resetFields: ['spec', 'status.conditions'] },
    prepareForCreate: (object, { user }) => withSpec(object, { ...NOBODY, ...userInfo(user) }),
    prepareForUpdate: (object, stored) => withMemberOf(object, stored, 'spec'),
    prepareStatus: (object, stored, { now }) => withConditionTimes(withDecisionsOf(object, stored), stored, now),
    resetFields: ['spec', 'status'],
    subresources: {
      approval: {
        prepare: (object, stored, { now }) => {
          const conditions = own(statusOf(withConditionTimes(object, stored, now)), 'conditions')
          const status = withMembers(statusOf(stored), { conditions })
          return { ...withMemberOf(object, stored, 'spec'), status }
        },
        resetFields: ['spec', 'status.certificate'],
      },
    },
  },
  columns: tableOf([
    NAME,
    AGE,
    column('SignerName', 'Who is asked to sign.', (one) => orNone(textAt(one, 'spec', 'signerName'))),
    column('Requestor', 'Who asks.', text('spec', 'username')),
    column('RequestedDuration', 'For how long the certificate should be valid.', requestedDuration),
    column('Condition', 'What was decided.', requestState),
  ]),
  olderVersions: { 'certificates.k8s.io/v1beta1': 'same' },
}
