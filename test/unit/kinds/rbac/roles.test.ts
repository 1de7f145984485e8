import { describe, it } from 'vitest'
import { changes, judge, RBAC, type Row, rows } from '../judging.ts'

describe('validation', () => {
  it.each<Row>([
    ...rows(
      `${RBAC} Role`,
      ['no verbs', { 'rules/0/verbs': [] }, 'rules[0].verbs: Required value: verbs must contain at least one value'],
      [
        'no groups',
        { 'rules/0/apiGroups': [] },
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      ],
      [
        'paths in a namespace',
        { 'rules/0': { verbs: ['get'], nonResourceURLs: ['/x'] } },
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      ],
    ),
    ...rows(
      `${RBAC} ClusterRole`,
      [
        'paths and resources',
        { 'rules/0/resources': ['pods'], 'rules/0/apiGroups': [''] },
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
      [
        'nothing to gather',
        { aggregationRule: { clusterRoleSelectors: [] } },
        'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ),
    ...changes('rbac.authorization.k8s.io/v1 Role', [
      'a fault is told once',
      {},
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ]),
  ])('$of: $case', judge)
})
