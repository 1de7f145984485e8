import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allows, recordedRoles, type SeenAccess } from '../../../src/auth/role-recording.ts'

/** `get apps/deployments/scale in ns named d`, or `get path /x` */
function seen(text: string): SeenAccess {
  const [verb = '', what = '', ...rest] = text.split(' ')
  if (what === 'path') return { kind: 'path', verb, path: rest[0]! }
  const after = (word: string): string => (rest.includes(word) ? rest[rest.indexOf(word) + 1]! : '')
  const [group = '', resource = '', subresource = ''] = what.split('/')
  return { kind: 'resource', verb, group, resource, subresource, namespace: after('in'), name: after('named') }
}

const rolesOf = (...texts: string[]): object[] =>
  recordedRoles(texts.map(seen)).map(({ namespace, rules }) => ({
    namespace,
    rules: rules.map((rule) => Object.fromEntries(Object.entries(rule).filter(([, texts]) => texts.length > 0))),
  }))

describe('roles that are recorded', () => {
  it('join verbs, resources and groups that are asked for alike', () => {
    expect(
      rolesOf('list /pods in a', 'get /pods in a', 'get /services in a', 'list /services in a', 'list x.io/pods in a'),
    ).toEqual([
      {
        namespace: 'a',
        rules: [
          { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'services'] },
          { verbs: ['list'], apiGroups: ['x.io'], resources: ['pods'] },
        ],
      },
    ])
    expect(rolesOf('get /events in a', 'get events.k8s.io/events in a')).toEqual([
      { namespace: 'a', rules: [{ verbs: ['get'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] }] },
    ])
  })

  it('name objects, unless all were asked for', () => {
    expect(
      rolesOf('get /pods in a named p', 'get /pods in a named q', 'delete /pods in a', 'delete /pods in a named p'),
    ).toEqual([
      {
        namespace: 'a',
        rules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p', 'q'] },
          { verbs: ['delete'], apiGroups: [''], resources: ['pods'] },
        ],
      },
    ])
  })

  it('are one for the cluster, and one a namespace for what that does not allow', () => {
    expect(rolesOf('list /pods', 'list /pods in a', 'get /pods/log in a named p', 'get path /metrics')).toEqual([
      {
        namespace: '',
        rules: [
          { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
          { verbs: ['get'], nonResourceURLs: ['/metrics'] },
        ],
      },
      { namespace: 'a', rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'], resourceNames: ['p'] }] },
    ])
  })

  it('allow what was seen, and nothing else', () => {
    const one = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
    const access: fc.Arbitrary<SeenAccess> = fc.oneof(
      fc.record({
        kind: fc.constant('resource' as const),
        verb: one('get', 'list', 'delete'),
        group: one('', 'apps'),
        resource: one('pods', 'jobs'),
        subresource: one('', 'status'),
        namespace: one('', 'a', 'b'),
        name: one('', 'x', 'y'),
      }),
      fc.record({ kind: fc.constant('path' as const), verb: one('get', 'post'), path: one('/a', '/b') }),
    )
    const covers = (wide: SeenAccess, narrow: SeenAccess): boolean => {
      const isAsWide = wide.kind === 'resource' && narrow.kind === 'resource'
      const same = isAsWide
        ? { ...narrow, namespace: wide.namespace && narrow.namespace, name: wide.name && narrow.name }
        : narrow
      return JSON.stringify(same) === JSON.stringify(wide)
    }
    fc.assert(
      fc.property(fc.array(access, { minLength: 1, maxLength: 12 }), access, (session, other) => {
        const roles = recordedRoles(session)
        const isAllowed = (asked: SeenAccess): boolean =>
          roles.some(
            ({ namespace, rules }) =>
              (namespace === '' || (asked.kind === 'resource' && asked.namespace === namespace)) &&
              rules.some((rule) => allows(rule, asked)),
          )
        for (const asked of session) expect(isAllowed(asked)).toBe(true)
        expect(isAllowed(other)).toBe(session.some((asked) => covers(asked, other)))
      }),
    )
  })
})
