// Roles and cluster roles.
import { FieldPath } from '../../api/field-path.ts'
import type { ClusterRole, Role } from '../../api/gen/kinds.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector, isUsable } from '../../schema/validation/labels.ts'
import { checkBuiltInMeta, segmentName } from '../../schema/validation/object-meta.ts'
import type { CreateRule } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkedAgain } from '../shared/built-in-rules.ts'
import { roleStrategy } from './escalation.ts'

function checkRules({ rules }: Role, namespaced: boolean, check: Check): void {
  for (const [i, rule] of (rules ?? []).entries()) {
    const at = FieldPath.root<Role['rules']>('rules').index(i)
    check.fields(rule, at, 'rbac.authorization.k8s.io_v1.PolicyRule', 'verbs')
    const { nonResourceURLs: urls = [], apiGroups = [], resources = [], resourceNames = [] } = rule
    if (urls.length > 0) {
      const place = at.child('nonResourceURLs')
      if (namespaced) check.invalid(place, urls, 'namespaced rules cannot apply to non-resource URLs')
      if (apiGroups.length + resources.length + resourceNames.length > 0) {
        check.invalid(place, urls, 'rules cannot apply to both regular resources and non-resource URLs')
      }
      continue
    }
    check.fields(rule, at, 'rbac.authorization.k8s.io_v1.PolicyRule', 'apiGroups', 'resources')
  }
}

const checkRole: CreateRule<Role> = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, true, check)
}

const checkClusterRole: CreateRule<ClusterRole> = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, false, check)
  const { aggregationRule: aggregation } = object
  if (aggregation === undefined) return
  const at = FieldPath.root<typeof aggregation>('aggregationRule')
  check.fields(aggregation, at, 'rbac.authorization.k8s.io_v1.AggregationRule')
  check.each(aggregation, 'clusterRoleSelectors', at, (selector, place) => {
    checkLabelSelector(selector, place, check)
    if (!isUsable(selector)) check.invalid(place, undefined, 'invalid label selector.')
  })
}

export const ROLE: Kind = typedKind<Role>({
  validation: checkedAgain(checkRole),
  strategy: roleStrategy('Role'),
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
})

export const CLUSTER_ROLE: Kind = typedKind<ClusterRole>({
  validation: checkedAgain(checkClusterRole),
  strategy: roleStrategy('ClusterRole'),
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
})
