// What admission has to hold against, on the whole server: pods that ask for too much, namespaces that are filled up, users
// who drown others in events, and the ways around plugins that others have had.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const SETTINGS = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    kind: Configuration
    limits: [{type: User, qps: 1, burst: 20}]
- name: PodSecurity
  configuration:
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline}
    exemptions: {namespaces: [kube-system]}
`
const OPTIONAL = 'EventRateLimit,DenyServiceExternalIPs,AlwaysPullImages,OwnerReferencesPermissionEnforcement'
const TOKENS = 'editor-token,editor,1\nother-token,other,2\n'

let folder = ''
let server: OpenServer
let count = 0

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-admission-'))
  const [settings, tokens] = [path.join(folder, 'settings.yaml'), path.join(folder, 'tokens')]
  writeFileSync(settings, SETTINGS)
  writeFileSync(tokens, TOKENS)
  server = await openServer([
    '--enable-admission-plugins',
    OPTIONAL,
    '--admission-control-config-file',
    settings,
    '--token-auth-file',
    tokens,
  ])
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function send(
  method: string,
  target: string,
  body?: object,
  more: { token?: string; type?: string } = {},
): Promise<ServerAnswer> {
  return server.request(target, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(more.token === undefined ? {} : { token: more.token }),
    ...(more.type === undefined ? {} : { headers: { 'content-type': more.type } }),
  })
}

/** A namespace of its own, with its service account. */
async function namespace(labels: object = {}): Promise<string> {
  const name = `n${++count}`
  await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name, labels } } })
  await until(
    () => send('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`),
    ({ status }) => status === 200,
  )
  return name
}

async function until(ask: () => Promise<ServerAnswer>, isIt: (answer: ServerAnswer) => boolean): Promise<ServerAnswer> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (isIt(answer)) return answer
    if (Date.now() > deadline) throw new Error(`it never came: ${answer.status} ${answer.body}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const PLAIN = { name: 'c', image: 'example.com/i:1' }
const LISTS = ['containers', 'initContainers'] as const
const HOLD = { capabilities: { add: ['SYS_ADMIN'] } }

function pod(name: string, spec: object = {}): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [PLAIN], ...spec } }
}

/** A container that asks for more, in one of the lists. */
function asking(list: string, more: object): object {
  return { containers: [PLAIN], [list]: [{ ...PLAIN, name: 'x', ...more }] }
}

describe('CVE-2023-2727 and CVE-2023-2728: pods that ask for too much, in every list of containers', () => {
  const violations: readonly (readonly [string, object])[] = [
    ['the network of the node', { hostNetwork: true }],
    ['the processes of the node', { hostPID: true }],
    ['a path of the node', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }],
    ...LISTS.flatMap((list) => [
      [`capabilities in ${list}`, asking(list, { securityContext: HOLD })] as const,
      [`a port of the node in ${list}`, asking(list, { ports: [{ containerPort: 80, hostPort: 80 }] })] as const,
    ]),
  ]
  it.each(violations)('are refused by default: %s', async (_, spec) => {
    const ns = await namespace()
    const answer = await send('POST', `/api/v1/namespaces/${ns}/pods`, pod('p', spec))
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('violates PodSecurity')
  })

  it('are refused however they are written', async () => {
    const ns = await namespace()
    const bad = pod('p', { hostNetwork: true })
    const target = `/api/v1/namespaces/${ns}/pods`
    const tries: readonly (readonly [string, string, string | undefined])[] = [
      ['POST', `${target}?dryRun=All`, undefined],
      ['PUT', `${target}/p`, undefined],
      ['PATCH', `${target}/p?fieldManager=m`, 'application/apply-patch+yaml'],
    ]
    for (const [method, place, type] of tries) {
      const answer = await send(method, place, bad, type === undefined ? {} : { type })
      expect([method, answer.status]).toEqual([method, 403])
    }
  })

  it('are refused as containers that are added later', async () => {
    const ns = await namespace()
    const target = `/api/v1/namespaces/${ns}/pods/p`
    await server.must(`/api/v1/namespaces/${ns}/pods`, { method: 'POST', body: pod('p') })
    const added = { spec: { ephemeralContainers: [{ ...PLAIN, name: 'debug', securityContext: HOLD }] } }
    const answer = await send('PATCH', `${target}/ephemeralcontainers`, added, {
      type: 'application/strategic-merge-patch+json',
    })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('non-default capabilities')
  })

  it('are let in where the operator says so', async () => {
    await until(
      () => send('GET', '/api/v1/namespaces/kube-system/serviceaccounts/default'),
      ({ status }) => status === 200,
    )
    const answer = await send('POST', '/api/v1/namespaces/kube-system/pods?dryRun=All', pod('p', { hostNetwork: true }))
    expect(answer.status).toBe(201)
  })
})

describe('CVE-2024-3177: secrets of others, in every place that names one', () => {
  const reference = { secretKeyRef: { name: 's', key: 'k' } }
  const uses: readonly (readonly [string, object])[] = [
    ['a volume', { volumes: [{ name: 'v', secret: { secretName: 's' } }] }],
    ['a secret for images', { imagePullSecrets: [{ name: 's' }] }],
    ...LISTS.flatMap((list) => [
      [`a variable in ${list}`, asking(list, { env: [{ name: 'E', valueFrom: reference }] })] as const,
      [`all variables in ${list}`, asking(list, { envFrom: [{ secretRef: { name: 's' } }] })] as const,
    ]),
  ]
  it.each(uses)('are out of reach of an account that does not name them: %s', async (_, spec) => {
    const ns = await namespace()
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' }
    await server.must(`/api/v1/namespaces/${ns}/serviceaccounts`, {
      method: 'POST',
      body: { metadata: { name: 'strict', annotations } },
    })
    const answer = await send(
      'POST',
      `/api/v1/namespaces/${ns}/pods?dryRun=All`,
      pod('p', { serviceAccountName: 'strict', ...spec }),
    )
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('because service account strict does not reference that')
  })
})

describe('a namespace that is filled up', () => {
  it('holds exactly what its quota says, however many write at once (W-458, W-461)', async () => {
    const ns = await namespace()
    const quota = `/api/v1/namespaces/${ns}/resourcequotas/q`
    await server.must(`/api/v1/namespaces/${ns}/resourcequotas`, {
      method: 'POST',
      body: { metadata: { name: 'q' }, spec: { hard: { secrets: '10' } } },
    })
    await until(
      () => send('GET', quota),
      ({ body }) => body.includes('"used"'),
    )
    await until(
      () => send('POST', `/api/v1/namespaces/${ns}/secrets?dryRun=All`, { metadata: { name: 'probe' } }),
      ({ status }) => status === 201,
    )
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        send('POST', `/api/v1/namespaces/${ns}/secrets`, { metadata: { name: `s${i}` } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(54)
    const { items } = await server.must(`/api/v1/namespaces/${ns}/secrets`)
    expect(items).toHaveLength(10)
  })

  it('has room again when something goes (W-461)', async () => {
    const ns = await namespace()
    const target = `/api/v1/namespaces/${ns}/secrets`
    await server.must(`/api/v1/namespaces/${ns}/resourcequotas`, {
      method: 'POST',
      body: { metadata: { name: 'q' }, spec: { hard: { secrets: '1' } } },
    })
    await until(
      () => send('GET', `/api/v1/namespaces/${ns}/resourcequotas/q`),
      ({ body }) => body.includes('"used"'),
    )
    await until(
      () => send('POST', target, { metadata: { name: 'a' } }),
      ({ status }) => status === 201,
    )
    expect((await send('POST', target, { metadata: { name: 'b' } })).status).toBe(403)
    await send('DELETE', `${target}/a`)
    await until(
      () => send('POST', target, { metadata: { name: 'b' } }),
      ({ status }) => status === 201,
    )
  })
})

describe('CIS 1.2.12 and 1.2.13: a namespace that is not there, or going', () => {
  it('takes nothing new (W-063, W-065)', async () => {
    expect((await send('POST', '/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'c' } })).status).toBe(404)
    const ns = await namespace()
    await server.must(`/api/v1/namespaces/${ns}/configmaps`, {
      method: 'POST',
      body: { metadata: { name: 'c', finalizers: ['example.com/hold'] } },
    })
    await send('DELETE', `/api/v1/namespaces/${ns}`)
    const answer = await send('POST', `/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'd' } })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('NamespaceTerminating')
    await send(
      'PATCH',
      `/api/v1/namespaces/${ns}/configmaps/c`,
      { metadata: { finalizers: null } },
      { type: 'application/merge-patch+json' },
    )
  })
})

describe('users who may write', () => {
  /** Rights of a user in a namespace, in force when this resolves. */
  async function grant(ns: string, user: string, rules: readonly object[]): Promise<void> {
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }]
    await server.must(`${roles}/roles`, { method: 'POST', body: { metadata: { name: user }, rules } })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user }
    await server.must(`${roles}/rolebindings`, {
      method: 'POST',
      body: { metadata: { name: user }, roleRef, subjects },
    })
    await until(
      () => send('GET', `/api/v1/namespaces/${ns}/configmaps`, undefined, { token: `${user}-token` }),
      ({ status }) => status === 200,
    )
  }
  const maps = (...verbs: readonly string[]): object => ({
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['list', ...verbs],
  })
  const events = { apiGroups: [''], resources: ['events'], verbs: ['create'] }

  it('CIS 1.2.9: are stopped by the number of their events, and nobody else is', async () => {
    const ns = await namespace()
    await grant(ns, 'editor', [maps(), events])
    await grant(ns, 'other', [maps(), events])
    const event = (name: string, token: string): Promise<ServerAnswer> =>
      send(
        'POST',
        `/api/v1/namespaces/${ns}/events`,
        { metadata: { name }, involvedObject: { namespace: ns } },
        { token },
      )
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => event(`e${i}`, 'editor-token')))
    const refused = answers.filter(({ status }) => status === 429)
    // How many depends on how long it took: one more is let in every second.
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]!.body).toContain('limit reached on type User for key editor')
    expect((await event('mine', 'other-token')).status).toBe(201)
  })

  it('CVE-2025-5187: cannot have deleted by an owner what they cannot delete', async () => {
    const ns = await namespace()
    await grant(ns, 'editor', [maps('create', 'update', 'patch', 'get')])
    await server.must(`/api/v1/namespaces/${ns}/configmaps`, {
      method: 'POST',
      body: { metadata: { name: 'precious' } },
    })
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-0000-0000-000000000000' }
    const change = { metadata: { ownerReferences: [owner] } }
    const answer = await send('PATCH', `/api/v1/namespaces/${ns}/configmaps/precious`, change, {
      token: 'editor-token',
      type: 'application/merge-patch+json',
    })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain("cannot set an ownerRef on a resource you can't delete")
  })

  it('CVE-2020-8554 and CIS 1.2.3: cannot take the traffic of an address that is not theirs', async () => {
    const ns = await namespace()
    const body = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] } }
    expect((await send('POST', `/api/v1/namespaces/${ns}/services`, body)).status).toBe(403)
  })

  it('CIS 1.2.11: run no image that they did not pull', async () => {
    const ns = await namespace()
    const body = pod('p', { containers: [{ ...PLAIN, imagePullPolicy: 'Never' }] })
    const made = await server.must(`/api/v1/namespaces/${ns}/pods`, { method: 'POST', body })
    expect(made).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'Always' }] } })
  })
})
