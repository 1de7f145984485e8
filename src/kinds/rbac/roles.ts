// Roles and cluster roles.
import { FieldPath } from '../../api/field-path.ts'
import { listOrEmpty, mapOrAbsent, mapsInPlace, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkLabelSelector, isUsable } from '../../schema/validation/labels.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, segmentName } from '../../schema/validation/object-meta.ts'
import type { CreateRule, KindRules } from '../../schema/validation/rules.ts'
import type { Kind } from '../kind.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { roleStrategy } from './escalation.ts'

function checkRules(object: ValueMap, namespaced: boolean, check: Check): void {
  for (const [i, rule] of mapsInPlace(object, 'rules').entries()) {
    const at = FieldPath.root('rules').index(i)
    check.fields(rule, at, 'rbac.authorization.k8s.io_v1.PolicyRule', 'verbs')
    const urls = textsInPlace(rule, 'nonResourceURLs')
    if (urls.length > 0) {
      const place = at.child('nonResourceURLs')
      if (namespaced) check.invalid(place, urls, 'namespaced rules cannot apply to non-resource URLs')
      if (['apiGroups', 'resources', 'resourceNames'].some((field) => listOrEmpty(rule, field).length > 0)) {
        check.invalid(place, urls, 'rules cannot apply to both regular resources and non-resource URLs')
      }
      continue
    }
    check.fields(rule, at, 'rbac.authorization.k8s.io_v1.PolicyRule', 'apiGroups', 'resources')
  }
}

const checkRole: CreateRule = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, true, check)
}

const checkClusterRole: CreateRule = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, false, check)
  const aggregation = mapOrAbsent(object, 'aggregationRule')
  if (aggregation === undefined) return
  const at = FieldPath.root('aggregationRule')
  check.fields(aggregation, at, 'rbac.authorization.k8s.io_v1.AggregationRule')
  for (const [selector, place] of placedMaps(aggregation, 'clusterRoleSelectors', at)) {
    checkLabelSelector(selector, place, check)
    if (!isUsable(selector)) check.invalid(place, undefined, 'invalid label selector.')
  }
}

/** On updates the reference applies the rules for new objects, and then those for changed metadata. */
export function checkedAgain(rule: CreateRule): KindRules {
  return {
    create: rule,
    update: (object, stored, check) => {
      rule(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
    },
  }
}

export const ROLE: Kind = {
  validation: checkedAgain(checkRole),
  strategy: roleStrategy('Role'),
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
}

export const CLUSTER_ROLE: Kind = {
  validation: checkedAgain(checkClusterRole),
  strategy: roleStrategy('ClusterRole'),
  olderVersions: { 'rbac.authorization.k8s.io/v1beta1': 'same' },
}
