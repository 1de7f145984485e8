import { describe, expect, it } from 'vitest'
import { accessPolicies } from '../../../src/auth/access-policy-file.ts'
import type { Access, Decision } from '../../../src/auth/authorizer.ts'

const { signal } = new AbortController()
const line = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })

function ask(policies: string, question: string, name = 'alice', groups = ['system:authenticated']): string {
  const user = { name, uid: undefined, groups, extra: {} }
  const [verb = '', what = '', namespace] = question.split(' ')
  const [group = '', resource = ''] = what.split('/')
  const access: Access = what.startsWith('@')
    ? { kind: 'path', user, verb, path: what.slice(1) }
    : {
        kind: 'resource',
        user,
        verb,
        group,
        version: 'v1',
        resource,
        subresource: undefined,
        namespace,
        name: undefined,
      }
  return (accessPolicies(policies).authorize(access, signal) as Decision).kind
}

describe('a file of access policies (P-176)', () => {
  const file = [
    '# people',
    line({ user: 'alice', readonly: true, resource: 'pods', namespace: '*' }),
    '',
    line({ group: 'admins', resource: '*', namespace: '*', apiGroup: '*', nonResourcePath: '*' }),
    line({ user: '*', nonResourcePath: '/version*', readonly: true }),
  ].join('\n')

  it.each([
    ['list /pods ns', 'allow'],
    ['delete /pods ns', 'no-opinion'],
    ['list /secrets ns', 'no-opinion'],
    ['list apps/pods ns', 'no-opinion'],
    ['get @/version/x', 'allow'],
    ['get @/metrics', 'no-opinion'],
  ])('alice: %s is %s', (question, expected) => {
    expect(ask(file, question)).toBe(expected)
  })

  it('speaks of groups, and a star is nobody who is unknown', () => {
    expect(ask(file, 'delete apps/deployments ns', 'bob', ['admins', 'system:authenticated'])).toBe('allow')
    expect(ask(file, 'get @/version', 'system:anonymous', ['system:unauthenticated'])).toBe('no-opinion')
    expect(ask(line({ resource: '*' }), 'get /pods')).toBe('no-opinion')
  })

  it('says which line is no policy', () => {
    expect(() => accessPolicies('{}')).toThrow('line 1 is not a Policy of abac.authorization.kubernetes.io/v1beta1')
    expect(() => accessPolicies('\nx')).toThrow('line 2 is not a JSON object')
  })
})
