import { describe, expect, it } from 'vitest'
import { findRule, parsePolicy, PolicyError } from '../../../src/audit/policy.ts'
import { fakeRequest } from '../http/fake-request.ts'

const policy = (rules: readonly unknown[], more: object = {}) =>
  parsePolicy({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules, ...more } as never)

function levelOf(rules: readonly object[], line: string, name = 'bob', groups: readonly string[] = []) {
  const user = { name, uid: undefined, groups, extra: {} }
  return findRule(policy(rules), fakeRequest(line), user)?.level ?? 'None'
}

describe('which rule a request falls under (P-181, P-182)', () => {
  const pods = (...resources: string[]) => [{ level: 'Metadata', resources: [{ group: '', resources }] }]

  it.each([
    ['a plain resource', pods('pods'), 'GET /api/v1/namespaces/n/pods/p', 'Metadata'],
    ['not its subresources', pods('pods'), 'GET /api/v1/namespaces/n/pods/p/log', 'None'],
    ['a subresource', pods('pods/log'), 'GET /api/v1/namespaces/n/pods/p/log', 'Metadata'],
    ['all subresources', pods('pods/*'), 'GET /api/v1/namespaces/n/pods/p/status', 'Metadata'],
    ['but not the resource', pods('pods/*'), 'GET /api/v1/namespaces/n/pods/p', 'None'],
    ['a subresource of anything', pods('*/status'), 'GET /api/v1/nodes/x/status', 'Metadata'],
    ['anything', pods('*'), 'GET /api/v1/namespaces/n/pods/p/log', 'Metadata'],
    ['no resources given: all of the group', pods(), 'GET /api/v1/nodes', 'Metadata'],
    ['another group', pods(), 'GET /apis/apps/v1/deployments', 'None'],
    ['a plain path', pods(), 'GET /healthz', 'None'],
    ['the first rule that fits', [{ level: 'None', verbs: ['get'] }, { level: 'Request' }], 'GET /version', 'None'],
    [
      'the next where it does not',
      [{ level: 'None', verbs: ['get'] }, { level: 'Request' }],
      'POST /version',
      'Request',
    ],
    ['a namespace', [{ level: 'Metadata', namespaces: ['n'] }], 'GET /api/v1/namespaces/n/pods', 'Metadata'],
    ['another one', [{ level: 'Metadata', namespaces: ['n'] }], 'GET /api/v1/namespaces/m/pods', 'None'],
    ['none at all', [{ level: 'Metadata', namespaces: [''] }], 'GET /api/v1/nodes', 'Metadata'],
    ['a path', [{ level: 'Metadata', nonResourceURLs: ['/healthz*'] }], 'GET /healthz/etcd', 'Metadata'],
    ['exactly', [{ level: 'Metadata', nonResourceURLs: ['/healthz'] }], 'GET /healthz/etcd', 'None'],
    ['a user', [{ level: 'Metadata', users: ['bob'] }], 'GET /x', 'Metadata'],
    ['another user', [{ level: 'Metadata', users: ['eve'] }], 'GET /x', 'None'],
    ['a group', [{ level: 'Metadata', userGroups: ['dev'] }], 'GET /x', 'Metadata'],
  ])('%s', (_name, rules, line, level) => {
    expect(levelOf(rules, line, 'bob', ['dev'])).toBe(level)
  })

  it('a name has to be the one', () => {
    const rules = [{ level: 'Metadata', resources: [{ group: '', resources: ['pods'], resourceNames: ['p'] }] }]
    expect(levelOf(rules, 'GET /api/v1/namespaces/n/pods/p')).toBe('Metadata')
    expect(levelOf(rules, 'GET /api/v1/namespaces/n/pods/q')).toBe('None')
  })
})

it('what the policy leaves out every rule leaves out, and rules have the last word on owners (P-181)', () => {
  const { rules } = policy(
    [{ level: 'Metadata', omitStages: ['Panic'], omitManagedFields: false }, { level: 'Request' }],
    {
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    },
  )
  expect(rules.map(({ omitStages }) => [...omitStages])).toEqual([['RequestReceived', 'Panic'], ['RequestReceived']])
  expect(rules.map(({ omitManagedFields }) => omitManagedFields)).toEqual([false, true])
})

it.each([
  ['no rules', [], 'loaded illegal policy with 0 rules'],
  ['no such level', [{ level: 'Much' }], 'rules[0].level: must be one of'],
  ['no such stage', [{ level: 'None', omitStages: ['Later'] }], 'rules[0].omitStages: "Later" is not a stage'],
  ['both kinds', [{ level: 'None', namespaces: ['a'], nonResourceURLs: ['/'] }], 'cannot apply to both'],
  ['a bad path', [{ level: 'None', nonResourceURLs: ['x'] }], 'must begin with'],
  ['a rule that is none', ['all', { level: 'None' }], 'rules[0].level: must be one of'],
  [
    'a namespace that is no text',
    [{ level: 'None', namespaces: [5] }],
    'rules[0].namespaces: must be a list of strings',
  ],
  ['one user for a list', [{ level: 'None', users: 'eve' }], 'rules[0].users: must be a list of strings'],
  [
    'a resource that is none',
    [{ level: 'None', resources: ['pods'] }],
    'rules[0].resources: must be a list of objects',
  ],
  ['names of nothing', [{ level: 'None', resources: [{ resourceNames: ['a'] }] }], 'requires at least one resource'],
])('a policy is refused that has %s (P-180)', (_name, rules, message) => {
  expect(() => policy(rules)).toThrow(PolicyError)
  expect(() => policy(rules)).toThrow(message)
})
