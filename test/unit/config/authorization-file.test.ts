import { describe, expect, it } from 'vitest'
import type { Value } from '../../../src/api/value.ts'
import { matchConditionsOf } from '../../../src/config/config-expressions.ts'
import { readAuthorizationFile } from '../../../src/config/authorization-file.ts'

const webhook = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/hook' },
  matchConditions: [{ expression: 'has(request.resourceAttributes)' }],
}

function read(...authorizers: readonly object[]): ReturnType<typeof readAuthorizationFile> {
  const document = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers }
  return readAuthorizationFile(document as unknown as Value)
}

const hook = (more: object): object => ({ type: 'Webhook', name: 'hook', webhook: { ...webhook, ...more } })

describe('an authorization configuration (P-173)', () => {
  it('says who decides, in order', () => {
    expect(read(hook({}), { type: 'RBAC', name: 'rbac' })).toEqual([
      {
        kind: 'webhook',
        name: 'hook',
        webhook: {
          kubeconfigFile: '/etc/hook',
          source: 'authorizers[0].webhook.connectionInfo.kubeConfigFile',
          version: 'v1',
          timeoutMs: 3_000,
          allowedMs: 300_000,
          refusedMs: 30_000,
          onFailure: 'deny',
          conditions: ['has(request.resourceAttributes)'],
        },
      },
      { kind: 'mode', mode: 'RBAC', name: 'rbac' },
    ])
    const [decider] = read(hook({ cacheAuthorizedRequests: false, unauthorizedTTL: '1m' }))
    expect(decider).toMatchObject({ webhook: { allowedMs: 0, refusedMs: 60_000 } })
  })

  it.each<[string, object[], string]>([
    ['nobody', [], 'authorizers: Required value: at least one authorization mode must be defined'],
    [
      'one twice',
      [
        { type: 'RBAC', name: 'a' },
        { type: 'RBAC', name: 'b' },
      ],
      'authorizers[1].type: Duplicate value: "RBAC"',
    ],
    [
      'a name twice',
      [
        { type: 'RBAC', name: 'a' },
        { type: 'Node', name: 'a' },
      ],
      'authorizers[1].name: Duplicate value: "a"',
    ],
    [
      'nobody known',
      [{ type: 'X', name: 'a' }],
      'authorizers[0].type: Unsupported value: "X": supported values: "AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"',
    ],
    ['a misspelt word', [{ type: 'RBAC', name: 'a', nmae: 'b' }], 'unknown field "authorizers[0].nmae"'],
    ['no time', [hook({ timeout: undefined })], 'authorizers[0].webhook.timeout: Required value'],
    ['too much time', [hook({ timeout: '31s' })], 'authorizers[0].webhook.timeout: Invalid value: must be <= 30s'],
    [
      'a place that depends',
      [hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } })],
      'authorizers[0].webhook.connectionInfo.kubeConfigFile: Invalid value: "x": must be an absolute path',
    ],
    [
      'a condition that is none',
      [hook({ matchConditions: [{ expression: '1' }] })],
      'authorizers[0].webhook.matchConditions[0].expression: Invalid value: "1": must evaluate to bool',
    ],
    [
      'a webhook that is none',
      [{ type: 'RBAC', name: 'a', webhook }],
      'authorizers[0].webhook: Invalid value: may only be specified when type=Webhook',
    ],
  ])('is refused where it names %s', (_, authorizers, fault) => {
    expect(() => read(...authorizers)).toThrow(fault)
  })
})

describe('conditions (P-173)', () => {
  const spec = { user: 'jane', resourceAttributes: { verb: 'get', version: 'v1', resource: 'pods' } }

  it.each<[string[], string]>([
    [[`request.user == 'jane'`], 'yes'],
    [[`request.user == 'jane'`, `request.resourceAttributes.namespace == 'x'`], 'no'],
    [[`request.user.includes('jane')`], 'yes'],
    [[`request.groups.includes('devs')`], 'no'],
    [[`request.nonResourceAttributes.path == '/x'`], 'broken'],
    [[`request.nonResourceAttributes.path == '/x'`, `has(request.nonResourceAttributes)`], 'no'],
  ])('%j: %s', (expressions, kind) => {
    expect(matchConditionsOf(expressions)?.(spec).kind).toBe(kind)
  })

  it('that are none match everything', () => {
    expect(matchConditionsOf([])).toBeUndefined()
  })
})
