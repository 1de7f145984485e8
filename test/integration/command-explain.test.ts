// `quarterdeck explain` and `quarterdeck record-role` beside a running server.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../src/commands/commands.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import { splitDocuments } from '../../src/codec/yaml-document.ts'
import { COMMAND } from '../rigs/command.ts'
import { startCommand } from '../rigs/server-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const MAPS = '/api/v1/namespaces/default/configmaps'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

let server: OpenServer
let folder: string
let printed: string
let complained: string
beforeEach(async () => {
  folder = await tempFolder()
  const [tokens, policy] = [path.join(folder, 'tokens.csv'), path.join(folder, 'policy.yaml')]
  await writeFile(tokens, 'able,able,1,system:masters\nnovice,novice,2\n')
  await writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n')
  const audit = ['--audit-policy-file', policy, '--audit-log-path', path.join(folder, 'audit.log')]
  server = await openServer(['--token-auth-file', tokens, ...audit])
  printed = complained = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (complained += String(text)) !== '')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server[Symbol.asyncDispose]()
})

async function kubeconfigFor(token: string): Promise<string> {
  const { url, authority } = server
  const file = path.join(folder, `${token.slice(0, 6)}.kubeconfig`)
  await writeFile(file, JSON.stringify(kubeconfigOf({ url, authority, user: { name: token, credential: { token } } })))
  return file
}

async function run(token: string, ...args: string[]): Promise<number> {
  printed = ''
  return runCommand([...args, '--kubeconfig', await kubeconfigFor(token)], {})
}

/** As a person would, with what was printed. */
async function applyPrinted(): Promise<void> {
  for (const document of splitDocuments(printed)) {
    const kind = /^kind: (\w+)$/m.exec(document)![1]!.toLowerCase()
    const place = kind.startsWith('cluster') ? '' : '/namespaces/default'
    const target = `${RBAC}${place}/${kind}s/${/^ {2}name: (.+)$/m.exec(document)![1]}`
    await server.must(`${target}?fieldManager=test&force=true`, { method: 'PATCH', headers: APPLY, body: document })
  }
}

describe('quarterdeck explain', () => {
  it('prints what lets a denied user in', async () => {
    expect(await run('novice', 'explain', 'denied', 'list', 'configmaps')).toBe(0)
    expect(printed).toMatch(/^# novice cannot list configmaps in the namespace default\.\n/)
    await applyPrinted()
    await expect.poll(async () => (await server.request(MAPS, { token: 'novice' })).status).toBe(200)
    expect(await run('novice', 'explain', 'denied', 'list', 'configmaps')).toBe(0)
    expect(printed).toMatch(/^It is allowed\. RBAC: allowed by RoleBinding/)
    expect(await run('novice', 'explain', 'denied', 'get', '/metrics')).toBe(0)
    expect(printed).toContain('nonResourceURLs:\n  - /metrics\n')
  })

  it('reads what a server or kubectl said', async () => {
    const status = path.join(folder, 'status.json')
    await writeFile(status, (await server.request(`${MAPS}?explain=true`, { token: 'novice' })).body)
    expect(await runCommand(['explain', 'denied', '-f', status], {})).toBe(0)
    expect(printed).toMatch(/^# novice cannot list configmaps in the namespace default\.\n/)
    const { message } = (await server.request(`${MAPS}/c`, { token: 'novice' })).json()
    await writeFile(status, `Error from server (Forbidden): ${String(message)}\n`)
    printed = ''
    expect(await runCommand(['explain', 'denied', '-f', status], {})).toBe(0)
    expect(printed).toMatch(/^# novice cannot get configmaps "c" in the namespace default\.\n/)
  })

  it('shows what an apply would conflict about, and changes nothing', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { key: 'stored' } }
    const made = await server.must(`${MAPS}?fieldManager=owner`, { method: 'POST', body: object })
    const manifest = path.join(folder, 'c.yaml')
    await writeFile(manifest, JSON.stringify({ ...object, data: { key: 'mine' } }))
    expect(await run('able', 'explain', 'conflict', '--apply', manifest)).toBe(0)
    expect(printed).toMatch(
      /^\S+configmaps\/c\n\.data\.key\n {2}stored {3}"stored"\n {2}applied {2}"mine"\n {2}owner {4}"owner", Update of v1 at /,
    )
    expect(await server.must(`${MAPS}/c`)).toEqual(made)
    await writeFile(manifest, JSON.stringify({ ...object, data: { key: 'stored' } }))
    expect(await run('able', 'explain', 'conflict', '--apply', manifest)).toBe(0)
    expect(printed).toContain('there is no conflict')
  })

  it('says what is wrong', async () => {
    expect(await runCommand(['explain', 'nothing'], {})).toBe(2)
    expect(await runCommand(['explain', 'denied', 'list'], {})).toBe(2)
    expect(await runCommand(['explain', 'denied', '-f', '/nowhere'], {})).toBe(1)
    expect(complained).toContain('see quarterdeck explain --help')
  })

  it('refuses a namespace that it could not use', async () => {
    expect(await run('able', 'explain', 'denied', 'get', 'nodes', '-n', 'x')).toBe(2)
    expect(complained).toBe('quarterdeck: --namespace x: nodes have no namespace\n')
    expect(await run('able', 'explain', 'denied', 'get', 'pods/log', '-n', 'x')).toBe(0)
    complained = ''
    const manifest = path.join(folder, 'c.yaml')
    await writeFile(manifest, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: a }\n')
    expect(await run('able', 'explain', 'conflict', '--apply', manifest, '-n', 'b')).toBe(2)
    expect(complained).toBe('quarterdeck: --namespace b: ConfigMap c is in the namespace a\n')
    for (const [text, reason] of [
      ['# nothing\n', ' has no object'],
      ['5\n', ', document 1: an object to apply needs its apiVersion, kind and metadata.name'],
      [
        'apiVersion: v1\nkind: ConfigMap\n',
        ', document 1: an object to apply needs its apiVersion, kind and metadata.name',
      ],
      ['{', ', document 1: yaml: line 1: did not find expected node content'],
    ] as const) {
      complained = ''
      await writeFile(manifest, text)
      expect(await run('able', 'explain', 'conflict', '--apply', manifest)).toBe(1)
      expect(complained).toBe(`quarterdeck explain: ${manifest}${reason}\n`)
    }
  })
})

describe('quarterdeck record-role', () => {
  /** Reads, writes, parts of objects, applies that create, things of the cluster, and paths. */
  async function session(token: string): Promise<readonly ServerAnswer[]> {
    const ask = (target: string, method = 'GET', body?: object): Promise<ServerAnswer> =>
      server.request(target, {
        method,
        token,
        ...(body === undefined ? {} : { body }),
        ...(method === 'PATCH' ? { headers: APPLY } : {}),
      })
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } }
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: 'b' } }
    const answers: ServerAnswer[] = []
    for (const call of [
      () => ask(MAPS, 'POST', map),
      () => ask(`${MAPS}/made`),
      () => ask(`${MAPS}/applied?fieldManager=x`, 'PATCH', applied),
      () => ask(`${MAPS}?fieldSelector=metadata.name=made`),
      () => ask(`${MAPS}/made`, 'DELETE'),
      () => ask('/api/v1/namespaces/default/pods/none/log'),
      () => ask('/api/v1/nodes'),
      () => ask('/api/v1/namespaces/default'),
      () => ask('/metrics'),
      () => ask('/apis'),
    ])
      answers.push(await call())
    return answers
  }

  it('writes roles that let somebody without rights do the same, and no more', async () => {
    const codes = (answers: readonly ServerAnswer[]): number[] => answers.map(({ status }) => status)
    const able = codes(await session('able'))
    await server.must(`${MAPS}/applied`, { method: 'DELETE' })
    expect(new Set(codes(await session('novice')))).toEqual(new Set([403, 200]))
    const log = path.join(folder, 'audit.log')
    // The log is written after the answers. The last request of novice is its only one for this path.
    await expect.poll(() => readFile(log, 'utf8')).toMatch(/"requestURI":"\/apis".*"username":"novice"/)
    expect(await runCommand(['record-role', log], {})).toBe(1)
    expect(complained).toContain('name a user with --user: the log has requests of able, admin, novice')
    expect(await runCommand(['record-role', '--user', 'able', '--bind', log], {})).toBe(0)
    printed = printed.replaceAll('name: able', 'name: novice')
    await applyPrinted()
    await server.must(`${MAPS}/applied`, { method: 'DELETE' }).catch(() => {})
    // The server learns of roles and cluster roles by different watches.
    for (const [target, status] of [
      ['/metrics', 200],
      ['/api/v1/nodes', 200],
      [`${MAPS}/made`, 404],
    ] as const) {
      await expect.poll(async () => (await server.request(target, { token: 'novice' })).status).toBe(status)
    }
    expect(codes(await session('novice'))).toEqual(able)
    for (const target of [`${MAPS}/other`, MAPS, '/api/v1/pods', '/api/v1/nodes/n', '/logs']) {
      expect((await server.request(target, { token: 'novice' })).status).toBe(403)
    }
  })

  it('records what a running server writes to its log, until it is interrupted', async () => {
    const log = path.join(folder, 'audit.log')
    await server.must('/api/v1/services', { token: 'able' })
    await expect.poll(() => readFile(log, 'utf8')).toContain('/api/v1/services')
    const recording = startCommand(['record-role', '--follow', '--user', 'able', log], folder)
    await expect.poll(() => recording.stderr).toBe(`recording what is written to ${log}; Ctrl-C prints the roles\n`)
    await server.must('/api/v1/nodes', { token: 'able' })
    await expect.poll(() => readFile(log, 'utf8')).toContain('/api/v1/nodes')
    const { code, stdout } = await recording.stop('SIGINT')
    expect(code).toBe(0)
    expect(load(stdout)).toMatchObject({
      kind: 'ClusterRole',
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    })
  })

  it('records a stream until it ends, and waits for none that does not', async () => {
    const open = (): ChildProcess & { readonly said: Promise<string> } => {
      const child = spawn(process.execPath, [COMMAND, 'record-role', '-f', '--user', 'able'], { stdio: 'pipe' })
      return Object.assign(child, { said: Promise.all([text(child.stdout), text(child.stderr)]).then(String) })
    }
    await server.must('/api/v1/nodes', { token: 'able' })
    await expect.poll(() => readFile(path.join(folder, 'audit.log'), 'utf8')).toContain('/api/v1/nodes')
    const ending = open()
    ending.stdin?.end(await readFile(path.join(folder, 'audit.log')))
    expect(await ending.said).toMatch(/resources:\n *- nodes\n/)
    const endless = open()
    await once(endless.stderr!, 'readable')
    endless.kill('SIGINT')
    expect(await endless.said).toContain('the log has no requests of able that need a role')
  })
})
