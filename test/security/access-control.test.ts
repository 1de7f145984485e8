// Who is let do what, on the whole server: rows of the hardening list about strangers, nodes, roles and acting for others.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, type OpenServer, type ServerAnswer as Answer } from '../rigs/running-server.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const TOKENS = 'admin-token,root,,system:masters\njane-token,jane,\nnode-token,system:node:n1,,system:nodes\n'

let server: OpenServer
const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-tokens-'))

/** One server for all: none of the tests changes what another looks at. */
beforeAll(async () => {
  const file = path.join(folder, 'tokens.csv')
  writeFileSync(file, TOKENS)
  server = await openServer(['--token-auth-file', file])
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function ask(
  line: string,
  token: string | undefined,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = '', target = ''] = line.split(' ')
  const json = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
  return server.request(target, {
    method,
    token: token ?? '',
    headers: { ...(body === undefined ? {} : json), ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

async function asAdmin(line: string, body?: object): Promise<Answer> {
  const answer = await ask(line, 'admin-token', body)
  expect([line, answer.status, answer.status < 300 ? '' : answer.body]).toEqual([line, answer.status, ''])
  return answer
}

function messageOf({ body }: Answer): string {
  return (JSON.parse(body) as { message: string }).message
}

describe('CIS 1.2.1: strangers', () => {
  it.each([
    ['GET /livez', 200],
    ['GET /readyz', 200],
    ['GET /healthz', 200],
    ['GET /version', 200],
    ['GET /livez/ping', 403],
    ['GET /readyz?verbose', 200],
    ['POST /version', 403],
    ['GET /', 403],
    ['GET /api', 403],
    ['GET /apis', 403],
    ['GET /openapi/v3', 403],
    ['GET /metrics', 403],
    ['GET /debug/pprof', 403],
    ['GET /api/v1/namespaces', 403],
    ['GET /apis/nope.example.com/v1/things', 403],
    ['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 403],
  ])('%s is %i (P-080, P-147)', async (line, status) => {
    expect((await ask(line, undefined)).status).toBe(status)
  })
})

describe('CIS 1.2.6 to 1.2.8: rights have to be given', () => {
  it('a known user may find out what there is and what they may do, and nothing else (P-149)', async () => {
    expect((await ask('GET /api/v1', 'jane-token')).status).toBe(200)
    const review = { spec: { resourceAttributes: { verb: 'list', resource: 'secrets' } } }
    const answer = await ask('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'jane-token', review)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([201, { status: { allowed: false } }])
    for (const line of ['GET /api/v1/secrets', 'GET /metrics', 'GET /logs', 'GET /debug/pprof/heap']) {
      expect([line, (await ask(line, 'jane-token')).status]).toEqual([line, 403])
    }
  })

  it('what is forbidden is forbidden whether it exists or not', async () => {
    for (const name of ['kube-root-ca.crt', 'none']) {
      const answer = await ask(`GET /api/v1/namespaces/default/configmaps/${name}`, 'jane-token')
      expect([answer.status, messageOf(answer)]).toEqual([
        403,
        `configmaps "${name}" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default"`,
      ])
    }
  })
})

describe('CVE-2019-11247: the place of a resource counts', () => {
  it('what belongs to the whole cluster is not reached through a namespace, by its administrator neither', async () => {
    await asAdmin('POST /api/v1/namespaces', { metadata: { name: 'team' } })
    await asAdmin(`POST ${RBAC}/namespaces/team/rolebindings`, {
      metadata: { name: 'admin' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    })
    const may = async (): Promise<number> => (await ask('GET /api/v1/namespaces/team/secrets', 'jane-token')).status
    await expect.poll(may).toBe(200)
    const target = `${RBAC}/namespaces/team/clusterroles`
    for (const line of [`GET ${target}`, `GET ${target}/view`, `DELETE ${target}/view`, `DELETE ${target}`]) {
      expect([line, (await ask(line, 'jane-token')).status]).toEqual([line, 404])
    }
    const others = { '/api/v1/namespaces/team/nodes': 404, [`${RBAC}/namespaces/team%2F..%2F..%2Fclusterroles`]: 400 }
    for (const [path, status] of Object.entries(others)) {
      expect([path, (await ask(`GET ${path}`, 'jane-token')).status]).toEqual([path, status])
    }
  })
})

describe('rights are not to be had by the side', () => {
  it('nobody gives away what they do not hold, in no way of writing (P-138)', async () => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]
    await asAdmin('POST /api/v1/namespaces', { metadata: { name: 'roles' } })
    await asAdmin(`POST ${RBAC}/namespaces/roles/roles`, {
      metadata: { name: 'writer' },
      rules: [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['roles', 'rolebindings'],
          verbs: ['create', 'update', 'patch', 'get'],
        },
      ],
    })
    await asAdmin(`POST ${RBAC}/namespaces/roles/rolebindings`, {
      metadata: { name: 'writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writer' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    })
    const roles = `${RBAC}/namespaces/roles/roles`
    const own = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'own' } }
    await expect
      .poll(async () => (await ask(`POST ${roles}`, 'jane-token', { ...own, rules: [] })).status)
      .not.toBe(403)
    const apply = { 'content-type': 'application/apply-patch+yaml' }
    const attempts: readonly Promise<Answer>[] = [
      ask(`POST ${roles}`, 'jane-token', { ...own, metadata: { name: 'other' }, rules }),
      ask(`POST ${roles}?dryRun=All`, 'jane-token', { ...own, metadata: { name: 'other' }, rules }),
      ask(`PUT ${roles}/own`, 'jane-token', { ...own, rules }),
      ask(`PUT ${roles}/by-put`, 'jane-token', { ...own, metadata: { name: 'by-put' }, rules }),
      ask(`PATCH ${roles}/own`, 'jane-token', { rules }),
      ask(`PATCH ${roles}/own?fieldManager=x`, 'jane-token', { ...own, rules }, apply),
      ask(
        `PATCH ${roles}/by-apply?fieldManager=x`,
        'jane-token',
        { ...own, metadata: { name: 'by-apply' }, rules },
        apply,
      ),
    ]
    for (const answer of await Promise.all(attempts)) {
      expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining('not currently held')])
    }
  })

  it('acting for others takes a right on each part of them (P-086)', async () => {
    const rule = (resources: string[], names: string[], group = ''): object => ({
      apiGroups: [group],
      resources,
      resourceNames: names,
      verbs: ['impersonate'],
    })
    await asAdmin(`POST ${RBAC}/clusterroles`, { metadata: { name: 'bob' }, rules: [rule(['users'], ['bob'])] })
    await asAdmin(`POST ${RBAC}/clusterrolebindings`, {
      metadata: { name: 'bob' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bob' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    })
    const as = (headers: Record<string, string>): Promise<Answer> =>
      ask('GET /api/v1', 'jane-token', undefined, headers)
    await expect.poll(async () => (await as({ 'impersonate-user': 'bob' })).status).toBe(200)
    for (const more of [
      { 'impersonate-group': 'system:masters' },
      { 'impersonate-uid': '0' },
      { 'impersonate-extra-scopes': 'all' },
      { 'impersonate-user': 'root' },
    ]) {
      expect([more, (await as({ 'impersonate-user': 'bob', ...more })).status]).toEqual([more, 403])
    }
  })

  it('acting for somebody is not guessed at where the name is unreadable', async () => {
    const headers = { 'impersonate-user': 'jos\u00e9' }
    const answer = await ask('GET /api/v1/namespaces', 'admin-token', undefined, headers)
    expect([answer.status, messageOf(answer)]).toEqual([400, 'the value of the header impersonate-user is not UTF-8'])
  })

  it('headers of a proxy in front mean nothing from anybody else (P-077)', async () => {
    const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }
    expect((await ask('GET /api/v1/secrets', 'jane-token', undefined, headers)).status).toBe(403)
    expect((await ask('GET /api/v1/secrets', undefined, undefined, headers)).status).toBe(403)
  })
})

describe('a stream into a pod', () => {
  it('takes the right to create, though it is asked for by GET (P-106)', async () => {
    await asAdmin(`POST ${RBAC}/clusterroles`, {
      metadata: { name: 'exec' },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }],
    })
    await asAdmin(`POST ${RBAC}/clusterrolebindings`, {
      metadata: { name: 'exec' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'exec' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    })
    const exec = (): Promise<Answer> => ask('GET /api/v1/namespaces/default/pods/p/exec?command=id', 'jane-token')
    await expect.poll(async () => messageOf(await exec())).toBe('pods "p" is forbidden: ')
    expect((await ask('GET /api/v1/namespaces/default/pods/none/exec?command=id', 'admin-token')).status).toBe(404)
  })
})

describe('CVE-2025-4563, CVE-2025-5187, CIS 1.2.14: a node changes itself only in what is its own', () => {
  it('no other node, no labels that steer, no taints, no owners that have it deleted (P-169, D32)', async () => {
    const node = { metadata: { name: 'n1' }, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }
    expect((await ask('POST /api/v1/nodes', 'node-token', { metadata: { name: 'n2' } })).status).toBe(403)
    await asAdmin('POST /api/v1/nodes', node)
    const patch = (body: object): Promise<Answer> => ask('PATCH /api/v1/nodes/n1', 'node-token', body)
    expect((await patch({ metadata: { labels: { 'example.com/fine': '' } } })).status).toBe(200)
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'gone', uid: 'gone' }
    for (const body of [
      { metadata: { labels: { 'node-restriction.kubernetes.io/x': '' } } },
      { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
      { metadata: { ownerReferences: [owner] } },
      { spec: { taints: null } },
    ]) {
      expect([body, (await patch(body)).status]).toEqual([body, 403])
    }
    expect((await ask('DELETE /api/v1/nodes/n1', 'node-token')).status).toBe(403)
  })

  it('and reads the secrets of its pods, no others (P-166, P-168, D32)', async () => {
    for (const name of ['used', 'unused']) {
      await asAdmin('POST /api/v1/namespaces/default/secrets', { metadata: { name } })
    }
    const container = { name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'used' } }] }
    await asAdmin('POST /api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { nodeName: 'n1', containers: [container], automountServiceAccountToken: false },
    })
    const status = async (name: string): Promise<number> =>
      (await ask(`GET /api/v1/namespaces/default/secrets/${name}`, 'node-token')).status
    await expect.poll(() => status('used')).toBe(200)
    expect(await status('unused')).toBe(403)
    // Nor does it hand itself another by a pod of its own: nobody switched anything on for that (D32).
    const spec = { nodeName: 'n1', containers: [{ ...container, envFrom: [{ secretRef: { name: 'unused' } }] }] }
    const create = (metadata: object): Promise<Answer> =>
      ask('POST /api/v1/namespaces/default/pods', 'node-token', { metadata, spec })
    const plain = await create({ name: 'mine' })
    expect([plain.status, messageOf(plain)]).toEqual([403, expect.stringContaining('"n1" can only create mirror pods')])
    expect((await create({ name: 'mine', annotations: { 'kubernetes.io/config.mirror': 'x' } })).status).toBe(403)
    expect(await status('unused')).toBe(403)
    expect((await ask('GET /api/v1/secrets', 'node-token')).status).toBe(403)
    expect((await ask('GET /api/v1/pods?fieldSelector=spec.nodeName=n1', 'node-token')).status).toBe(200)
    expect((await ask('GET /api/v1/pods', 'node-token')).status).toBe(403)
  })
})

describe('CVE-2021-25740: the default roles', () => {
  it('let nobody but the system write where services lead', async () => {
    const { items } = JSON.parse((await asAdmin(`GET ${RBAC}/clusterroles`)).body) as {
      items: { metadata: { name: string }; rules?: { resources?: string[]; verbs: string[] }[] }[]
    }
    const writers = items.filter(({ rules = [] }) =>
      rules.some(
        ({ resources = [], verbs }) =>
          resources.some((resource) => resource === 'endpoints' || resource === 'endpointslices') &&
          verbs.some((verb) => ['create', 'update', 'patch', '*'].includes(verb)),
      ),
    )
    expect(writers.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith('system:'))).toEqual([])
  })
})
