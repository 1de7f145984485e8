// Admission policies, validating and mutating: expressions that check or change the object of a request.
import { FieldPath } from '../../api/field-path.ts'
import type {
  MutatingAdmissionPolicy,
  Mutation,
  ParamKind,
  ValidatingAdmissionPolicy,
  Validation,
  Variable,
} from '../../api/gen/kinds.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { equalValues } from '../../api/value.ts'
import { isIdentifier } from '../../cel/cel.ts'
import { AGE, type Column, column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, always, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain, qualifiedName } from '../../schema/validation/formats.ts'
import { checkMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkConditions } from '../shared/conditions.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkMatch, checkMatchConditions, checkMutableOperations, matchResources } from './match-resources.ts'
import { PolicyExpressions } from './policy-expressions.ts'
import { checkStaticName, CONFIGURATION } from './strategy.ts'

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy

const SPEC = FieldPath.root<ValidatingAdmissionPolicy['spec']>('spec')
const STATUS = FieldPath.root<ValidatingAdmissionPolicy['status']>('status')
const TYPE = 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicySpec'
const MUTATING_TYPE = 'admissionregistration.k8s.io_v1.MutatingAdmissionPolicySpec'
const MAX_AUDIT_ANNOTATIONS = 20
const MAX_VALUE_EXPRESSION = 5 * 1024

/** Checks the common parts of both kinds of policies. Returns a compiler for the remaining expressions. */
function checkCommon(object: Policy, stored: Policy | undefined, check: Check): PolicyExpressions {
  const isMutating = object.kind === 'MutatingAdmissionPolicy'
  checkMeta(object, subdomainName, check)
  const { spec } = object
  check.fields(spec, SPEC, TYPE, 'failurePolicy')
  check.part(spec, 'paramKind', SPEC, checkParameterKind)
  check.fields(spec, SPEC, TYPE, 'matchConstraints')
  check.part(spec, 'matchConstraints', SPEC, (match, at) => {
    checkMatch(match, at, check)
    if ((match.resourceRules ?? []).length === 0) check.required(at.child('resourceRules'))
    if (isMutating) checkMutableOperations(match, at, check)
  })
  const old = stored?.spec
  const isSame = (field: 'paramKind' | 'matchConditions'): boolean =>
    old !== undefined && equalValues(spec[field], old[field])
  if (!isSame('paramKind') || !isSame('matchConditions')) {
    checkMatchConditions(spec, SPEC, check, spec.paramKind !== undefined)
  }
  const isStored = old !== undefined && equalValues(spec, old)
  const expressions = new PolicyExpressions(spec, { check, isStored, ...(isMutating ? { hasVariables: true } : {}) })
  check.each(spec, 'variables', SPEC, (variable, place) => checkVariable(variable, place, expressions))
  return expressions
}

function checkParameterKind(
  { apiVersion: version = '', kind: name = '' }: ParamKind,
  at: FieldPath<ParamKind>,
  check: Check,
): void {
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
  const faults = dns1035Label(name.toLowerCase())
  if (name === '') check.required(at.child('kind'))
  else if (faults.length > 0) {
    check.invalid(at.child('kind'), name, `may have mixed case, but should otherwise match: ${faults.join(',')}`)
  }
}

function checkVariable({ name, expression }: Variable, at: FieldPath<Variable>, expressions: PolicyExpressions): void {
  const { check } = expressions
  if (name.trim() === '') check.required(at.child('name'), 'name is not specified')
  else if (!isIdentifier(name)) check.invalid(at.child('name'), name, 'must be a valid CEL identifier')
  if (expression.trim() === '') check.required(at.child('expression'), 'expression is not specified')
  expressions.declare(name, expression, at.child('expression'))
}

function checkValidation(validation: Validation, at: FieldPath<Validation>, expressions: PolicyExpressions): void {
  const { check } = expressions
  const { expression } = validation
  if (expression.trim() === '') check.required(at.child('expression'), 'expression is not specified')
  expressions.compile(expression, at.child('expression'), { wanted: 'bool' })
  for (const field of ['messageExpression', 'message'] as const) {
    const text = validation[field] ?? ''
    if (text !== '' && text.trim() === '') check.invalid(at.child(field), text, 'must be non-empty if specified')
    else if (field === 'message' && /[\n\r]/.test(text.trim())) {
      check.invalid(at.child(field), text, 'must not contain line breaks')
    } else if (field === 'messageExpression') {
      expressions.compile(text, at.child(field), { wanted: 'string', hasAuthorizer: false })
    }
  }
  check.fields(validation, at, 'admissionregistration.k8s.io_v1.Validation')
}

function checkAnnotations({ metadata, spec }: ValidatingAdmissionPolicy, expressions: PolicyExpressions): void {
  const { check } = expressions
  const { auditAnnotations: annotations = [] } = spec
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const detail = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`
    check.invalid(SPEC.child('auditAnnotations'), annotations, detail)
  }
  const { name = '' } = metadata
  const seen = new Set<string>()
  check.each(spec, 'auditAnnotations', SPEC, ({ key, valueExpression: shown }, at) => {
    const whole = `${name}/${key}`
    if (name === '') check.invalid(at.child('key'), key, 'requires metadata.name be non-empty')
    else check.format(at.child('key'), whole, qualifiedName(whole))
    const expression = shown.trim()
    const place = at.child('valueExpression')
    if (expression === '') check.required(place, 'valueExpression is not specified')
    else if (Buffer.byteLength(expression) > MAX_VALUE_EXPRESSION) {
      check.required(place, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`)
    } else expressions.compile(expression, place, { wanted: 'stringOrNull', shown })
    check.unique(seen, key, at.child('key'))
  })
}

function checkValidating(
  object: ValidatingAdmissionPolicy,
  stored: ValidatingAdmissionPolicy | undefined,
  check: Check,
): void {
  const expressions = checkCommon(object, stored, check)
  const { validations = [], auditAnnotations = [] } = object.spec
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item'
    check.required(SPEC.child('validations'), detail)
    check.required(SPEC.child('auditAnnotations'), detail)
    return
  }
  check.each(object.spec, 'validations', SPEC, (validation, at) => checkValidation(validation, at, expressions))
  checkAnnotations(object, expressions)
}

function checkMutating(
  object: MutatingAdmissionPolicy,
  stored: MutatingAdmissionPolicy | undefined,
  check: Check,
): void {
  const expressions = checkCommon(object, stored, check)
  const { spec } = object
  check.fields(spec, SPEC, MUTATING_TYPE, 'mutations')
  const at = FieldPath.root<MutatingAdmissionPolicy['spec']>('spec')
  check.each(spec, 'mutations', at, (mutation, place) => checkMutation(mutation, place, expressions))
  check.fields(spec, SPEC, MUTATING_TYPE, 'reinvocationPolicy')
}

const MUTATIONS = {
  JSONPatch: ['jsonPatch', 'applyConfiguration'],
  ApplyConfiguration: ['applyConfiguration', 'jsonPatch'],
} as const

/** Only the expression that the patch type uses is compiled. */
function checkMutation(mutation: Mutation, at: FieldPath<Mutation>, expressions: PolicyExpressions): void {
  const { check } = expressions
  const { patchType: type } = mutation
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
  const part = mutation[own]
  const expression = (part?.expression ?? '').trim()
  const place = at.child(own).child('expression')
  if (part === undefined) check.required(at.child(own), `must be specified when patchType is ${type}`)
  else if (expression === '') check.required(place)
  expressions.compile(expression, place, { wanted: own, makesObjects: true })
  if (mutation[other] !== undefined) {
    check.invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${type}`)
  }
}

function checkStatus({ status }: ValidatingAdmissionPolicy, check: Check): void {
  check.part(status, 'typeChecking', STATUS, (typeChecking, place) =>
    check.each(typeChecking, 'expressionWarnings', place, (warning, at) => {
      check.fields(warning, at, 'admissionregistration.k8s.io_v1.ExpressionWarning')
      if (warning.fieldRef.trim() === '') check.required(at.child('fieldRef'))
    }),
  )
  checkConditions(status.conditions ?? [], STATUS.child('conditions'), check)
}

const PARAM_KIND: Column<Policy> = column(
  'ParamKind',
  'The kind of the parameters of the policy.',
  ({ spec: { paramKind } }) =>
    paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`,
)

const OLDER_VERSIONS = {
  'admissionregistration.k8s.io/v1alpha1': 'same',
  'admissionregistration.k8s.io/v1beta1': 'same',
} as const

export const VALIDATING_ADMISSION_POLICY: Kind = typedKind<ValidatingAdmissionPolicy>({
  validation: {
    create: (object, check) => {
      checkValidating(object, undefined, check)
      checkStaticName(object, check)
    },
    update: checkValidating,
    subresources: { status: (object, _stored, check) => checkStatus(object, check) },
  },
  defaults: within({ spec: always({ failurePolicy: absent('Fail'), matchConstraints: matchResources }) }),
  strategy: { ...CONFIGURATION, status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    integer(
      'Validations',
      'The number of expressions that the policy checks.',
      ({ spec }) => spec.validations?.length ?? 0,
    ),
    PARAM_KIND,
    AGE,
  ]),
  olderVersions: OLDER_VERSIONS,
})

export const MUTATING_ADMISSION_POLICY: Kind = typedKind<MutatingAdmissionPolicy>({
  validation: {
    create: (object, check) => {
      checkMutating(object, undefined, check)
      checkStaticName(object, check)
    },
    update: checkMutating,
  },
  defaults: within({ spec: always({ failurePolicy: absent('Fail'), matchConstraints: matchResources }) }),
  strategy: CONFIGURATION,
  columns: tableOf([
    NAME,
    integer('Mutations', 'The number of changes that the policy makes.', ({ spec }) => spec.mutations?.length ?? 0),
    PARAM_KIND,
    AGE,
  ]),
  olderVersions: OLDER_VERSIONS,
})
