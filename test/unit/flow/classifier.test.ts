import { describe, expect, it } from 'vitest'
import { BOOTSTRAP_SCHEMAS } from '../../../src/flow/bootstrap.ts'
import { Classifier } from '../../../src/flow/classifier.ts'
import { schemaSpecOf } from '../../../src/flow/flow-objects.ts'
import { parseQuery } from '../../../src/http/query.ts'
import { requestInfoOf } from '../../../src/http/request-info.ts'

function find(schemas: readonly object[], line: string, name: string, ...groups: readonly string[]) {
  const [method = '', path = ''] = line.split(' ')
  const classifier = new Classifier(schemas.map((schema) => ({ spec: schemaSpecOf(schema as never) })))
  const user = { name, uid: undefined, groups, extra: {} }
  const [plain = '', search = ''] = path.split('?')
  const info = requestInfoOf(method, plain, parseQuery(search))
  return classifier.find({ user, path: plain, info })?.spec.name
}

const bootstrap = BOOTSTRAP_SCHEMAS.map(({ name, spec }) => ({ metadata: { name }, spec }))
const authenticated = 'system:authenticated'

describe('the schema of a request among those that every server has (P-203, P-207)', () => {
  it.each([
    ['an administrator', 'GET /api/v1/pods', 'root', ['system:masters', authenticated], 'exempt'],
    ['a stranger who probes', 'GET /healthz', 'system:anonymous', ['system:unauthenticated'], 'probes'],
    ['a single check', 'GET /healthz/etcd', 'bob', [authenticated], 'probes'],
    ['what only begins like a probe', 'GET /healthzz', 'bob', [authenticated], 'global-default'],
    ['a probe by another verb', 'HEAD /healthz', 'bob', [authenticated], 'global-default'],
    ['a node', 'GET /api/v1/pods', 'system:node:a', ['system:nodes', authenticated], 'system-nodes'],
    ['a node about itself', 'PATCH /api/v1/nodes/a/status', 'system:node:a', ['system:nodes'], 'system-node-high'],
    [
      'an account of the system that elects',
      'PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/l',
      'system:serviceaccount:kube-system:x',
      ['system:serviceaccounts', authenticated],
      'system-leader-election',
    ],
    [
      'an account of the system',
      'GET /api/v1/pods',
      'system:serviceaccount:kube-system:x',
      ['system:serviceaccounts', authenticated],
      'kube-system-service-accounts',
    ],
    [
      'another account',
      'GET /api/v1/pods',
      'system:serviceaccount:n:x',
      ['system:serviceaccounts', authenticated],
      'service-accounts',
    ],
    ['anybody else', 'GET /api/v1/pods', 'bob', [authenticated], 'global-default'],
  ])('%s', (_name, line, user, groups, expected) => {
    expect(find(bootstrap, line, user, ...groups)).toBe(expected)
  })
})

function schema(name: string, precedence: number, rule: object): object {
  return { metadata: { name }, spec: { matchingPrecedence: precedence, rules: [rule] } }
}

const anyone = { subjects: [{ kind: 'User', user: { name: '*' } }] }
const pods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/status'], namespaces: ['a'] }

describe('rules (P-207)', () => {
  const inA = schema('in-a', 5, { ...anyone, resourceRules: [pods] })
  const everywhere = schema('cluster', 5, {
    ...anyone,
    resourceRules: [{ ...pods, clusterScope: true, namespaces: ['*'] }],
  })
  const path = schema('path', 9, { ...anyone, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x/*', '/y'] }] })
  const rules = [inA, everywhere, path]

  it.each([
    ['GET /api/v1/namespaces/a/pods', 'cluster'],
    ['GET /api/v1/namespaces/b/pods', 'cluster'],
    ['GET /api/v1/pods', 'cluster'],
    ['GET /api/v1/namespaces/a/pods/p/status', 'cluster'],
    ['GET /api/v1/namespaces/a/pods/p/log', undefined],
    ['DELETE /api/v1/namespaces/a/pods/p', undefined],
    ['GET /apis/apps/v1/namespaces/a/pods', undefined],
    ['GET /x', 'path'],
    ['GET /x/y/z', 'path'],
    ['GET /y/z', 'path'],
    ['GET /yz', undefined],
    ['POST /x', undefined],
  ])('%s falls under %s', (line, expected) => {
    expect(find(rules, line, 'bob')).toBe(expected)
  })

  it('of equal precedence the first by name wins, a lower number always does', () => {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
    const by = (name: string, precedence: number, subject: object): object =>
      schema(name, precedence, { subjects: [subject], resourceRules: [all] })
    const group = { kind: 'Group', group: { name: 'g' } }
    const user = { kind: 'User', user: { name: 'bob' } }
    expect(find([by('b', 5, user), by('a', 5, group)], 'GET /api/v1/pods', 'bob', 'g')).toBe('a')
    expect(find([by('b', 4, user), by('a', 5, group)], 'GET /api/v1/pods', 'bob', 'g')).toBe('b')
    expect(find([by('b', 4, user)], 'GET /api/v1/pods', 'alice', 'g')).toBeUndefined()
  })
})
