// The tables of who may do what: role bindings, certificates, admission, disruption budgets.
import type { Value, ValueMap } from '../../api/value.ts'
import {
  AGE,
  column,
  type Column,
  integer,
  length,
  NAME,
  tableOf,
  type TableShape,
  type TableShapes,
  text,
  wide,
} from '../../codec/tables/column.ts'
import { at, listAt, mapAt, textAt } from '../../codec/tables/reading.ts'

/** The subjects of one kind, those of service accounts with their namespace. */
function subjects(kind: string): (binding: ValueMap) => string {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => textAt(subject, 'kind') === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
          : textAt(subject, 'name'),
      )
      .join(', ')
}

const BINDINGS: TableShape = tableOf([
  NAME,
  column('Role', 'What is granted.', (one) => `${textAt(one, 'roleRef', 'kind')}/${textAt(one, 'roleRef', 'name')}`),
  AGE,
  wide('Users', 'The users that it is granted to.', subjects('User')),
  wide('Groups', 'The groups that it is granted to.', subjects('Group')),
  wide('ServiceAccounts', 'The service accounts that it is granted to.', subjects('ServiceAccount')),
])

const WEBHOOKS: TableShape = tableOf([
  NAME,
  integer('Webhooks', 'How many webhooks it configures.', length('webhooks')),
  AGE,
])

const PARAM_KIND: Column = column('ParamKind', 'The kind of its parameters.', (policy) => {
  const kind = at(policy, 'spec', 'paramKind')
  return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`
})

/** The one selector that the reference prints as it is held in memory. */
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

/** A name without a namespace may be one in every namespace. */
function paramRef(binding: ValueMap): string {
  const reference = at(binding, 'spec', 'paramRef')
  const name = textAt(reference, 'name')
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`
  const selector = at(reference, 'selector')
  return selector === undefined ? '<unset>' : printedSelector(selector)
}

const POLICY_BINDINGS: TableShape = tableOf([
  NAME,
  column('PolicyName', 'The policy that is bound.', text('spec', 'policyName')),
  column('ParamRef', 'Where its parameters are.', paramRef),
  AGE,
])

export const ACCESS_TABLES: TableShapes = {
  'rbac.authorization.k8s.io RoleBinding': BINDINGS,
  'rbac.authorization.k8s.io ClusterRoleBinding': BINDINGS,
  'admissionregistration.k8s.io MutatingWebhookConfiguration': WEBHOOKS,
  'admissionregistration.k8s.io ValidatingWebhookConfiguration': WEBHOOKS,
  'admissionregistration.k8s.io ValidatingAdmissionPolicy': tableOf([
    NAME,
    integer('Validations', 'How many expressions it checks.', length('spec', 'validations')),
    PARAM_KIND,
    AGE,
  ]),
  'admissionregistration.k8s.io MutatingAdmissionPolicy': tableOf([
    NAME,
    integer('Mutations', 'How many changes it makes.', length('spec', 'mutations')),
    PARAM_KIND,
    AGE,
  ]),
  'admissionregistration.k8s.io ValidatingAdmissionPolicyBinding': POLICY_BINDINGS,
  'admissionregistration.k8s.io MutatingAdmissionPolicyBinding': POLICY_BINDINGS,
}
