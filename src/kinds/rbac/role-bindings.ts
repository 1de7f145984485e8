// Role bindings and cluster role bindings.
import { FieldPath } from '../../api/field-path.ts'
import type { ClusterRoleBinding, RoleBinding, Subject } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, type TableShape, wide } from '../../codec/tables/column.ts'
import { always, blank, each, type OwnRule, where, within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, segmentName, subdomainName } from '../../schema/validation/object-meta.ts'
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { roleStrategy } from './escalation.ts'

const GROUP = 'rbac.authorization.k8s.io'
const ROLE_REF = FieldPath.root<RoleBinding['roleRef']>('roleRef')

function checkBinding(kinds: readonly string[], namespaced: boolean): CreateRule<RoleBinding> {
  return (object, check) => {
    checkBuiltInMeta(object, segmentName, check)
    const { roleRef: role, subjects = [] } = object
    check.fields(role, ROLE_REF, 'rbac.authorization.k8s.io_v1.RoleRef', 'apiGroup')
    check.oneOf(ROLE_REF.child('kind'), role.kind, kinds)
    check.fields(role, ROLE_REF, 'rbac.authorization.k8s.io_v1.RoleRef', 'name')
    subjects.forEach((subject, i) => checkSubject(subject, namespaced, FieldPath.root('subjects').index(i), check))
  }
}

function checkSubject(subject: Subject, namespaced: boolean, at: FieldPath, check: Check): void {
  const { kind, name, apiGroup: group = '', namespace } = subject
  check.fields(subject, at, 'rbac.authorization.k8s.io_v1.Subject')
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') check.format(at.child('name'), name, subdomainName(name, false))
      check.oneOf(at.child('apiGroup'), group, [''])
      if (!namespaced && namespace === undefined) check.required(at.child('namespace'))
      break
    case 'User':
    case 'Group':
      check.oneOf(at.child('apiGroup'), group, [GROUP])
      break
    default:
      check.notSupported(at.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])
  }
}

function bindingRules(
  kinds: readonly string[],
  namespaced: boolean,
  refusal = 'cannot change roleRef',
): KindRules<RoleBinding> {
  const rules = checkedAgain(checkBinding(kinds, namespaced))
  return {
    create: rules.create,
    update: (object, stored, check) => {
      rules.update(object, stored, check)
      const { roleRef: role } = object
      if (equalValues(role, stored.roleRef)) return
      check.invalid(ROLE_REF, shownAs(role, formOf('rbac.authorization.k8s.io_v1.RoleRef')), refusal)
    },
  }
}

const roleBinding: OwnRule<RoleBinding> = within({
  roleRef: always({ apiGroup: blank(GROUP) }),
  subjects: each(within({ apiGroup: where(({ kind }) => kind === 'User' || kind === 'Group', blank(GROUP)) })),
})

/** The subjects of one kind. Service accounts have their namespace. */
function subjects(kind: string): (binding: RoleBinding) => string {
  const nameOf = ({ namespace = '', name }: Subject): string =>
    kind === 'ServiceAccount' ? `${namespace}/${name}` : name
  return ({ subjects = [] }) => {
    const found = subjects.filter((subject) => subject.kind === kind)
    return found.map(nameOf).join(', ')
  }
}

const COLUMNS: TableShape<RoleBinding> = tableOf([
  NAME,
  column('Role', 'The granted role.', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  AGE,
  wide('Users', 'The users that get the role.', subjects('User')),
  wide('Groups', 'The groups that get the role.', subjects('Group')),
  wide('ServiceAccounts', 'The service accounts that get the role.', subjects('ServiceAccount')),
])

export const ROLE_BINDING: Kind = typedKind<RoleBinding>({
  validation: bindingRules(['Role', 'ClusterRole'], true),
  since: { '1.37': { validation: bindingRules(['Role', 'ClusterRole'], true, IMMUTABLE) } },
  defaults: roleBinding,
  strategy: roleStrategy('RoleBinding'),
  columns: COLUMNS,
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
})

export const CLUSTER_ROLE_BINDING: Kind = typedKind<ClusterRoleBinding>({
  validation: bindingRules(['ClusterRole'], false),
  since: { '1.37': { validation: bindingRules(['ClusterRole'], false, IMMUTABLE) } },
  defaults: roleBinding,
  strategy: roleStrategy('ClusterRoleBinding'),
  columns: COLUMNS,
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
})
