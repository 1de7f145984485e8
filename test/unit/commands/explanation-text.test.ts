import { describe, expect, it } from 'vitest'
import { conflictText, deniedText, type Refusal } from '../../../src/commands/explanation-text.ts'

const refusal = (message: string, rest: Partial<Refusal> = {}): Refusal => ({
  message,
  details: {},
  user: undefined,
  explanation: undefined,
  ...rest,
})

describe('a denied request, printed', () => {
  it('is read from what kubectl prints', () => {
    const said =
      'Error from server (Forbidden): deployments.apps "web" is forbidden: User "system:serviceaccount:ci:robot" cannot patch resource "deployments/scale" in API group "apps" in the namespace "prod"\n'
    expect(
      deniedText(refusal(said)),
    ).toBe(`# system:serviceaccount:ci:robot cannot patch deployments/scale of apps "web" in the namespace prod.
# This would allow it:
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: patch-deployments-scale
  namespace: prod
rules:
- apiGroups:
  - apps
  resourceNames:
  - web
  resources:
  - deployments/scale
  verbs:
  - patch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: patch-deployments-scale
  namespace: prod
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: patch-deployments-scale
subjects:
- kind: ServiceAccount
  name: robot
  namespace: ci
`)
  })

  it.each([
    [
      'nodes is forbidden: User "jo" cannot list resource "nodes" in API group "" at the cluster scope',
      'jo cannot list nodes.',
    ],
    ['forbidden: User "jo" cannot get path "/metrics"', 'jo cannot get /metrics.'],
  ])('may be of the whole cluster: %s', (message, told) => {
    const text = deniedText(refusal(message))
    expect(text).toContain(`# ${told}\n`)
    expect(text).toContain('kind: ClusterRoleBinding\n')
  })

  it('has the nearest binding', () => {
    const missingRule = { verbs: ['delete'], apiGroups: [''], resources: ['pods'] }
    const nearestBinding = {
      kind: 'RoleBinding',
      name: 'b',
      namespace: 'a',
      role: { kind: 'Role', name: 'r' },
      subject: 'Group "dev"',
      rule: { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      lacks: ['verbs'],
    }
    const explanation = { missingRule, namespace: 'a', nearestBinding }
    expect(deniedText(refusal('', { user: 'jo', explanation }))).toContain(
      '# The nearest binding is RoleBinding "b" in a of Role "r" to Group "dev": {"verbs":["get"],"apiGroups":[""],"resources":["pods"]} does not have these verbs.\n',
    )
    expect(deniedText(refusal('no\x1b[2J\nkind: Evil', { user: 'jo', explanation: {} }))).toBe(
      '# An authorizer has denied it: no role would help.\n# no\\u001b[2J kind: Evil\n',
    )
  })

  it('is nothing else', () => {
    expect(() => deniedText(refusal('pods "x" not found'))).toThrow('is it a 403?')
  })
})

describe('a conflict, printed', () => {
  it('shows values, owners and ways out', () => {
    const owner = {
      manager: 'hpa',
      operation: 'Update',
      apiVersion: 'apps/v1',
      subresource: 'scale',
      time: '2026-01-01T00:00:00Z',
    }
    const conflicts = [{ field: '.spec.replicas', owner, current: 3, applied: 1 }]
    expect(conflictText(refusal('', { explanation: { conflicts, waysOut: ['Do it.'] } }))).toBe(`.spec.replicas
  stored   3
  applied  1
  owner    "hpa", Update of apps/v1 through scale at 2026-01-01T00:00:00Z

Ways out:
  1. Do it.
`)
  })

  it('shows what a plain Status has', () => {
    const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "hpa"', field: '.spec.replicas' }]
    expect(conflictText(refusal('', { details: { causes } }))).toMatch(/^\.spec\.replicas: conflict with "hpa"\n/)
    expect(() => conflictText(refusal('something else'))).toThrow('not a conflict of an apply: something else')
  })
})
