// Role bindings and cluster role bindings.
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../api/members.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, type TableShape, wide } from '../../codec/tables/column.ts'
import { listAt, textAt } from '../../codec/tables/reading.ts'
import { always, blank, each, where, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, segmentName, subdomainName } from '../../schema/validation/object-meta.ts'
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'
import type { Kind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { roleStrategy } from './escalation.ts'
import { checkedAgain } from './roles.ts'

const GROUP = 'rbac.authorization.k8s.io'
const ROLE_REF = FieldPath.root('roleRef')

function checkBinding(kinds: readonly string[], namespaced: boolean): CreateRule {
  return (object, check) => {
    checkBuiltInMeta(object, segmentName, check)
    const role = mapOrEmpty(object, 'roleRef')
    check.fields(role, ROLE_REF, 'rbac.authorization.k8s.io_v1.RoleRef', 'apiGroup')
    check.oneOf(ROLE_REF.child('kind'), textOrEmpty(role, 'kind'), kinds)
    check.fields(role, ROLE_REF, 'rbac.authorization.k8s.io_v1.RoleRef', 'name')
    mapsInPlace(object, 'subjects').forEach((subject, i) =>
      checkSubject(subject, namespaced, FieldPath.root('subjects').index(i), check),
    )
  }
}

function checkSubject(subject: ValueMap, namespaced: boolean, at: FieldPath, check: Check): void {
  const name = textOrEmpty(subject, 'name')
  const group = textOrEmpty(subject, 'apiGroup')
  check.fields(subject, at, 'rbac.authorization.k8s.io_v1.Subject')
  switch (textOrEmpty(subject, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') check.format(at.child('name'), name, subdomainName(name, false))
      check.oneOf(at.child('apiGroup'), group, [''])
      if (!namespaced && !isGiven(subject, 'namespace')) check.required(at.child('namespace'))
      break
    case 'User':
    case 'Group':
      check.oneOf(at.child('apiGroup'), group, [GROUP])
      break
    default:
      check.notSupported(at.child('kind'), textOrEmpty(subject, 'kind'), ['ServiceAccount', 'User', 'Group'])
  }
}

function bindingRules(kinds: readonly string[], namespaced: boolean): KindRules {
  const rules = checkedAgain(checkBinding(kinds, namespaced))
  return {
    create: rules.create,
    update: (object, stored, check) => {
      rules.update(object, stored, check)
      const role = mapOrEmpty(object, 'roleRef')
      if (equalValues(role, mapOrEmpty(stored, 'roleRef'))) return
      check.invalid(ROLE_REF, shownAs(role, formOf('rbac.authorization.k8s.io_v1.RoleRef')), 'cannot change roleRef')
    },
  }
}

const roleBinding = within({
  roleRef: always({ apiGroup: blank(GROUP) }),
  subjects: each(within({ apiGroup: where(({ kind }) => kind === 'User' || kind === 'Group', blank(GROUP)) })),
})

/** The subjects of one kind, those of service accounts with their namespace. */
function subjects(kind: string): (binding: ValueMap) => string {
  const nameOf = (subject: Value): string =>
    kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name')
  return (binding) => {
    const found = listAt(binding, 'subjects').filter((subject) => textAt(subject, 'kind') === kind)
    return found.map(nameOf).join(', ')
  }
}

const COLUMNS: TableShape = tableOf([
  NAME,
  column('Role', 'What is granted.', (one) => `${textAt(one, 'roleRef', 'kind')}/${textAt(one, 'roleRef', 'name')}`),
  AGE,
  wide('Users', 'The users that it is granted to.', subjects('User')),
  wide('Groups', 'The groups that it is granted to.', subjects('Group')),
  wide('ServiceAccounts', 'The service accounts that it is granted to.', subjects('ServiceAccount')),
])

export const ROLE_BINDING: Kind = {
  validation: bindingRules(['Role', 'ClusterRole'], true),
  defaults: roleBinding,
  strategy: roleStrategy('RoleBinding'),
  columns: COLUMNS,
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
}

export const CLUSTER_ROLE_BINDING: Kind = {
  validation: bindingRules(['ClusterRole'], false),
  defaults: roleBinding,
  strategy: roleStrategy('ClusterRoleBinding'),
  columns: COLUMNS,
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
}
