// Bindings of admission policies: the scope and the parameters of a policy.
import { FieldPath } from '../../api/field-path.ts'
import type { LabelSelector, ParamRef, ValidatingAdmissionPolicyBinding } from '../../api/gen/kinds.ts'
import { entriesOf } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkMatch, checkMutableOperations, matchResources } from './match-resources.ts'
import { checkStaticName, CONFIGURATION } from './strategy.ts'

/** This type has all fields of MutatingAdmissionPolicyBinding. */
type Binding = ValidatingAdmissionPolicyBinding

const SPEC = FieldPath.root<Binding['spec']>('spec')
const TYPE = 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyBindingSpec'

function checkBinding(object: Binding, check: Check): void {
  checkMeta(object, subdomainName, check)
  const { kind, spec } = object
  const isMutating = kind !== 'ValidatingAdmissionPolicyBinding'
  check.fields(spec, SPEC, TYPE, 'policyName')
  check.part(spec, 'paramRef', SPEC, checkParameter)
  check.part(spec, 'matchResources', SPEC, (match, at) => {
    checkMatch(match, at, check)
    if (isMutating) checkMutableOperations(match, at, check)
  })
  if (!isMutating) checkActions(spec, check)
}

const EXCLUSIVE = 'name and selector are mutually exclusive'

function checkParameter(reference: ParamRef, at: FieldPath<ParamRef>, check: Check): void {
  const { name = '', selector, parameterNotFoundAction: action = '' } = reference
  check.fields(reference, at, 'admissionregistration.k8s.io_v1.ParamRef')
  if (name !== '' && selector !== undefined) check.forbidden(at.child('name'), EXCLUSIVE)
  if (selector !== undefined) {
    checkLabelSelector(selector, at.child('selector'), check)
    if (name !== '') check.forbidden(at.child('selector'), EXCLUSIVE)
  }
  if (name === '' && selector === undefined) check.required(at, 'one of name or selector must be specified')
  if (action === '') check.required(at.child('parameterNotFoundAction'))
  else check.oneOf(at.child('parameterNotFoundAction'), action, ['Deny', 'Allow'])
}

function checkActions(spec: Binding['spec'], check: Check): void {
  check.fields(spec, SPEC, TYPE, 'validationActions')
  const { validationActions: actions = [] } = spec
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose'
    check.invalid(SPEC.child('validationActions'), actions, `must not contain both Deny and Warn (${why})`)
  }
}

/** The reference prints this selector with Go's `String()`. */
function printedSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = [...entriesOf(matchLabels)].sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  const shownLabels = labels.map(([name, value]) => `${name}: ${value},`).join('')
  return `&LabelSelector{MatchLabels:map[string]string{${shownLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

/** The parameters as a column shows them. If the namespace is absent, the name is looked up in every namespace. */
function paramRef({ spec }: Binding): string {
  const { name, namespace = '*', selector } = spec.paramRef ?? {}
  if (name !== undefined) return `${namespace}/${name}`
  return selector === undefined ? '<unset>' : printedSelector(selector)
}

export const VALIDATING_ADMISSION_POLICY_BINDING: Kind = typedKind<Binding>({
  validation: {
    create: (object, check) => {
      checkBinding(object, check)
      checkStaticName(object, check)
    },
    update: (object, _stored, check) => checkBinding(object, check),
  },
  defaults: within({ spec: within({ matchResources }) }),
  strategy: CONFIGURATION,
  columns: tableOf([
    NAME,
    column('PolicyName', 'The policy that is bound.', ({ spec }) => spec.policyName ?? ''),
    column('ParamRef', 'The parameters of the policy.', paramRef),
    AGE,
  ]),
  olderVersions: { 'admissionregistration.k8s.io/v1alpha1': 'same', 'admissionregistration.k8s.io/v1beta1': 'same' },
})

export const MUTATING_ADMISSION_POLICY_BINDING: Kind = VALIDATING_ADMISSION_POLICY_BINDING
