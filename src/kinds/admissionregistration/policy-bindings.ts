// Bindings of admission policies: where a policy applies, and with which parameters.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrEmpty, textsInPlace } from '../../api/members.ts'
import type { Value, ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { at, listAt, mapAt, textAt } from '../../codec/tables/reading.ts'
import { within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { checkMatch, checkMutableOperations, matchResources } from './match-resources.ts'
import { CONFIGURATION } from './strategy.ts'

const SPEC = FieldPath.root('spec')
const TYPE = 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicyBindingSpec'

function checkBinding(object: ValueMap, check: Check): void {
  checkMeta(object, subdomainName, check)
  const spec = mapOrEmpty(object, 'spec')
  check.fields(spec, SPEC, TYPE, 'policyName')
  const reference = mapOrAbsent(spec, 'paramRef')
  if (reference !== undefined) checkParameter(reference, SPEC.child('paramRef'), check)
  const match = mapOrAbsent(spec, 'matchResources')
  if (match !== undefined) checkMatch(match, SPEC.child('matchResources'), check)
  if (object['kind'] === 'ValidatingAdmissionPolicyBinding') checkActions(spec, check)
  else if (match !== undefined) checkMutableOperations(match, SPEC.child('matchResources'), check)
}

const EXCLUSIVE = 'name and selector are mutually exclusive'

function checkParameter(reference: ValueMap, at: FieldPath, check: Check): void {
  const name = textOrEmpty(reference, 'name')
  const selector = mapOrAbsent(reference, 'selector')
  check.fields(reference, at, 'admissionregistration.k8s.io_v1.ParamRef')
  if (name !== '' && selector !== undefined) check.forbidden(at.child('name'), EXCLUSIVE)
  if (selector !== undefined) {
    checkLabelSelector(selector, at.child('selector'), check)
    if (name !== '') check.forbidden(at.child('selector'), EXCLUSIVE)
  }
  if (name === '' && selector === undefined) check.required(at, 'one of name or selector must be specified')
  const action = textOrEmpty(reference, 'parameterNotFoundAction')
  if (action === '') check.required(at.child('parameterNotFoundAction'))
  else check.oneOf(at.child('parameterNotFoundAction'), action, ['Deny', 'Allow'])
}

function checkActions(spec: ValueMap, check: Check): void {
  check.fields(spec, SPEC, TYPE, 'validationActions')
  const actions = textsInPlace(spec, 'validationActions')
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose'
    check.invalid(SPEC.child('validationActions'), actions, `must not contain both Deny and Warn (${why})`)
  }
}

/** The reference prints this selector with Go's `String()`. */
function printedSelector(selector: Value): string {
  const labels = Object.entries(mapAt(selector, 'matchLabels')).sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = listAt(selector, 'matchExpressions').map((one) => {
    const values = listAt(one, 'values')
      .map((value) => textAt(value))
      .join(' ')
    return `LabelSelectorRequirement{Key:${textAt(one, 'key')},Operator:${textAt(one, 'operator')},Values:[${values}],},`
  })
  const shownLabels = labels.map(([name, value]) => `${name}: ${textAt(value)},`).join('')
  return `&LabelSelector{MatchLabels:map[string]string{${shownLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

/** Without a namespace the name is looked up in every namespace. */
function paramRef(binding: ValueMap): string {
  const reference = at(binding, 'spec', 'paramRef')
  const name = textAt(reference, 'name')
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`
  const selector = at(reference, 'selector')
  return selector === undefined ? '<unset>' : printedSelector(selector)
}

export const VALIDATING_ADMISSION_POLICY_BINDING: Kind = {
  validation: { create: checkBinding, update: (object, _stored, check) => checkBinding(object, check) },
  defaults: within({ spec: within({ matchResources }) }),
  strategy: CONFIGURATION,
  columns: tableOf([
    NAME,
    column('PolicyName', 'The policy that is bound.', text('spec', 'policyName')),
    column('ParamRef', 'Where its parameters are.', paramRef),
    AGE,
  ]),
  olderVersions: { 'admissionregistration.k8s.io/v1alpha1': 'same', 'admissionregistration.k8s.io/v1beta1': 'same' },
}

export const MUTATING_ADMISSION_POLICY_BINDING: Kind = VALIDATING_ADMISSION_POLICY_BINDING
