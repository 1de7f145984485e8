// Admission policies, validating and mutating: expressions that decide about a request.
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import { metaText, specOf, statusOf } from '../../api/object-members.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { isIdentifier } from '../../cel/cel.ts'
import { AGE, type Column, column, integer, length, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, textAt } from '../../codec/tables/reading.ts'
import { absent, always, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain, qualifiedName } from '../../schema/validation/formats.ts'
import { checkMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { checkConditions } from '../shared/conditions.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkMatch, checkMatchConditions, checkMutableOperations, matchResources } from './match-resources.ts'
import { PolicyExpressions } from './policy-expressions.ts'
import { CONFIGURATION } from './strategy.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const TYPE = 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicySpec'
const MUTATING_TYPE = 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicySpec'
const MAX_AUDIT_ANNOTATIONS = 20
const MAX_VALUE_EXPRESSION = 5 * 1024

/** What both kinds of policies have. Returns what compiles the remaining expressions. */
function checkCommon(object: ValueMap, stored: ValueMap | undefined, check: Check): PolicyExpressions {
  const isMutating = object['kind'] === 'MutatingAdmissionPolicy'
  checkMeta(object, subdomainName, check)
  const spec = specOf(object)
  check.fields(spec, SPEC, TYPE, 'failurePolicy')
  const kind = mapOrAbsent(spec, 'paramKind')
  if (kind !== undefined) checkParameterKind(kind, SPEC.child('paramKind'), check)
  const match = mapOrAbsent(spec, 'matchConstraints')
  const at = SPEC.child('matchConstraints')
  check.fields(spec, SPEC, TYPE, 'matchConstraints')
  if (match !== undefined) {
    checkMatch(match, at, check)
    if (mapsInPlace(match, 'resourceRules').length === 0) check.required(at.child('resourceRules'))
    if (isMutating) checkMutableOperations(match, at, check)
  }
  const old = stored === undefined ? undefined : specOf(stored)
  const isSame = (field: string): boolean => old !== undefined && equalValues(spec[field], old[field])
  if (!isSame('paramKind') || !isSame('matchConditions')) {
    checkMatchConditions(spec, SPEC, check, kind !== undefined)
  }
  const isStored = old !== undefined && equalValues(spec, old)
  const expressions = new PolicyExpressions(spec, { check, isStored, ...(isMutating ? { hasVariables: true } : {}) })
  for (const [variable, place] of placedMaps(spec, 'variables', SPEC)) checkVariable(variable, place, expressions)
  return expressions
}

function checkParameterKind(kind: ValueMap, at: FieldPath, check: Check): void {
  const version = textOrEmpty(kind, 'apiVersion')
  const parsed = parseGroupVersion(version)
  const place = at.child('apiVersion')
  if (version === '') check.required(place)
  else if (parsed === undefined) check.invalid(place, version, `unexpected GroupVersion string: ${version}`)
  else {
    const group = parsed.group === '' ? [] : dns1123Subdomain(parsed.group)
    if (group.length > 0) check.invalid(place, parsed.group, group.join(','))
    const faults = dns1035Label(parsed.version)
    if (parsed.version === '') check.invalid(place, version, 'version must be specified')
    else if (faults.length > 0) check.invalid(place, parsed.version, faults.join(','))
  }
  const name = textOrEmpty(kind, 'kind')
  const faults = dns1035Label(name.toLowerCase())
  if (name === '') check.required(at.child('kind'))
  else if (faults.length > 0) {
    check.invalid(at.child('kind'), name, `may have mixed case, but should otherwise match: ${faults.join(',')}`)
  }
}

function checkVariable(variable: ValueMap, at: FieldPath, expressions: PolicyExpressions): void {
  const { check } = expressions
  const name = textOrEmpty(variable, 'name')
  if (name.trim() === '') check.required(at.child('name'), 'name is not specified')
  else if (!isIdentifier(name)) check.invalid(at.child('name'), name, 'must be a valid CEL identifier')
  const expression = textOrEmpty(variable, 'expression')
  if (expression.trim() === '') check.required(at.child('expression'), 'expression is not specified')
  expressions.declare(name, expression, at.child('expression'))
}

function checkValidation(validation: ValueMap, at: FieldPath, expressions: PolicyExpressions): void {
  const { check } = expressions
  const expression = textOrEmpty(validation, 'expression')
  if (expression.trim() === '') check.required(at.child('expression'), 'expression is not specified')
  expressions.compile(expression, at.child('expression'), { wanted: 'bool' })
  for (const field of ['messageExpression', 'message']) {
    const text = textOrEmpty(validation, field)
    if (text !== '' && text.trim() === '') check.invalid(at.child(field), text, 'must be non-empty if specified')
    else if (field === 'message' && /[\n\r]/.test(text.trim())) {
      check.invalid(at.child(field), text, 'must not contain line breaks')
    } else if (field === 'messageExpression') {
      expressions.compile(text, at.child(field), { wanted: 'string', hasAuthorizer: false })
    }
  }
  check.fields(validation, at, 'admissionregistration.k8s.io_v1.Validation')
}

function checkAnnotations(object: ValueMap, expressions: PolicyExpressions): void {
  const { check } = expressions
  const annotations = mapsInPlace(specOf(object), 'auditAnnotations')
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const detail = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`
    check.invalid(SPEC.child('auditAnnotations'), annotations, detail)
  }
  const name = metaText(object, 'name')
  const seen = new Set<string>()
  for (const [annotation, at] of placedMaps(specOf(object), 'auditAnnotations', SPEC)) {
    const key = textOrEmpty(annotation, 'key')
    const whole = `${name}/${key}`
    if (name === '') check.invalid(at.child('key'), key, 'requires metadata.name be non-empty')
    else check.format(at.child('key'), whole, qualifiedName(whole))
    const shown = textOrEmpty(annotation, 'valueExpression')
    const expression = shown.trim()
    const place = at.child('valueExpression')
    if (expression === '') check.required(place, 'valueExpression is not specified')
    else if (Buffer.byteLength(expression) > MAX_VALUE_EXPRESSION) {
      check.required(place, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`)
    } else expressions.compile(expression, place, { wanted: 'stringOrNull', shown })
    check.unique(seen, key, at.child('key'))
  }
}

function checkValidating(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const expressions = checkCommon(object, stored, check)
  const validations = placedMaps(specOf(object), 'validations', SPEC)
  if (validations.length === 0 && mapsInPlace(specOf(object), 'auditAnnotations').length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item'
    check.required(SPEC.child('validations'), detail)
    check.required(SPEC.child('auditAnnotations'), detail)
    return
  }
  for (const [validation, at] of validations) checkValidation(validation, at, expressions)
  checkAnnotations(object, expressions)
}

function checkMutating(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const expressions = checkCommon(object, stored, check)
  const spec = specOf(object)
  check.fields(spec, SPEC, MUTATING_TYPE, 'mutations')
  for (const [mutation, at] of placedMaps(spec, 'mutations', SPEC)) checkMutation(mutation, at, expressions)
  check.fields(spec, SPEC, MUTATING_TYPE, 'reinvocationPolicy')
}

const MUTATIONS = {
  JSONPatch: ['jsonPatch', 'applyConfiguration'],
  ApplyConfiguration: ['applyConfiguration', 'jsonPatch'],
} as const

/** Only the expression that the patch type uses is compiled. */
function checkMutation(mutation: ValueMap, at: FieldPath, expressions: PolicyExpressions): void {
  const { check } = expressions
  const type = textOrEmpty(mutation, 'patchType')
  if (type === '') {
    check.required(at.child('patchType'))
    return
  }
  const members = Object.hasOwn(MUTATIONS, type) ? MUTATIONS[type as keyof typeof MUTATIONS] : undefined
  if (members === undefined) {
    check.notSupported(at.child('patchType'), type, ['ApplyConfiguration', 'JSONPatch'])
    return
  }
  const [own, other] = members
  const part = mapOrAbsent(mutation, own)
  const expression = textOrEmpty(part ?? {}, 'expression').trim()
  const place = at.child(own).child('expression')
  if (part === undefined) check.required(at.child(own), `must be specified when patchType is ${type}`)
  else if (expression === '') check.required(place)
  expressions.compile(expression, place, { wanted: own, makesObjects: true })
  if (isGiven(mutation, other)) {
    check.invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${type}`)
  }
}

function checkStatus(object: ValueMap, check: Check): void {
  const status = statusOf(object)
  const typeChecking = mapOrEmpty(status, 'typeChecking')
  for (const [warning, at] of placedMaps(typeChecking, 'expressionWarnings', STATUS.child('typeChecking'))) {
    check.fields(warning, at, 'admissionregistration.k8s.io_v1.ExpressionWarning')
    if (textOrEmpty(warning, 'fieldRef').trim() === '') check.required(at.child('fieldRef'))
  }
  checkConditions(mapsInPlace(status, 'conditions'), STATUS.child('conditions'), check)
}

const PARAM_KIND: Column = column('ParamKind', 'The kind of its parameters.', (policy) => {
  const kind = at(policy, 'spec', 'paramKind')
  return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`
})

const BOTH: Kind = {
  defaults: within({ spec: always({ failurePolicy: absent('Fail'), matchConstraints: matchResources }) }),
  strategy: CONFIGURATION,
  olderVersions: { 'admissionregistration.k8s.io/v1alpha1': 'same', 'admissionregistration.k8s.io/v1beta1': 'same' },
}

export const VALIDATING_ADMISSION_POLICY: Kind = {
  ...BOTH,
  validation: {
    create: (object, check) => checkValidating(object, undefined, check),
    update: checkValidating,
    subresources: { status: (object, _stored, check) => checkStatus(object, check) },
  },
  strategy: { ...CONFIGURATION, status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    integer('Validations', 'How many expressions it checks.', length('spec', 'validations')),
    PARAM_KIND,
    AGE,
  ]),
}

export const MUTATING_ADMISSION_POLICY: Kind = {
  ...BOTH,
  validation: { create: (object, check) => checkMutating(object, undefined, check), update: checkMutating },
  columns: tableOf([
    NAME,
    integer('Mutations', 'How many changes it makes.', length('spec', 'mutations')),
    PARAM_KIND,
    AGE,
  ]),
}
