import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, judge, RBAC, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('rbac.authorization.k8s.io ClusterRoleBinding has these columns', () =>
    expectColumns('rbac.authorization.k8s.io ClusterRoleBinding', [
      'Name : string name',
      'Role',
      'Age',
      '|Users',
      '|Groups',
      '|ServiceAccounts',
    ]))

  it('rbac.authorization.k8s.io RoleBinding has these columns', () =>
    expectColumns('rbac.authorization.k8s.io RoleBinding', [
      'Name : string name',
      'Role',
      'Age',
      '|Users',
      '|Groups',
      '|ServiceAccounts',
    ]))

  it.each<CellRow>([
    [
      'rbac.authorization.k8s.io RoleBinding',
      'all sorts of subjects',
      {
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', namespace: 'n', name: 's' },
          { kind: 'Group', name: 'g' },
          { kind: 'User', name: 'v' },
        ],
      },
      ['Role/r', 'u, v', 'g', 'n/s'],
    ],
    [
      'rbac.authorization.k8s.io ClusterRoleBinding',
      'of nobody',
      { roleRef: { kind: 'ClusterRole', name: 'r' } },
      ['ClusterRole/r', '', '', ''],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named(
      ['ClusterRoleBinding', 'RoleBinding'].map((kind) => ({
        of: `rbac.authorization.k8s.io/v1 ${kind}`,
        given: {
          roleRef: { kind: 'Role' },
          subjects: [{ kind: 'User' }, { kind: 'Group' }, { kind: 'ServiceAccount' }],
        },
        meant: {
          roleRef: { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io' },
          subjects: [
            { kind: 'User', apiGroup: 'rbac.authorization.k8s.io' },
            { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io' },
            { kind: 'ServiceAccount' },
          ],
        },
      })),
    ),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const RBAC_GROUP = 'rbac.authorization.k8s.io'
  it.each<Row>([
    ...rows(
      `${RBAC} RoleBinding`,
      ['no role', { 'roleRef/name': '' }, 'roleRef.name: Required value'],
      [
        'an unknown kind of role',
        { 'roleRef/kind': 'Odd' },
        'roleRef.kind: Unsupported value: "Odd": supported values: "Role", "ClusterRole"',
      ],
      [
        'an account in a group of the API',
        { 'subjects/0/apiGroup': RBAC_GROUP },
        `subjects[0].apiGroup: Unsupported value: "${RBAC_GROUP}": supported values: ""`,
      ],
    ),
    ...changes(`${RBAC} RoleBinding`, [
      'another role',
      {},
      { 'roleRef/name': 's' },
      `roleRef: Invalid value: {"APIGroup":"${RBAC_GROUP}","Kind":"ClusterRole","Name":"s"}: field is immutable`,
    ]),
    ...rows(
      `${RBAC} ClusterRoleBinding`,
      [
        'a role of one place',
        { 'roleRef/kind': 'Role' },
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      ],
      [
        'an account of nowhere',
        { subjects: [{ kind: 'ServiceAccount', name: 's' }] },
        'subjects[0].namespace: Required value',
      ],
    ),
  ])('$of: $case', judge)
})
