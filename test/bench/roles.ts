// What roles cost a request: a decision with 1,000 roles and bindings beside one with as good as none, where the user is bound to
// few of them and where the user is bound to all.
import type { Access } from '../../src/auth/authorizer.ts'
import { allowMasters, chain } from '../../src/auth/authorizer.ts'
import { RbacIndex } from '../../src/auth/rbac-index.ts'
import { rbacAuthorizer } from '../../src/auth/rbac.ts'

const GROUP = 'rbac.authorization.k8s.io'
const ROUNDS = 400_000
const { signal } = new AbortController()
const jane = { name: 'jane', uid: undefined, groups: ['dev', 'system:authenticated'], extra: {} }

const asked: Access = {
  kind: 'resource',
  user: jane,
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  subresource: undefined,
  namespace: 'team-1',
  name: 'settings',
}

/** Jane may read config maps; beside that there are `count` other roles, bound to others or to her. */
function indexWith(count: number, boundTo: (i: number) => string): RbacIndex {
  const index = new RbacIndex()
  const add = (name: string, user: string, resource: string): void => {
    const metadata = { name, namespace: 'team-1' }
    const rules = [
      { apiGroups: [''], resources: [resource, `${resource}/status`], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: [name] },
    ]
    index.put('Role', { kind: 'Role', apiVersion: `${GROUP}/v1`, metadata, rules })
    index.put('RoleBinding', {
      kind: 'RoleBinding',
      apiVersion: `${GROUP}/v1`,
      metadata,
      roleRef: { apiGroup: GROUP, kind: 'Role', name },
      subjects: [{ kind: 'User', apiGroup: GROUP, name: user }],
    })
  }
  for (let i = 0; i < count; i++) add(`role-${i}`, boundTo(i), `things-${i}`)
  add('own', 'jane', 'configmaps')
  return index
}

function nanoseconds(index: RbacIndex): number {
  const authorizer = chain([allowMasters(), rbacAuthorizer(index)])
  const round = (): void => {
    for (let i = 0; i < ROUNDS; i++) {
      const decision = authorizer.authorize(asked, signal)
      if (decision instanceof Promise || decision.kind !== 'allow') throw new Error('jane may not read')
    }
  }
  round()
  const start = process.cpuUsage()
  round()
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1000) / ROUNDS
}

export function bench(): Promise<void> {
  const none = nanoseconds(indexWith(0, () => ''))
  const others = nanoseconds(indexWith(1_000, (i) => `user-${i}`))
  const all = nanoseconds(indexWith(1_000, () => 'jane'))
  const line = (what: string, value: number): string =>
    `  ${what.padEnd(44)} ${value.toFixed(0).padStart(6)} ns  ${(value / none).toFixed(2)} times\n`
  process.stdout.write(line('a decision with one role', none))
  process.stdout.write(line('with 1,000 roles and bindings of others', others))
  process.stdout.write(line('with 1,000 roles and bindings of the user', all))
  return Promise.resolve()
}
