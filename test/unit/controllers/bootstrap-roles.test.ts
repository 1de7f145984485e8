import { describe, expect, it } from 'vitest'
import { DEFAULT_LEVEL } from '../../../src/api/level.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { clusterRoleRules, makeBootstrapRoles, reconciled } from '../../../src/controllers/bootstrap-roles.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { systemClock } from '../../../src/lib/clock.ts'

const GROUP = 'rbac.authorization.k8s.io'

async function furnished(): Promise<{ world: ApiWorld; again: () => Promise<void> }> {
  const world = await openWorld()
  const parts = {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set<string>(),
    clock: systemClock,
    now: () => NOW,
    log: SILENT_LOG,
  }
  const again = async (): Promise<void> =>
    void (await makeBootstrapRoles(parts, DEFAULT_LEVEL, new AbortController().signal))
  await again()
  return { world, again }
}

describe('the default roles', () => {
  it('have what their gates add', () => {
    const rulesOf = (name: string, gates: readonly string[]) =>
      clusterRoleRules(name, { level: DEFAULT_LEVEL, gates: new Set(gates) }).flatMap(({ resources }) => resources)
    const [view, node] = ['system:aggregate-to-view', 'system:node']
    expect(rulesOf(view, [])).not.toContain('workloads')
    expect(rulesOf(view, ['GenericWorkload'])).toContain('workloads')
    expect(rulesOf(node, ['ClusterTrustBundle'])).toContain('clustertrustbundles')
    expect(rulesOf('system:cluster-trust-bundle-discovery', [])).toEqual([])
    expect(rulesOf('system:cluster-trust-bundle-discovery', ['ClusterTrustBundle'])).toEqual(['clustertrustbundles'])
  })

  it('are made at the start, with their label and annotation (W-630, P-145)', async () => {
    const { world } = await furnished()
    const clusterRoles = world.resource('clusterroles', GROUP)
    const admin = await world.get(clusterRoles, 'cluster-admin')
    expect(admin['rules']).toEqual([
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ])
    expect(admin.metadata).toMatchObject({
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    })
    expect(await world.get(clusterRoles, 'view')).toMatchObject({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${GROUP}/aggregate-to-view`]: 'true' } }] },
    })
    const binding = await world.get(
      world.resource('clusterrolebindings', GROUP),
      'system:controller:generic-garbage-collector',
    )
    expect(binding['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'generic-garbage-collector', namespace: 'kube-system' },
    ])
    const roles = world.resource('roles', GROUP)
    expect(await world.get(roles, 'system::leader-locking-kube-scheduler', 'kube-system')).toHaveProperty('rules')
  })

  it('lose nothing that was added, and get back what was taken (W-630, P-145, P-149)', async () => {
    const { world, again } = await furnished()
    const clusterRoles = world.resource('clusterroles', GROUP)
    const extra = { apiGroups: ['x'], resources: ['y'], verbs: ['z'] }
    await world.update(clusterRoles, 'system:basic-user', (live) => ({ ...live, rules: [extra] }))
    await world.update(clusterRoles, 'system:discovery', ({ metadata, ...live }) => ({
      ...live,
      rules: [],
      metadata: { ...metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    }))
    await again()
    expect((await world.get(clusterRoles, 'system:basic-user'))['rules']).toEqual([
      extra,
      { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectrulesreviews'], verbs: ['create'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ])
    expect((await world.get(clusterRoles, 'system:discovery'))['rules'] ?? []).toEqual([])
  })

  it('are not written again where nothing is missing', async () => {
    const { world, again } = await furnished()
    const clusterRoles = world.resource('clusterroles', GROUP)
    const before = await world.get(clusterRoles, 'edit')
    await again()
    expect((await world.get(clusterRoles, 'edit')).metadata['resourceVersion']).toBe(before.metadata['resourceVersion'])
  })
})

describe('a binding that is there (P-145)', () => {
  const binding = (name: string, ...users: readonly string[]): ApiObject => ({
    kind: 'ClusterRoleBinding',
    apiVersion: `${GROUP}/v1`,
    metadata: { name: 'b' },
    subjects: users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  })

  it('gets the subjects that it lacks', () => {
    expect(reconciled(binding('r', 'x'), binding('r', 'y'))).toMatchObject({
      subjects: [{ name: 'x' }, { name: 'y' }],
    })
  })

  it('is made anew where it names another role', () => {
    expect(reconciled(binding('r'), binding('s'))).toBe('other role')
  })
})
