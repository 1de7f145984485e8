// The index against the plain reading of roles and bindings: whatever is put and removed, both decide alike.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { textOrEmpty } from '../../../src/api/members.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { allowsPath, allowsResource, rulesOf } from '../../../src/api/policy-rule.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import type { Access } from '../../../src/auth/authorizer.ts'
import { RbacIndex, type RbacKind } from '../../../src/auth/rbac-index.ts'
import { rbacAuthorizer } from '../../../src/auth/rbac.ts'

const { signal } = new AbortController()
const some = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values)
const list = (...values: readonly string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(some(...values), { minLength: 1, maxLength: 2 })

const rule = fc.oneof(
  fc.record({
    verbs: list('get', 'list', '*'),
    apiGroups: list('', 'apps', '*'),
    resources: list('pods', 'pods/log', '*/log', '*', 'pods/*'),
    resourceNames: fc.oneof(fc.constant([]), list('a', 'b')),
  }),
  fc.record({ verbs: list('get', '*'), nonResourceURLs: list('/x', '/x/*', '*', '/*y') }),
)
const name = some('one', 'two', 'three')
const namespace = some('ns', 'other')
const subject = fc.oneof(
  fc.record({ kind: some('User', 'Group'), name: some('jane', 'joe', 'dev') }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('bot'), namespace: some('ns', 'other', '') }),
)

interface Change {
  readonly kind: RbacKind
  readonly object: ApiObject
  readonly removed: boolean
}

const change: fc.Arbitrary<Change> = fc
  .record({
    kind: some<RbacKind>('ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'),
    name,
    namespace,
    rules: fc.array(rule, { maxLength: 3 }),
    subjects: fc.array(subject, { maxLength: 3 }),
    role: fc.record({ kind: some('ClusterRole', 'Role'), name }),
    removed: fc.boolean(),
  })
  .map(({ kind, removed, ...it }) => {
    const metadata = kind.startsWith('Cluster') ? { name: it.name } : { name: it.name, namespace: it.namespace }
    const body = kind.endsWith('Binding') ? { subjects: it.subjects, roleRef: it.role } : { rules: it.rules }
    return { kind, removed, object: { kind, apiVersion: '', metadata, ...body } }
  })

const user = some(
  { name: 'jane', uid: undefined, groups: ['dev'], extra: {} },
  { name: 'joe', uid: undefined, groups: [], extra: {} },
  { name: 'system:serviceaccount:ns:bot', uid: undefined, groups: ['joe'], extra: {} },
)
const access: fc.Arbitrary<Access> = fc.oneof(
  fc.record({ kind: fc.constant('path' as const), user, verb: some('get', 'put'), path: some('/x', '/x/y', '/zy') }),
  fc.record({
    kind: fc.constant('resource' as const),
    user,
    verb: some('get', 'list', '*'),
    group: some('', 'apps'),
    version: fc.constant('v1'),
    resource: some('pods', 'jobs'),
    subresource: some(undefined, 'log'),
    namespace: some(undefined, 'ns', 'other'),
    name: some(undefined, 'a', 'c'),
  }),
)

/** As the specification of roles reads: every binding, every subject, every rule. */
function plainly(objects: ReadonlyMap<string, Change>, asked: Access): boolean {
  const inNamespace = asked.kind === 'path' ? '' : (asked.namespace ?? '')
  return [...objects.values()].some(({ kind, object }) => {
    const place = textOrEmpty(object.metadata, 'namespace')
    if (!kind.endsWith('Binding') || (place !== '' && place !== inNamespace)) return false
    const { kind: roleKind, name: roleName } = object['roleRef'] as { kind: string; name: string }
    const role = objects.get(`${roleKind}/${roleKind === 'Role' ? place : ''}/${roleName}`)
    const applies = (object['subjects'] as readonly Value[]).some((each) => {
      const { kind: what, name: who, namespace: where } = each as ValueMap & Record<string, string>
      if (what === 'Group') return asked.user.groups.includes(who!)
      if (what === 'User') return asked.user.name === who
      const home = where === '' ? place : where
      return home !== '' && asked.user.name === `system:serviceaccount:${home}:${who}`
    })
    if (role === undefined || !applies) return false
    return rulesOf(role.object).some((each) =>
      asked.kind === 'path' ? allowsPath(each, asked.verb, asked.path) : allowsResource(each, asked),
    )
  })
}

it('decides as a plain reading of all roles and bindings does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(change, fc.array(access, { maxLength: 3 })), { maxLength: 25 }), (steps) => {
      const index = new RbacIndex()
      const authorizer = rbacAuthorizer(index)
      const objects = new Map<string, Change>()
      for (const [step, questions] of steps) {
        const { kind, object, removed } = step
        const [place, own] = [textOrEmpty(object.metadata, 'namespace'), textOrEmpty(object.metadata, 'name')]
        const key = `${kind}/${place}/${own}`
        if (removed) {
          index.remove(kind, place, own)
          objects.delete(key)
        } else {
          index.put(kind, object)
          objects.set(key, step)
        }
        for (const asked of questions) {
          const decision = authorizer.authorize(asked, signal)
          expect(decision instanceof Promise ? undefined : decision.kind === 'allow').toBe(plainly(objects, asked))
        }
      }
    }),
    { numRuns: 300 },
  )
})
