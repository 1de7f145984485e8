// The server with a webhook that decides, by flags and by file: what it is asked, what its answers do, and what happens without it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { openWebhookServer, type WebhookServer } from '../fakes/webhook-server.ts'

interface Asked {
  readonly spec: {
    readonly user: string
    readonly resourceAttributes?: { readonly verb: string; readonly resource: string }
  }
}

/** Allows lists, denies deletes, has no opinion on the rest. */
function decide(hook: WebhookServer): void {
  hook.on('/decide', (review, response) => {
    const verb = (review as unknown as Asked).spec.resourceAttributes?.verb
    const status = { allowed: verb === 'list', denied: verb === 'delete', reason: 'as the webhook says' }
    response.end(JSON.stringify({ kind: review.kind, apiVersion: review.apiVersion, status }))
  })
}

interface Files {
  readonly tokens: string
  readonly kubeconfig: string
  readonly folder: string
}

async function filesFor(hook: WebhookServer): Promise<Files> {
  const folder = await tempFolder()
  const [tokens, kubeconfig] = [path.join(folder, 'tokens'), path.join(folder, 'kubeconfig')]
  writeFileSync(tokens, 'jane-token,jane,\n')
  const cluster = { server: `${hook.url}/decide`, 'certificate-authority-data': hook.caBundle }
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'hook-token' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  return { tokens, kubeconfig, folder }
}

it('a webhook named by flags allows, denies, and leaves the rest to roles (P-161, P-172)', async () => {
  await using hook = await openWebhookServer()
  decide(hook)
  const { tokens, kubeconfig } = await filesFor(hook)
  await using server = await openServer([
    '--token-auth-file',
    tokens,
    '--authorization-mode',
    'Webhook,RBAC',
    '--authorization-webhook-config-file',
    kubeconfig,
    '--authorization-webhook-version',
    'v1',
  ])
  const ask = (method: string, target: string) => server.request(target, { method, token: 'jane-token' })
  expect((await ask('GET', '/api/v1/secrets?labelSelector=a%3Db')).status).toBe(200)
  expect((await ask('GET', '/api/v1/secrets?labelSelector=a%3Db')).status).toBe(200)
  expect(hook.calls).toHaveLength(1)
  expect(hook.calls[0]).toMatchObject({
    query: 'timeout=30s',
    headers: { authorization: 'Bearer hook-token' },
    review: {
      apiVersion: 'authorization.k8s.io/v1',
      spec: {
        user: 'jane',
        groups: ['system:authenticated'],
        resourceAttributes: {
          verb: 'list',
          resource: 'secrets',
          labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
        },
      },
    },
  })
  const refused = await ask('DELETE', '/api/v1/namespaces/default/secrets/x')
  expect([refused.status, refused.json()['message']]).toEqual([
    403,
    'secrets "x" is forbidden: User "jane" cannot delete resource "secrets" in API group "" in the namespace "default": as the webhook says',
  ])
  expect((await ask('GET', '/version')).status).toBe(200)
  const asked = hook.calls.length
  expect((await server.request('/api/v1/namespaces')).status).toBe(200)
  expect(hook.calls).toHaveLength(asked)
  const rules = await server.request('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    method: 'POST',
    token: 'jane-token',
    body: { spec: { namespace: 'default' } },
  })
  expect(rules.status).toBe(201)
  expect(rules.json()['status']).toMatchObject({
    incomplete: true,
    evaluationError: 'webhook authorizer does not support user rule resolution',
  })
})

it('a webhook named by file is asked what concerns it, and keeps everybody out where it cannot be asked (P-117, P-119, P-173, P-175)', async () => {
  const hook = await openWebhookServer()
  decide(hook)
  const { tokens, kubeconfig, folder } = await filesFor(hook)
  const file = path.join(folder, 'authorization.yaml')
  const webhook = {
    timeout: '1s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'Deny',
    cacheAuthorizedRequests: false,
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig },
    matchConditions: [{ expression: 'has(request.resourceAttributes)' }],
  }
  const authorizers = [
    { type: 'Webhook', name: 'hook', webhook },
    { type: 'RBAC', name: 'rbac' },
  ]
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers }),
  )
  await using server = await openServer(['--token-auth-file', tokens, '--authorization-config', file])
  const ask = (target: string) => server.request(target, { token: 'jane-token' })
  expect((await ask('/api')).status).toBe(200)
  expect(hook.calls).toEqual([])
  expect((await ask('/api/v1/secrets')).status).toBe(200)
  await hook[Symbol.asyncDispose]()
  const broken = await ask('/api/v1/secrets')
  expect(broken.status).toBe(500)
  expect(broken.body).toMatch(
    /^Internal Server Error: "\/api\/v1\/secrets": Post "https:\/\/127\.0\.0\.1:\d+\/decide\?timeout=1s": /,
  )
  expect((await server.request('/api/v1/secrets')).status).toBe(200)
  const { body } = await server.request('/metrics')
  expect(body).toMatch(/^authorization_attempts_total\{result="error"\} 1$/m)
  expect(body).toMatch(/^apiserver_authorization_decisions_total\{type="Webhook",name="hook",decision="allowed"\} 1$/m)
})
