import { describe, expect, it } from 'vitest'
import { type Access, holdersOf, type Question } from '../../../../src/console/web/who-can.ts'

const ANY: Question = {
  verb: 'get',
  group: '',
  plural: 'secrets',
  subresource: '',
  isNamespaced: true,
  namespace: '',
  name: '',
}

type Rule = readonly [verbs: string, groups: string, resources: string, names?: string]

/** Each role is bound to a user of its name. A name with a slash is that of a role in a namespace. */
function accessBy(rules: Readonly<Record<string, readonly Rule[]>>): Access {
  const words = (text: string): readonly string[] => (text === '-' ? [''] : text.split(' '))
  const made = Object.entries(rules).map(([place, listed]) => {
    const [name = '', namespace] = place.split('/').toReversed()
    const metadata = namespace === undefined ? { name } : { name, namespace }
    return {
      role: {
        metadata,
        rules: listed.map(([verbs, apiGroups, resources, names]) => ({
          verbs: words(verbs),
          apiGroups: words(apiGroups),
          resources: words(resources),
          ...(names === undefined ? {} : { resourceNames: words(names) }),
        })),
      },
      binding: {
        metadata,
        roleRef: { kind: namespace === undefined ? 'ClusterRole' : 'Role', name },
        subjects: [{ kind: 'User', name }],
      },
    }
  })
  return { roles: made.map(({ role }) => role), bindings: made.map(({ binding }) => binding) }
}

function whoCan(rules: Readonly<Record<string, readonly Rule[]>>, question: Partial<Question>): readonly string[] {
  return holdersOf({ ...ANY, ...question }, accessBy(rules)).map(
    ({ subject, names }) => `${subject.name}${names.length === 0 ? '' : `: ${names.join(' ')}`}`,
  )
}

const GET: Rule = ['get list', '-', 'secrets']

describe('the subjects with a right', () => {
  it.each<[string, Readonly<Record<string, readonly Rule[]>>, Partial<Question>, readonly string[]]>([
    ['by the verb', { a: [GET], b: [['delete', '-', 'secrets']], c: [['*', '-', 'secrets']] }, {}, ['a', 'c']],
    ['by the group', { a: [GET], b: [['get', 'apps', 'secrets']], c: [['get', '*', 'secrets']] }, {}, ['a', 'c']],
    ['by the resource', { a: [['get', '-', 'pods']], b: [['get', '-', '*']] }, {}, ['b']],
    [
      'by the subresource',
      { a: [['get', '-', 'pods']], b: [['get', '-', 'pods/log']], c: [['get', '-', '*/log']], d: [['get', '-', '*']] },
      { plural: 'pods', subresource: 'log' },
      ['b', 'c', 'd'],
    ],
    ['with the names of objects', { a: [['get', '-', 'secrets', 'x y']], b: [GET] }, {}, ['a: x y', 'b']],
    ['by the name', { a: [['get', '-', 'secrets', 'x']], b: [['get', '-', 'secrets', 'y']] }, { name: 'x' }, ['a: x']],
    ['all names by one of its rules', { a: [['get', '-', 'secrets', 'x'], GET] }, { name: 'x' }, ['a']],
    [
      'not by a name where the object has none yet',
      { a: [['create', '-', 'secrets', 'x']] },
      { verb: 'create', name: 'x' },
      [],
    ],
    ['in all namespaces', { a: [GET], 'one/b': [GET], 'two/c': [GET] }, {}, ['a', 'b', 'c']],
    ['in a namespace', { a: [GET], 'one/b': [GET], 'two/c': [GET] }, { namespace: 'one' }, ['a', 'b']],
    [
      'to objects without a namespace',
      { a: [['get', '-', 'nodes']], 'one/b': [['get', '-', 'nodes']] },
      { plural: 'nodes', isNamespaced: false },
      ['a'],
    ],
    [
      'to a namespace by its own bindings',
      { 'one/a': [['get', '-', 'namespaces']], 'two/b': [['get', '-', 'namespaces']] },
      { plural: 'namespaces', isNamespaced: false, name: 'one' },
      ['a'],
    ],
  ])('are found %s', (_, rules, question, expected) => {
    expect(whoCan(rules, question)).toEqual(expected)
  })

  it('are found by a role of the cluster that is bound in a namespace, and not by a role that is missing', () => {
    const { roles } = accessBy({ reader: [GET], 'two/reader': [GET] })
    const bound = (kind: string, name: string): Access => ({
      roles,
      bindings: [
        {
          metadata: { name: 'b', namespace: 'one' },
          roleRef: { kind, name },
          subjects: [{ kind: 'Group', name: 'g' }],
        },
      ],
    })
    expect(holdersOf(ANY, bound('ClusterRole', 'reader')).map(({ subject }) => subject.name)).toEqual(['g'])
    expect(holdersOf(ANY, bound('Role', 'reader'))).toEqual([])
    expect(holdersOf(ANY, bound('ClusterRole', 'absent'))).toEqual([])
  })

  it('are none of a binding without subjects, or of a role without rules', () => {
    const metadata = { name: 'a' }
    const roleRef = { kind: 'ClusterRole', name: 'a' }
    expect(holdersOf(ANY, { roles: [{ metadata, rules: null }], bindings: [{ metadata, roleRef }] })).toEqual([])
  })
})
