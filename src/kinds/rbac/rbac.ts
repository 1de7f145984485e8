// Roles and who has them.
import { FieldPath } from '../../api/field-path.ts'
import { shownJson } from '../../api/field-error.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { pathSegment } from '../../schema/validation/formats.ts'
import { checkLabelSelector, isUsable } from '../../schema/validation/labels.ts'
import { has, listOf, partIn, partOf, partsOf, textOf, textsOf } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  segmentName,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { CreateRule, GroupRules, KindRules } from '../../schema/validation/rules.ts'

const GROUP = 'rbac.authorization.k8s.io'
const ROLE_REF = FieldPath.root('roleRef')

function checkRules(object: ValueMap, namespaced: boolean, check: Check): void {
  for (const [i, rule] of partsOf(object, 'rules').entries()) {
    const at = FieldPath.root('rules').index(i)
    if (listOf(rule, 'verbs').length === 0) check.required(at.child('verbs'), 'verbs must contain at least one value')
    const urls = textsOf(rule, 'nonResourceURLs')
    if (urls.length > 0) {
      const place = at.child('nonResourceURLs')
      if (namespaced) check.invalid(place, urls, 'namespaced rules cannot apply to non-resource URLs')
      if (['apiGroups', 'resources', 'resourceNames'].some((field) => listOf(rule, field).length > 0)) {
        check.invalid(place, urls, 'rules cannot apply to both regular resources and non-resource URLs')
      }
      continue
    }
    if (listOf(rule, 'apiGroups').length === 0) {
      check.required(at.child('apiGroups'), 'resource rules must supply at least one api group')
    }
    if (listOf(rule, 'resources').length === 0) {
      check.required(at.child('resources'), 'resource rules must supply at least one resource')
    }
  }
}

const checkRole: CreateRule = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, true, check)
}

const checkClusterRole: CreateRule = (object, check) => {
  checkBuiltInMeta(object, segmentName, check)
  checkRules(object, false, check)
  const aggregation = partIn(object, 'aggregationRule')
  if (aggregation === undefined) return
  const selectors = partsOf(aggregation, 'clusterRoleSelectors')
  const at = FieldPath.root('aggregationRule').child('clusterRoleSelectors')
  if (selectors.length === 0) {
    check.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil')
  }
  for (const [i, selector] of selectors.entries()) {
    checkLabelSelector(selector, at.index(i), check)
    if (!isUsable(selector)) check.invalid(at.index(i), undefined, 'invalid label selector.')
  }
}

/** The reference checks a changed role or binding as a new one, and its metadata with the change. */
function checkedAgain(rule: CreateRule): KindRules {
  return {
    create: rule,
    update: (object, stored, check) => {
      rule(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
    },
  }
}

function checkBinding(kinds: readonly string[], namespaced: boolean): CreateRule {
  return (object, check) => {
    checkBuiltInMeta(object, segmentName, check)
    const role = partOf(object, 'roleRef')
    check.oneOf(ROLE_REF.child('apiGroup'), textOf(role, 'apiGroup'), [GROUP])
    check.oneOf(ROLE_REF.child('kind'), textOf(role, 'kind'), kinds)
    const name = textOf(role, 'name')
    if (name === '') check.required(ROLE_REF.child('name'))
    else check.format(ROLE_REF.child('name'), name, pathSegment(name))
    for (const [i, subject] of partsOf(object, 'subjects').entries()) {
      checkSubject(subject, namespaced, { at: FieldPath.root('subjects').index(i), check })
    }
  }
}

interface Place {
  readonly at: FieldPath
  readonly check: Check
}

function checkSubject(subject: ValueMap, namespaced: boolean, { at, check }: Place): void {
  const name = textOf(subject, 'name')
  const group = textOf(subject, 'apiGroup')
  if (name === '') check.required(at.child('name'))
  switch (textOf(subject, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') check.format(at.child('name'), name, subdomainName(name, false))
      check.oneOf(at.child('apiGroup'), group, [''])
      if (!namespaced && !has(subject, 'namespace')) check.required(at.child('namespace'))
      break
    case 'User':
    case 'Group':
      check.oneOf(at.child('apiGroup'), group, [GROUP])
      break
    default:
      check.notSupported(at.child('kind'), textOf(subject, 'kind'), ['ServiceAccount', 'User', 'Group'])
  }
}

function binding(kinds: readonly string[], namespaced: boolean): KindRules {
  const rules = checkedAgain(checkBinding(kinds, namespaced))
  return {
    create: rules.create,
    update: (object, stored, check) => {
      rules.update(object, stored, check)
      const role = partOf(object, 'roleRef')
      if (equalValues(role, partOf(stored, 'roleRef'))) return
      const shown = { APIGroup: textOf(role, 'apiGroup'), Kind: textOf(role, 'kind'), Name: textOf(role, 'name') }
      check.invalid(ROLE_REF, shownJson(shown), 'cannot change roleRef')
    },
  }
}

export const RBAC_RULES: GroupRules = {
  ClusterRole: checkedAgain(checkClusterRole),
  ClusterRoleBinding: binding(['ClusterRole'], false),
  Role: checkedAgain(checkRole),
  RoleBinding: binding(['Role', 'ClusterRole'], true),
}
