// Refusals that explain themselves to who asks, by a running server.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const MAPS = '/api/v1/namespaces/default/configmaps'
const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{ level: RequestResponse, verbs: [patch] }]
`

let server: OpenServer
let folder: string
let auditLog: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quarterdeck-explain-'))
  const [tokens, policy] = [path.join(folder, 'tokens.csv'), path.join(folder, 'policy.yaml')]
  auditLog = path.join(folder, 'audit.log')
  await writeFile(tokens, ['jane,jane,1', 'joe,joe,2', 'writer,writer,3'].join('\n'))
  await writeFile(policy, POLICY)
  const audit = ['--audit-policy-file', policy, '--audit-log-path', auditLog]
  server = await openServer(['--token-auth-file', tokens, ...audit])
  await grant('maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }], ['jane', 'joe'])
  await grant(
    'rbac',
    [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['*'],
        verbs: ['list'],
      },
    ],
    ['jane'],
  )
  await grant(
    'write',
    [
      {
        apiGroups: [''],
        resources: ['configmaps', 'secrets'],
        verbs: ['patch'],
      },
    ],
    ['writer', 'jane'],
  )
  // The server learns of its roles a moment after they are stored.
  await vi.waitUntil(async () => (await apply('writer', `${MAPS}/none`, {})).status !== 403)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function grant(name: string, rules: readonly object[], users: readonly string[]): Promise<void> {
  await server.must(`${RBAC}/clusterroles`, { method: 'POST', body: { metadata: { name }, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  const subjects = users.map((user) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }))
  const body = { metadata: { name }, roleRef, subjects }
  await server.must(`${RBAC}/clusterrolebindings`, { method: 'POST', body })
}

function apply(token: string, at: string, object: object, query = ''): Promise<ServerAnswer> {
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const target = `${at}?fieldManager=${token}&${query}`
  return server.request(target, { method: 'PATCH', token, headers, body: JSON.stringify(object) })
}

const details = (answer: ServerAnswer) => answer.json()['details'] as Record<string, never>

describe('a denied request', () => {
  it('says which rule is missing, to who asks', async () => {
    const plain = await server.request(MAPS, { token: 'joe' })
    const explained = await server.request(`${MAPS}?explain=true`, { token: 'joe' })
    expect(details(plain)).toEqual({ kind: 'configmaps' })
    const { explanation, ...rest } = details(explained)
    expect({ ...explained.json(), details: rest }).toEqual(plain.json())
    expect(explanation).toEqual({
      missingRule: { verbs: ['list'], apiGroups: [''], resources: ['configmaps'] },
      namespace: 'default',
    })
  })

  it('is answered in every encoding, with the explanation where that has room for it', async () => {
    const answer = async (accept: string): Promise<string> => {
      const { status, body, headers } = await server.request(`${MAPS}?explain=true`, {
        token: 'joe',
        headers: { accept },
      })
      expect([status, headers['content-type']]).toEqual([403, accept])
      return body
    }
    expect(await answer('application/yaml')).toContain('missingRule:')
    expect(await answer('application/vnd.kubernetes.protobuf')).not.toContain('missingRule')
  })

  it('names the nearest binding to who may list bindings', async () => {
    const { explanation } = details(await server.request(`${MAPS}?explain=true`, { token: 'jane' }))
    expect(explanation).toMatchObject({
      nearestBinding: { kind: 'ClusterRoleBinding', name: 'maps', subject: 'User "jane"', lacks: ['verbs'] },
    })
  })

  it('is explained by a review too', async () => {
    const review = async (query: string): Promise<Record<string, never>> => {
      const spec = { resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default' } }
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
      const at = `/apis/authorization.k8s.io/v1/selfsubjectaccessreviews${query}`
      return (await server.must(at, { method: 'POST', token: 'jane', body })) as Record<string, never>
    }
    const told = (await review('?explain=true'))['metadata']!['annotations'] as Record<string, string>
    expect(JSON.parse(told['quarterdeck/explanation']!)).toMatchObject({
      missingRule: { verbs: ['list'], resources: ['configmaps'] },
      nearestBinding: { name: 'maps' },
    })
    expect((await review(''))['metadata']).not.toHaveProperty('annotations')
  })

  it('is explained where the right to impersonate is missing', async () => {
    const headers = { 'impersonate-user': 'root' }
    const { explanation } = details(await server.request(`${MAPS}?explain=true`, { token: 'joe', headers }))
    expect(explanation).toMatchObject({ missingRule: { verbs: ['impersonate-on:user-info:list'] } })
  })
})

describe('an apply that conflicts', () => {
  const config = (value: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
    data: { key: value },
  })
  beforeAll(async () => {
    const body = { metadata: { name: 'c' }, data: { key: 'stored' } }
    await server.must(`${MAPS}?fieldManager=owner`, { method: 'POST', body })
  })

  it('shows both values, the owner and the ways out, to who may read', async () => {
    const plain = await apply('jane', `${MAPS}/c`, config('mine'))
    expect(plain.status).toBe(409)
    expect(details(plain)).not.toHaveProperty('explanation')
    const { explanation } = details(await apply('jane', `${MAPS}/c`, config('mine'), 'explain=true'))
    expect(explanation).toEqual({
      conflicts: [
        {
          field: '.data.key',
          owner: { manager: 'owner', operation: 'Update', apiVersion: 'v1', time: expect.any(String) },
          current: 'stored',
          applied: 'mine',
        },
      ],
      waysOut: [expect.stringContaining('force'), expect.any(String), expect.any(String)],
    })
  })

  it('shows no values to who may only write', async () => {
    const { explanation } = details(await apply('writer', `${MAPS}/c`, config('mine'), 'explain=true'))
    const owner = { manager: 'owner', operation: 'Update', apiVersion: 'v1' }
    expect(explanation).toMatchObject({ conflicts: [{ field: '.data.key', owner }] })
    expect(JSON.stringify(explanation)).not.toMatch(/stored|time/)
  })

  it('is explained alike where the body is large', async () => {
    const large = { ...config('mine'), data: { key: 'mine', more: 'x'.repeat(100_000) } }
    const { explanation } = details(await apply('jane', `${MAPS}/c`, large, 'explain=true'))
    expect(explanation).toMatchObject({ conflicts: [{ current: 'stored', applied: 'mine' }] })
  })

  it('shows nobody the values of a secret', async () => {
    const at = '/api/v1/namespaces/default/secrets'
    const secret = (value: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { key: value },
    })
    await server.must(`${at}?fieldManager=owner`, { method: 'POST', body: secret('stored') })
    const sent = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'bWluZQ==' } }
    const answer = await apply(server.adminToken, `${at}/s`, sent, 'explain=true&fieldManager=x')
    expect(answer.status).toBe(409)
    expect(details(answer)).toHaveProperty('explanation')
    expect(answer.body).not.toMatch(/c3RvcmVk|bWluZQ/)
  })

  it('leaves no explanation in the audit log', async () => {
    await expect.poll(async () => readFile(auditLog, 'utf8')).toContain('FieldManagerConflict')
    expect(await readFile(auditLog, 'utf8')).not.toContain('"explanation"')
  })
})
