// What the server refuses to be started with, what it warns of, and what it leaves behind: rows of the hardening list that are
// about flags and files.
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { lintRole } from '../../src/auth/role-lint.ts'
import type { Log } from '../../src/lib/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { FLAGS } from '../../src/config/flags.ts'
import { openKmsPlugin } from '../../src/store/encryption/encryption.ts'
import { openServer } from '../rigs/running-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-configuration-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const place = path.join(folder, name)
  writeFileSync(place, text)
  return place
}

describe('CIS 1.2.2: tokens in a file', () => {
  it('are not there unless they are asked for, and then are warned of', async () => {
    expect((await readConfig([], {})).tokenFile).toBeUndefined()
    const said: string[] = []
    const note = (_fields: object, message: string): void => void said.push(message)
    const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note }
    await using _server = await openServer(['--token-auth-file', file('tokens', 'a-token,jane,1\n')], log)
    expect(said.join('\n')).toContain('tokens of --token-auth-file never expire')
  })
})

describe('CIS 1.2.6, 1.2.7 and 1.2.8: who decides', () => {
  it('are the node authorizer and roles, where nobody says otherwise', async () => {
    const { authorizers } = (await readConfig([], {})).authorization
    expect(authorizers.map(({ name }) => name)).toEqual(['node', 'rbac'])
  })

  const FILE = '{apiVersion: apiserver.config.k8s.io/v1, kind: AuthorizationConfiguration, authorizers: [%]}'
  const byFile = file('authorization.yaml', FILE.replace('%', '{type: AlwaysAllow, name: all}'))
  it.each([
    ['a flag', ['--authorization-mode', 'AlwaysAllow']],
    ['a flag among others', ['--authorization-mode', 'Node,RBAC,AlwaysAllow']],
    ['a file', ['--authorization-config', byFile]],
  ])('is never everybody by %s, unless it is for trying things out', async (_name, args) => {
    await expect(readConfig(args, {})).rejects.toThrow('it requires --dev')
    expect(await readConfig([...args, '--dev'], {})).toMatchObject({ securePort: 6443 })
  })
})

describe('CIS 1.2.23 and 1.2.26: the way to etcd', () => {
  it.each(['http://etcd:2379', 'http://10.0.0.7:2379', 'http://127.0.0.1.example.com:2379', 'http://[fd00::1]:2379'])(
    'is not one that others can read: %s',
    async (endpoint) => {
      const args = ['--etcd-servers', `https://good:2379,${endpoint}`]
      await expect(readConfig(args, {})).rejects.toThrow(`"${endpoint}" is a remote etcd without TLS`)
      expect(await readConfig([...args, '--dev'], {})).toMatchObject({ storage: { kind: 'etcd' } })
    },
  )

  it.each(['http://127.0.0.1:2379', 'http://localhost:2379', 'http://[::1]:2379', 'https://etcd:2379'])(
    'may be one that stays on the machine, or is sealed: %s',
    async (endpoint) => {
      expect(await readConfig(['--etcd-servers', endpoint], {})).toMatchObject({ storage: { endpoints: [endpoint] } })
    },
  )
})

describe('CIS 1.2.10: the plugin that lets everything in', () => {
  it('is not on', async () => {
    expect((await readConfig([], {})).admissionPlugins.has('AlwaysAdmit')).toBe(false)
  })
})

describe('CIS 1.2.16 to 1.2.19: the audit log', () => {
  it('is put aside at its size, three files are kept, and all of it is closed to others (P-190)', async () => {
    const policy = file('policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Request}]\n')
    const logs = mkdtempSync(path.join(folder, 'logs-'))
    const args = ['--audit-policy-file', policy, '--audit-log-path', path.join(logs, 'audit.log')]
    const server = await openServer([...args, '--audit-log-maxsize=1', '--audit-log-maxbackup=2'])
    const data = { text: 'x'.repeat(300_000) }
    // A megabyte holds three of them: four files are begun.
    for (let i = 0; i < 12; i++) {
      await server.must('/api/v1/namespaces/default/configmaps?dryRun=All', {
        method: 'POST',
        body: { metadata: { name: `c${i}` }, data },
      })
    }
    // Everything is written when it has stopped.
    await server[Symbol.asyncDispose]()
    expect(readdirSync(logs)).toHaveLength(3)
    for (const name of readdirSync(logs)) {
      const { size, mode } = statSync(path.join(logs, name))
      expect([name, mode & 0o077]).toEqual([name, 0])
      expect(size).toBeLessThanOrEqual(1024 * 1024)
    }
  })

  it('is kept for a year, and a hundred old ones, where nobody says otherwise (P-190)', async () => {
    const policy = file('some.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n')
    const args = ['--audit-policy-file', policy, '--audit-log-path', path.join(folder, 'a.log')]
    expect((await readConfig(args, {})).flags).toMatchObject({
      'audit-log-maxage': '366',
      'audit-log-maxbackup': '100',
      'audit-log-maxsize': '100',
    })
  })
})

describe('CIS 3.1.1: people', () => {
  it('can be known by tokens that end, and the manual and the documents say how', () => {
    expect(FLAGS.map(({ name }) => name)).toEqual(expect.arrayContaining(['oidc-issuer-url', 'authentication-config']))
    expect(readFileSync(path.join(import.meta.dirname, '../../deploy/security.md'), 'utf8')).toContain('OIDC')
  })
})

describe('CIS 5.1.1 to 5.1.13: roles that people regret', () => {
  const role = (rule: object): object => ({ kind: 'ClusterRole', metadata: { name: 'r' }, rules: [rule] })
  const binding = (to: string, subject: object): object => {
    const roleRef = { kind: 'ClusterRole', name: to }
    return { kind: 'ClusterRoleBinding', metadata: { name: 'b' }, roleRef, subjects: [subject] }
  }
  const webhooks = { apiGroups: ['admissionregistration.k8s.io'], resources: ['validatingwebhookconfigurations'] }
  const approvals = { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/approval'] }
  it.each<[string, object]>([
    ['5.1.1', binding('cluster-admin', { kind: 'User', name: 'jane' })],
    ['5.1.2', role({ apiGroups: [''], resources: ['secrets'], verbs: ['get'] })],
    ['5.1.3', role({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })],
    ['5.1.4', role({ apiGroups: [''], resources: ['pods'], verbs: ['create'] })],
    ['5.1.5', binding('view', { kind: 'ServiceAccount', name: 'default' })],
    ['5.1.7', binding('view', { kind: 'Group', name: 'system:masters' })],
    ['5.1.8', role({ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] })],
    ['5.1.9', role({ apiGroups: [''], resources: ['persistentvolumes'], verbs: ['create'] })],
    ['5.1.10', role({ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] })],
    ['5.1.11', role({ ...approvals, verbs: ['update'] })],
    ['5.1.12', role({ ...webhooks, verbs: ['create'] })],
    ['5.1.13', role({ apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] })],
  ])('%s is found', (row, object) => {
    expect(lintRole(object as never).map((found) => found.row)).toContain(row)
  })
})

describe('CVE-2024-37168: a message that is far too large', () => {
  it('is refused at its head, without the memory for it', async () => {
    // Only the head of the message is ever sent: whoever made room for all of it by then would be seen.
    const server = createServer((_request, response) => {
      response.stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
      const head = Buffer.alloc(5)
      head.writeUInt32BE(100 * 1024 * 1024, 1)
      response.stream.write(Buffer.concat([head, Buffer.alloc(1024)]))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const plugin = await openKmsPlugin(`127.0.0.1:${(server.address() as AddressInfo).port}`, 20_000)
    const before = process.memoryUsage().external
    await expect(plugin.status()).rejects.toThrow(/larger than max/i)
    expect(process.memoryUsage().external - before).toBeLessThan(50 * 1024 * 1024)
    plugin.close()
    server.close()
  })
})
