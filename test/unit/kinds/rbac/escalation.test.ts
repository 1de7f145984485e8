import { beforeEach, describe, expect, it } from 'vitest'
import { RbacIndex } from '../../../../src/auth/rbac-index.ts'
import { rbacAuthorizer } from '../../../../src/auth/rbac.ts'
import type { KindNeeds } from '../../../../src/kinds/needs.ts'
import { roleStrategy } from '../../../../src/kinds/rbac/escalation.ts'
import type { Resource } from '../../../../src/registry/registry.ts'
import { type ApiWorld, openWorld } from '../../../rigs/api-world.ts'

const GROUP = 'rbac.authorization.k8s.io'
const MASTER = { name: 'root', uid: undefined, groups: ['system:masters'], extra: {} }
const JANE = { name: 'jane', uid: undefined, groups: ['dev'], extra: {} }

const getPods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }

let world: ApiWorld

function of(name: string): Resource {
  return world.resource(name, GROUP)
}

/** Jane gets these rules, in the cluster; resolves when the server goes by them. */
async function give(name: string, ...rules: readonly object[]): Promise<void> {
  await world.create(of('clusterroles'), { metadata: { name }, rules })
  const subjects = [{ kind: 'User', apiGroup: GROUP, name: 'jane' }]
  await world.create(of('clusterrolebindings'), {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects,
  })
  await settled()
}

/** What decides learns of roles within a few turns. */
async function settled(): Promise<void> {
  await world.clock.advance(0)
}

function makeRole(name: string, ...rules: readonly object[]): Promise<unknown> {
  return world.create(of('roles'), { metadata: { name }, rules }, { user: JANE })
}

function bindTo(kind: string, name: string): Promise<unknown> {
  const body = { metadata: { name: 'b' }, roleRef: { apiGroup: GROUP, kind, name }, subjects: [] }
  return world.create(of('rolebindings'), body, { user: JANE })
}

const REFUSED =
  'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'

beforeEach(async () => {
  world = await openWorld()
  const verbs = ['get', 'create', 'update']
  await give('writer', { apiGroups: [GROUP], resources: ['roles', 'rolebindings', 'clusterroles'], verbs })
})

describe('writing a role', () => {
  it('takes the rights that it grants (W-605, P-138)', async () => {
    await give('own', getPods)
    await makeRole('a', getPods)
    await expect(makeRole('b', { ...getPods, verbs: ['get', 'list', 'watch'] })).rejects.toMatchObject({
      code: 403,
      message: `roles.rbac.authorization.k8s.io "b" is forbidden: ${REFUSED}{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}`,
    })
  })

  it('is free for administrators, and for who may escalate (P-138, P-141, P-142)', async () => {
    const role = { metadata: { name: 'a' }, rules: [all] }
    await expect(world.create(of('roles'), role, { user: MASTER })).resolves.toMatchObject({ rules: [all] })
    await expect(makeRole('b', all)).rejects.toMatchObject({ code: 403 })
    await give('own', { apiGroups: [GROUP], resources: ['roles'], verbs: ['escalate'] })
    await expect(makeRole('b', all)).resolves.toMatchObject({ rules: [all] })
  })

  it('counts what was granted a moment ago', async () => {
    await give('own', getPods)
    const index = new RbacIndex()
    const roleGuard = { index, authorizer: rbacAuthorizer(index) }
    const find = (group: string, name: string): Resource => world.resource(name, group)
    const { authorizeWrite } = roleStrategy('Role')({ roleGuard, find } as KindNeeds)
    const object = { kind: 'Role', apiVersion: `${GROUP}/v1`, metadata: { name: 'a' }, rules: [getPods] }
    await authorizeWrite!({ object, stored: undefined, name: 'a' }, world.context({ user: JANE }), world.parts)
  })

  it('takes them again for every change but one of finalizers and owners (P-141)', async () => {
    await world.create(of('roles'), { metadata: { name: 'strong' }, rules: [all] }, { user: MASTER })
    const as = { user: JANE }
    const finalizers = ['example.com/x']
    await world.update(of('roles'), 'strong', (live) => ({ ...live, metadata: { ...live.metadata, finalizers } }), as)
    const relabel = world.update(
      of('roles'),
      'strong',
      (live) => ({ ...live, metadata: { ...live.metadata, labels: { a: 'b' } } }),
      as,
    )
    await expect(relabel).rejects.toMatchObject({ code: 403 })
  })

  it('that gathers others takes all rights (W-607, P-140)', async () => {
    await give('own', getPods)
    const body = { metadata: { name: 'g' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }
    const gathering = world.create(of('clusterroles'), body, { user: JANE, namespace: '' })
    await expect(gathering).rejects.toMatchObject({
      code: 403,
      message:
        'clusterroles.rbac.authorization.k8s.io "g" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    })
    await give('everything', all, { nonResourceURLs: ['*'], verbs: ['*'] })
    await world.create(of('clusterroles'), body, { user: JANE, namespace: '' })
  })

  it('tells which of the own roles could not be found', async () => {
    await give('own', getPods)
    await world.delete(of('clusterroles'), 'own')
    await settled()
    await expect(makeRole('a', getPods)).rejects.toThrow(
      '; resolution errors: [clusterroles.rbac.authorization.k8s.io "own" not found]',
    )
  })
})

describe('binding a role', () => {
  it('takes the rights that it grants, or the right to bind it (W-606, P-139)', async () => {
    await world.create(
      of('clusterroles'),
      { metadata: { name: 'strong' }, rules: [all] },
      { user: MASTER, namespace: '' },
    )
    await expect(bindTo('ClusterRole', 'strong')).rejects.toMatchObject({
      code: 403,
      message: `rolebindings.rbac.authorization.k8s.io "b" is forbidden: ${REFUSED}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`,
    })
    await give('own', { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['strong'], verbs: ['bind'] })
    await bindTo('ClusterRole', 'strong')
  })

  it('takes a role that is there (W-606, P-139)', async () => {
    await expect(bindTo('Role', 'none')).rejects.toMatchObject({
      code: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "none" not found',
    })
    await expect(bindTo('constructor', 'none')).rejects.toMatchObject({ code: 422 })
  })
})
