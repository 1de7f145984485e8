import { describe, expect, it } from 'vitest'
import type { Access, Authorizer } from '../../../src/auth/authorizer.ts'
import { explainDenied } from '../../../src/auth/denied-explanation.ts'
import { RbacIndex, type RbacKind } from '../../../src/auth/rbac-index.ts'
import { rbacAuthorizer } from '../../../src/auth/rbac.ts'

const { signal } = new AbortController()
const userOf = (name: string) => ({ name, uid: undefined, groups: ['dev'], extra: {} })
const jane = userOf('jane')
const NO_OPINION = { kind: 'no-opinion' } as const

function put(index: RbacIndex, kind: RbacKind, at: string, rest: object): void {
  const [name = '', namespace = ''] = at.split('/').toReversed()
  const metadata = namespace === '' ? { name } : { name, namespace }
  index.put(kind, { kind, apiVersion: 'rbac.authorization.k8s.io/v1', metadata, ...rest })
}

/** The developers' roles: pods in `a`, and what `readers` may list of RBAC. */
function world(readers: readonly string[] = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']): {
  readonly index: RbacIndex
  readonly authorizer: Authorizer
} {
  const index = new RbacIndex()
  put(index, 'Role', 'a/pods', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }] })
  put(index, 'RoleBinding', 'a/pods-of-dev', {
    roleRef: { kind: 'Role', name: 'pods' },
    subjects: [{ kind: 'Group', name: 'dev' }],
  })
  const rules = [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: readers,
      verbs: ['list'],
    },
  ]
  put(index, 'ClusterRole', 'rbac-readers', { rules })
  put(index, 'ClusterRoleBinding', 'rbac-readers', {
    roleRef: { kind: 'ClusterRole', name: 'rbac-readers' },
    subjects: [{ kind: 'User', name: 'jane' }],
  })
  return { index, authorizer: rbacAuthorizer(index) }
}

const asked = (verb: string, resource: string, rest: object = {}): Access => ({
  kind: 'resource',
  user: jane,
  verb,
  group: '',
  version: 'v1',
  resource,
  namespace: 'a',
  ...rest,
})

const explain = (access: Access, { parts = world(), reader = jane } = {}) =>
  explainDenied({ access, decision: NO_OPINION, reader }, parts, signal)

describe('the explanation of a denied request', () => {
  it('has the smallest rule that is missing', async () => {
    const nobody = { parts: world([]), reader: userOf('nobody') }
    expect(await explain(asked('delete', 'pods', { name: 'p' }), nobody)).toEqual({
      missingRule: { verbs: ['delete'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] },
      namespace: 'a',
    })
    expect(await explain(asked('get', 'pods', { subresource: 'log', namespace: undefined }), nobody)).toEqual({
      missingRule: { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
    })
    expect(await explain({ kind: 'path', user: jane, verb: 'get', path: '/metrics' }, nobody)).toEqual({
      missingRule: { verbs: ['get'], nonResourceURLs: ['/metrics'] },
    })
  })

  it.each<[string, Access, readonly string[]]>([
    ['a verb', asked('delete', 'pods'), ['verbs']],
    ['a subresource', asked('get', 'pods', { subresource: 'log' }), ['resources']],
    ['a verb of a subresource', asked('create', 'pods', { subresource: 'exec' }), ['verbs', 'resources']],
    ['the namespace', asked('list', 'pods', { namespace: 'b' }), ['namespace']],
  ])('names the nearest binding where that lacks %s', async (_, access, lacks) => {
    expect((await explain(access)).nearestBinding).toEqual({
      kind: 'RoleBinding',
      name: 'pods-of-dev',
      namespace: 'a',
      role: { kind: 'Role', name: 'pods' },
      subject: 'Group "dev"',
      rule: { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
      lacks,
    })
  })

  it('names no binding that has nothing to do with it', async () => {
    expect((await explain(asked('get', 'secrets'))).nearestBinding).toBeUndefined()
    expect((await explain(asked('delete', 'pods', { namespace: 'b' }))).nearestBinding).toBeUndefined()
  })

  it.each([[[]], [['roles']], [['rolebindings']], [['clusterroles', 'clusterrolebindings']]])(
    'names no binding to who may list only %j',
    async (readers) => {
      const parts = world(readers)
      expect((await explain(asked('delete', 'pods'), { parts })).nearestBinding).toBeUndefined()
      expect((await explain(asked('list', 'pods', { namespace: 'b' }), { parts })).nearestBinding).toBeUndefined()
    },
  )

  it('asks what the reader may list, and not who was denied', async () => {
    const reader = userOf('nobody')
    expect((await explain(asked('delete', 'pods'), { reader })).nearestBinding).toBeUndefined()
  })

  it('has no rule where an authorizer has said no', async () => {
    const denied = { access: asked('get', 'pods'), decision: { kind: 'deny' }, reader: jane } as const
    expect(await explainDenied(denied, world(), signal)).toEqual({})
  })
})
