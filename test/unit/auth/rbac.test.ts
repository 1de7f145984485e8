import { describe, expect, it } from 'vitest'
import type { Access, Decision } from '../../../src/auth/authorizer.ts'
import { RbacIndex, type RbacKind } from '../../../src/auth/rbac-index.ts'
import { rbacAuthorizer, rulesFor } from '../../../src/auth/rbac.ts'

const { signal } = new AbortController()
const GROUP = 'rbac.authorization.k8s.io'

interface Rule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

function place(text: string): { name: string; namespace?: string } {
  const [namespace = '', name = ''] = text.includes('/') ? text.split('/') : ['', text]
  return namespace === '' ? { name } : { name, namespace }
}

function role(index: RbacIndex, at: string, rules: readonly Rule[]): void {
  const kind: RbacKind = at.includes('/') ? 'Role' : 'ClusterRole'
  index.put(kind, { kind, apiVersion: `${GROUP}/v1`, metadata: place(at), rules: rules as never })
}

/** `User jane`, `Group dev`, `ServiceAccount ns/robot` */
function bind(index: RbacIndex, at: string, roleKind: string, roleName: string, ...subjects: readonly string[]): void {
  const kind: RbacKind = at.includes('/') ? 'RoleBinding' : 'ClusterRoleBinding'
  index.put(kind, {
    kind,
    apiVersion: `${GROUP}/v1`,
    metadata: place(at),
    roleRef: { apiGroup: GROUP, kind: roleKind, name: roleName },
    subjects: subjects.map((subject) => {
      const [kindOf = '', name = ''] = subject.split(' ')
      return { kind: kindOf, ...place(name) }
    }),
  })
}

/** `get apps/deployments/scale in ns named d`, or `get path /x` */
function ask(index: RbacIndex, user: string, question: string, groups: readonly string[] = []): Decision {
  const who = { name: user, uid: undefined, groups, extra: {} }
  const [verb = '', what = '', ...rest] = question.split(' ')
  const after = (word: string): string | undefined => {
    const at = rest.indexOf(word)
    return at === -1 ? undefined : rest[at + 1]
  }
  const [group = '', resource = '', subresource] = what.split('/')
  const access: Access =
    what === 'path'
      ? { kind: 'path', user: who, verb, path: rest[0] ?? '' }
      : {
          kind: 'resource',
          user: who,
          verb,
          group,
          version: 'v1',
          resource,
          subresource,
          namespace: after('in'),
          name: after('named'),
        }
  return rbacAuthorizer(index).authorize(access, signal) as Decision
}

const pods: Rule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }

describe('a rule (P-125 to P-128)', () => {
  it.each<[string, Rule, string, boolean]>([
    ['allows its verbs', pods, 'get /pods in ns', true],
    ['allows no others', pods, 'delete /pods in ns', false],
    ['says nothing of other groups', pods, 'get apps/pods in ns', false],
    ['allows every verb with a star', { ...pods, verbs: ['*'] }, 'anything /pods in ns', true],
    ['a star as a question is only met by a star', pods, '* /pods in ns', false],
    ['a star of groups meets every group', { ...pods, apiGroups: ['*'] }, 'get apps/pods in ns', true],
    ['does not reach subresources', pods, 'get /pods/log in ns', false],
    ['names subresources', { ...pods, resources: ['pods/log'] }, 'get /pods/log in ns', true],
    ['a subresource is not its resource', { ...pods, resources: ['pods/log'] }, 'get /pods in ns', false],
    ['a star of resources meets subresources', { ...pods, resources: ['*'] }, 'get /pods/log in ns', true],
    [
      'a star before a subresource meets it everywhere',
      { ...pods, resources: ['*/scale'] },
      'get /x/scale in ns',
      true,
    ],
    ['and no other', { ...pods, resources: ['*/scale'] }, 'get /x/status in ns', false],
    ['a star behind a slash is no star', { ...pods, resources: ['pods/*'] }, 'get /pods/log in ns', false],
    ['names narrow it', { ...pods, resourceNames: ['a'] }, 'get /pods in ns named a', true],
    ['to the names', { ...pods, resourceNames: ['a'] }, 'get /pods in ns named b', false],
    ['and what has no name is not named', { ...pods, resourceNames: ['a'] }, 'list /pods in ns', false],
    ['is about paths', { nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'get path /metrics', true],
    ['a path is meant exactly', { nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'get path /metrics/', false],
    ['a star ends a path', { nonResourceURLs: ['/met*'], verbs: ['get'] }, 'get path /metrics', true],
    ['a star within is no star', { nonResourceURLs: ['/a*b'], verbs: ['get'] }, 'get path /axb', false],
    ['a star alone is every path', { nonResourceURLs: ['*'], verbs: ['get'] }, 'get path /x', true],
    ['verbs of paths count too', { nonResourceURLs: ['*'], verbs: ['get'] }, 'post path /x', false],
  ])('%s', (_, rule, question, allowed) => {
    const index = new RbacIndex()
    role(index, 'r', [rule])
    bind(index, 'b', 'ClusterRole', 'r', 'User jane')
    expect(ask(index, 'jane', question).kind).toBe(allowed ? 'allow' : 'no-opinion')
    expect(ask(index, 'joe', question).kind).toBe('no-opinion')
  })
})

describe('a binding', () => {
  it.each([
    ['to a user', 'User jane', 'jane', [], 'User "jane"'],
    ['to a group', 'Group dev', 'joe', ['dev'], 'Group "dev"'],
    ['to an account', 'ServiceAccount x/bot', 'system:serviceaccount:x:bot', [], 'ServiceAccount "bot/x"'],
    [
      'to an account of its own namespace',
      'ServiceAccount bot',
      'system:serviceaccount:ns:bot',
      [],
      'ServiceAccount "bot/ns"',
    ],
  ])('%s tells why (P-129, P-130)', (_, subject, user, groups, told) => {
    const index = new RbacIndex()
    role(index, 'ns/r', [pods])
    bind(index, 'ns/b', 'Role', 'r', subject)
    const reason = `RBAC: allowed by RoleBinding "b/ns" of Role "r" to ${told}`
    expect(ask(index, user, 'get /pods in ns', groups)).toEqual({ kind: 'allow', reason })
    expect(ask(index, user, 'get /pods in other', groups).kind).toBe('no-opinion')
    expect(ask(index, user, 'get /pods', groups).kind).toBe('no-opinion')
  })

  it('of the cluster holds in every namespace, one in a namespace only there, even to a cluster role', () => {
    const index = new RbacIndex()
    role(index, 'r', [pods, { nonResourceURLs: ['*'], verbs: ['*'] }])
    bind(index, 'all', 'ClusterRole', 'r', 'User jane')
    bind(index, 'ns/one', 'ClusterRole', 'r', 'User joe')
    expect(ask(index, 'jane', 'get /pods in any').kind).toBe('allow')
    expect(ask(index, 'joe', 'get /pods in ns').kind).toBe('allow')
    expect(ask(index, 'joe', 'get /pods in any').kind).toBe('no-opinion')
    expect(ask(index, 'joe', 'get path /x').kind).toBe('no-opinion')
  })

  it('adds no rules to those of an earlier binding of the role', () => {
    const index = new RbacIndex()
    role(index, 'ns/r', [pods])
    for (let i = 0; i < 100; i++) bind(index, `ns/b${i}`, 'Role', 'r', 'User jane')
    expect(rulesFor(index, { name: 'jane', uid: undefined, groups: [], extra: {} }, 'ns').rules).toHaveLength(1)
    const reason = 'RBAC: allowed by RoleBinding "b0/ns" of Role "r" to User "jane"'
    expect(ask(index, 'jane', 'get /pods in ns')).toEqual({ kind: 'allow', reason })
    index.remove('RoleBinding', 'ns', 'b0')
    expect(ask(index, 'jane', 'get /pods in ns')).toMatchObject({ reason: reason.replace('b0', 'b1') })
  })

  it('to a role that is not there says so, and hides nothing (P-116)', () => {
    const index = new RbacIndex()
    bind(index, 'b', 'ClusterRole', 'gone', 'User jane')
    const gone = 'clusterrole.rbac.authorization.k8s.io "gone" not found'
    expect(ask(index, 'jane', 'get /pods in ns')).toEqual({ kind: 'no-opinion', reason: `RBAC: ${gone}` })
    bind(index, 'ns/b', 'Role', 'lost', 'User jane')
    expect(ask(index, 'jane', 'get /pods in ns')).toEqual({
      kind: 'no-opinion',
      reason: `RBAC: [${gone}, role.rbac.authorization.k8s.io "lost" not found]`,
    })
    role(index, 'ns/lost', [pods])
    expect(ask(index, 'jane', 'get /pods in ns').kind).toBe('allow')
  })
})

describe('the index', () => {
  it('follows what happens to roles and bindings', () => {
    const index = new RbacIndex()
    const may = (): string => ask(index, 'jane', 'get /pods in ns').kind
    bind(index, 'ns/b', 'Role', 'r', 'User jane')
    role(index, 'ns/r', [pods])
    expect(may()).toBe('allow')
    role(index, 'ns/r', [])
    expect(may()).toBe('no-opinion')
    role(index, 'ns/r', [pods])
    bind(index, 'ns/b', 'Role', 'r', 'User joe')
    expect(may()).toBe('no-opinion')
    bind(index, 'ns/b', 'Role', 'r', 'User joe', 'User jane')
    expect(may()).toBe('allow')
    index.remove('Role', 'ns', 'r')
    expect(may()).toBe('no-opinion')
    role(index, 'ns/r', [pods])
    index.remove('RoleBinding', 'ns', 'b')
    expect(may()).toBe('no-opinion')
  })

  it('takes names for names, whatever they look like', () => {
    const index = new RbacIndex()
    role(index, '__proto__', [pods])
    bind(index, 'constructor', 'ClusterRole', '__proto__', 'User __proto__', 'Group constructor')
    expect(ask(index, '__proto__', 'get /pods in __proto__').kind).toBe('allow')
    expect(ask(index, 'toString', 'get /pods in hasOwnProperty', ['valueOf']).kind).toBe('no-opinion')
  })

  it('tells all that somebody may do', () => {
    const index = new RbacIndex()
    role(index, 'r', [pods])
    role(index, 'ns/s', [{ ...pods, verbs: ['delete'] }])
    bind(index, 'b', 'ClusterRole', 'r', 'Group dev')
    bind(index, 'ns/c', 'Role', 's', 'User jane')
    const jane = { name: 'jane', uid: undefined, groups: ['dev'], extra: {} }
    expect(rulesFor(index, jane, 'ns').rules.map((rule) => rule.verbs)).toEqual([['get', 'list'], ['delete']])
    expect(rulesFor(index, jane, 'other').rules).toHaveLength(1)
  })
})
