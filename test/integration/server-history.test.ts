// The past of objects, by a running server and by `quarterdeck history`.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../src/commands/commands.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openReplica, type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const GATE = ['--feature-gates', 'ObjectHistory=true']
const MAPS = '/api/v1/namespaces/default/configmaps'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

interface Listed {
  readonly kind: string
  readonly items: readonly { readonly data: object; readonly metadata: { readonly resourceVersion: string } }[]
}

/** Made by one manager, applied by another. */
async function writeThrice(server: OpenServer, at = MAPS, kind = 'ConfigMap'): Promise<void> {
  const object = (value: string): object => ({ apiVersion: 'v1', kind, metadata: { name: 'c' }, data: { key: value } })
  await server.must(`${at}?fieldManager=maker`, { method: 'POST', body: object('MTE=') })
  for (const value of ['MjI=', 'MzM=']) {
    const query = `fieldManager=applier&force=true`
    await server.must(`${at}/c?${query}`, { method: 'PATCH', headers: APPLY, body: JSON.stringify(object(value)) })
  }
}

/** Of cluster-wide widgets; the first version is stored. */
function definitionOf(...versions: readonly string[]): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Cluster',
      versions: versions.map((name, i) => ({ name, served: true, storage: i === 0, schema })),
    },
  }
}

async function allow(server: OpenServer, user: string, rules: readonly object[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/role'
  const apiGroup = 'rbac.authorization.k8s.io'
  await server.must(`${rbac}s`, { method: 'POST', body: { metadata: { name: user }, rules } })
  const subjects = [{ kind: 'User', name: user, apiGroup }]
  const roleRef = { kind: 'Role', name: user, apiGroup }
  await server.must(`${rbac}bindings`, { method: 'POST', body: { metadata: { name: user }, subjects, roleRef } })
}

interface AuditedHistory {
  readonly user: { readonly username: string }
  readonly responseStatus: { readonly code: number; readonly message?: string }
  readonly annotations: Readonly<Record<string, string>>
}

describe('GET with ?history', () => {
  it('lists the versions of an object, the newest first, in every form', async () => {
    await using server = await openServer(GATE)
    await writeThrice(server)
    const listed = (await server.must(`${MAPS}/c?history=10`)) as unknown as Listed
    expect(listed.kind).toBe('ConfigMapList')
    expect(listed.items.map(({ data }) => data)).toEqual([{ key: 'MzM=' }, { key: 'MjI=' }, { key: 'MTE=' }])
    const names = { apiVersion: 'v1', kind: 'ConfigMap' }
    expect({ ...names, ...listed.items[0] }).toEqual(await server.must(`${MAPS}/c`))
    expect(((await server.must(`${MAPS}/c?history=2`)) as unknown as Listed).items).toHaveLength(2)
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await server.must(`${MAPS}/c?history=10`, { headers: { accept } })
    expect(table['rows']).toHaveLength(3)
  })

  it('is for users who may get the object, of secrets for those who may get secrets/history, and not for the audit log', async () => {
    const folder = await tempFolder()
    const [tokens, policy, log] = ['tokens.csv', 'policy.yaml', 'audit.log'].map((name) => path.join(folder, name))
    await writeFile(tokens!, 'nobody,nobody,1\nreader,reader,2\nhistorian,historian,3\n')
    await writeFile(policy!, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n')
    const audit = ['--audit-policy-file', policy!, '--audit-log-path', log!]
    await using server = await openServer([...GATE, '--token-auth-file', tokens!, ...audit])
    await allow(server, 'reader', [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['*'] }])
    const resources = ['secrets', 'secrets/history']
    await allow(server, 'historian', [{ apiGroups: [''], resources, verbs: ['get'] }])
    const secrets = '/api/v1/namespaces/default/secrets'
    await writeThrice(server, secrets, 'Secret')
    await server.must(MAPS, { method: 'POST', body: { metadata: { name: 'c' } } })
    const asked = (token: string, at = secrets): Promise<ServerAnswer> => server.request(`${at}/c?history=5`, { token })
    expect((await asked('nobody')).status).toBe(403)
    const refused = await asked('reader')
    const missing = 'User "reader" cannot get resource "secrets/history" in API group "" in the namespace "default"'
    expect([refused.status, refused.json()['message']]).toEqual([403, expect.stringContaining(missing)])
    expect((await server.request(`${secrets}/c`, { token: 'reader' })).status).toBe(200)
    expect((await asked('reader', MAPS)).status).toBe(200)
    expect(((await asked('historian')).json() as unknown as Listed).items[2]?.data).toEqual({ key: 'MTE=' })
    const told = async (): Promise<readonly AuditedHistory[]> =>
      (await readFile(log!, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('secrets/c?history=5') && line.includes('"ResponseComplete"'))
        .map((line) => JSON.parse(line) as AuditedHistory)
    const done = async (): Promise<readonly unknown[]> =>
      (await told()).map(({ user, responseStatus, annotations }) => [
        user.username,
        responseStatus.code,
        annotations['quarterdeck/history'],
      ])
    await expect.poll(done).toEqual([
      ['nobody', 403, undefined],
      ['reader', 403, undefined],
      ['historian', 200, '3 versions'],
    ])
    expect((await told())[1]?.responseStatus.message).toContain('"secrets/history"')
    expect(await readFile(log!, 'utf8')).not.toMatch(/MTE=|MjI=|MzM=/)
  })

  it.each(['in memory', 'on etcd'])('ends where the namespace of the object begins, %s', async (where) => {
    await using opened = new AsyncDisposableStack()
    const etcd = where === 'in memory' ? undefined : opened.use(await startEtcd())
    const server = opened.use(await (etcd === undefined ? openServer(GATE) : openReplica(etcd.endpoint, GATE)))
    const namespace = { metadata: { name: 'tenant', annotations: { owner: 'first' } } }
    await server.must('/api/v1/namespaces', { method: 'POST', body: namespace })
    const secrets = '/api/v1/namespaces/tenant/secrets'
    await writeThrice(server, secrets, 'Secret')
    await server.must(`${secrets}/c`, { method: 'DELETE' })
    const past = async (at: string): Promise<readonly unknown[]> => {
      const answer = await server.request(`${at}?history=10&deleted=true`)
      expect([200, 404]).toContain(answer.status)
      return ((answer.json()['items'] ?? []) as readonly { readonly data?: object }[]).map((item) => item.data ?? item)
    }
    expect(await past(`${secrets}/c`)).toHaveLength(3)
    await server.must('/api/v1/namespaces/tenant', { method: 'DELETE' })
    await expect.poll(async () => (await server.request('/api/v1/namespaces/tenant')).status).toBe(404)
    expect(await past(`${secrets}/c`)).toEqual([])
    expect(await past('/api/v1/namespaces/tenant')).toEqual([])
    await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'tenant' } } })
    expect(await past(`${secrets}/c`)).toEqual([])
    expect(JSON.stringify(await past('/api/v1/namespaces/tenant'))).not.toContain('first')
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 'c' }, data: { key: 'YW5ldw==' } } })
    expect(await past(`${secrets}/c`)).toEqual([{ key: 'YW5ldw==' }])
    await server.must(`${secrets}/c`, { method: 'DELETE' })
    expect(await past(`${secrets}/c`)).toEqual([{ key: 'YW5ldw==' }])
  })

  it('ends where the definition of its kind begins', async () => {
    await using server = await openServer(GATE)
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const widgets = '/apis/example.com/v1/widgets'
    const define = async (): Promise<void> => {
      await server.must(definitions, { method: 'POST', body: definitionOf('v1') })
      await expect.poll(async () => (await server.request(widgets)).status).toBe(200)
    }
    const write = (size: number): Promise<unknown> =>
      server.must(widgets, {
        method: 'POST',
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, size },
      })
    const sizes = async (): Promise<readonly unknown[]> => {
      const { items } = (await server.must(`${widgets}/w?history=10&deleted=true`)) as { items: { size: number }[] }
      return items.map(({ size }) => size)
    }
    await define()
    await write(1)
    await server.must(`${widgets}/w`, { method: 'DELETE' })
    await write(2)
    expect(await sizes()).toEqual([2, 1])
    await server.must(`${definitions}/widgets.example.com`, { method: 'DELETE' })
    await expect.poll(async () => (await server.request(`${definitions}/widgets.example.com`)).status).toBe(404)
    await define()
    await write(3)
    expect(await sizes()).toEqual([3])
  })

  it('refuses what makes no sense, and finds nothing where nothing is', async () => {
    await using server = await openServer(GATE)
    for (const limit of ['', '0', '101', '-1', 'x']) {
      expect((await server.request(`${MAPS}/c?history=${limit}`)).status).toBe(400)
    }
    expect((await server.request(`${MAPS}/c?history=1`)).status).toBe(404)
  })

  it('tells on etcd too what was deleted, to who asks for that', async () => {
    await using etcd = await startEtcd()
    await using server = await openReplica(etcd.endpoint, GATE)
    await writeThrice(server)
    await server.must(`${MAPS}/c`, { method: 'DELETE' })
    expect((await server.request(`${MAPS}/c?history=5`)).status).toBe(404)
    const gone = await server.request(`${MAPS}/c?history=2&deleted=true`)
    expect(gone.headers['warning']).toContain('the object is deleted')
    expect((gone.json() as unknown as Listed).items.map(({ data }) => data)).toEqual([{ key: 'MzM=' }, { key: 'MjI=' }])
    await server.must(MAPS, { method: 'POST', body: { metadata: { name: 'c' }, data: { key: 'anew' } } })
    const all = (await server.must(`${MAPS}/c?history=3&deleted=true`)) as unknown as Listed
    expect(all.items.map(({ data }) => data)).toEqual([{ key: 'anew' }, { key: 'MzM=' }, { key: 'MjI=' }])
    expect(((await server.must(`${MAPS}/c?history=3`)) as unknown as Listed).items).toHaveLength(1)
    expect((await server.request(`${MAPS}/never?history=3&deleted=true`)).status).toBe(404)
  })

  it('is a plain GET where the gate is off', async () => {
    await using server = await openServer()
    await writeThrice(server)
    expect(await server.must(`${MAPS}/c?history=x`)).toEqual(await server.must(`${MAPS}/c`))
  })

  it('shows custom objects in the version that is asked for', async () => {
    await using server = await openServer(GATE)
    await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      body: definitionOf('v1', 'v2'),
    })
    const widgets = '/apis/example.com/v2/widgets'
    await expect.poll(async () => (await server.request(widgets)).status).toBe(200)
    const body = { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } }
    await server.must(widgets, { method: 'POST', body })
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.must(`${widgets}/w`, { method: 'PATCH', headers, body: JSON.stringify({ size: 1 }) })
    const { items } = (await server.must(`${widgets}/w?history=5`)) as {
      items: { apiVersion: string; size?: number }[]
    }
    expect(items.map(({ apiVersion, size }) => [apiVersion, size])).toEqual([
      ['example.com/v2', 1],
      ['example.com/v2', undefined],
    ])
  })
})

describe('quarterdeck history', () => {
  let server: OpenServer
  let printed: string
  let complained: string
  beforeEach(async () => {
    server = await openServer(GATE)
    await writeThrice(server)
    printed = complained = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed += String(text)) !== '')
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => (complained += String(text)) !== '')
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await server[Symbol.asyncDispose]()
  })

  async function history(...args: string[]): Promise<number> {
    printed = ''
    const { url, authority, adminToken: token } = server
    const kubeconfig = path.join(await tempFolder(), 'kubeconfig')
    const content = kubeconfigOf({ url, authority, user: { name: 'admin', credential: { token } } })
    await writeFile(kubeconfig, JSON.stringify(content))
    return runCommand(['history', ...args, '--kubeconfig', kubeconfig], {})
  }

  it('shows who wrote what, and what differs', async () => {
    expect(await history('cm', 'c')).toBe(0)
    const rows = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(rows.map((row) => row.slice(2))).toEqual([
      ['MANAGER', 'OPERATION', 'CHANGED'],
      ['applier', 'Apply', '.data.key'],
      ['applier', 'Apply', '.data.key'],
      ['maker', 'Update', '-'],
    ])
    const [newest, , oldest] = rows.slice(1).map(([version]) => version!)
    expect(await history('ConfigMap', 'c', '--diff', oldest!, newest!)).toBe(0)
    expect(printed).toBe('- .data.key: "MTE="\n+ .data.key: "MzM="\n')
    const before = await server.must(`${MAPS}/c`)
    expect(await history('configmaps', 'c', '--restore', oldest!, '--dry-run')).toBe(0)
    expect(printed).toBe('- .data.key: "MzM="\n+ .data.key: "MTE="\n')
    expect(await server.must(`${MAPS}/c`)).toEqual(before)
  })

  const rowsIn = (text: string): readonly (readonly string[])[] =>
    text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/))
  const dataNow = async (): Promise<unknown> => (await server.must(`${MAPS}/c`))['data']

  it('writes an old version where it is told to, as the user and past nobody', async () => {
    await history('cm', 'c')
    const [[newest] = [], , [oldest] = []] = rowsIn(printed)
    expect(await history('cm', 'c', '--restore', oldest!, '--write')).toBe(0)
    expect(printed).toMatch(/^- \.data\.key: "MzM="\n\+ \.data\.key: "MTE="\nWritten as version \d+\.\n$/)
    expect(await dataNow()).toEqual({ key: 'MTE=' })
    await history('cm', 'c')
    expect(rowsIn(printed)[0]?.slice(2)).toEqual(['quarterdeck-history', 'Update', '.data.key'])
    const policy = {
      metadata: { name: 'no-33' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
        },
        validations: [{ expression: 'object.data.key != "MzM="', message: 'not 33 again' }],
      },
    }
    const binding = { metadata: { name: 'no-33' }, spec: { policyName: 'no-33', validationActions: ['Deny'] } }
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic'
    await server.must(`${policies}ies`, { method: 'POST', body: policy })
    await server.must(`${policies}ybindings`, { method: 'POST', body: binding })
    await expect
      .poll(async () => [await history('cm', 'c', '--restore', newest!, '--dry-run'), complained])
      .toEqual([1, expect.stringContaining('not 33 again')])
    expect(await history('cm', 'c', '--restore', newest!, '--write')).toBe(1)
    expect(await dataNow()).toEqual({ key: 'MTE=' })
  })

  it('shows where an object was deleted and made anew, and brings back what is gone', async () => {
    const { uid } = (await server.must(`${MAPS}/c`))['metadata'] as { readonly uid: string }
    await server.must(`${MAPS}/c`, { method: 'DELETE' })
    expect(await history('cm', 'c')).toBe(0)
    expect(rowsIn(printed).map((row) => row.slice(2))).toEqual([
      ['-', 'Deleted', `uid ${uid}`],
      ['applier', 'Apply', '.data.key'],
      ['applier', 'Apply', '.data.key'],
      ['maker', 'Update', '-'],
    ])
    const oldest = rowsIn(printed)[3]![0]!
    expect(await history('cm', 'c', '--restore', oldest, '--dry-run')).toBe(0)
    expect(printed).toContain('+ .data: {"key":"MTE="}\n')
    expect((await server.request(`${MAPS}/c`)).status).toBe(404)
    expect(await history('cm', 'c', '--restore', oldest, '--write')).toBe(0)
    expect(await dataNow()).toEqual({ key: 'MTE=' })
    await history('cm', 'c')
    expect(rowsIn(printed).map((row) => row.slice(2))).toEqual([
      ['quarterdeck-history', 'Update', '-'],
      ['-', 'Deleted', `uid ${uid}`],
      ['applier', 'Apply', '.data.key'],
      ['applier', 'Apply', '.data.key'],
      ['maker', 'Update', '-'],
    ])
    const newestOfFirst = rowsIn(printed)[2]![0]!
    expect(await history('cm', 'c', '--restore', newestOfFirst, '--write')).toBe(0)
    expect(await dataNow()).toEqual({ key: 'MzM=' })
    expect((await server.must(`${MAPS}/c`))['metadata']).not.toMatchObject({ uid })
  })

  it('says what is wrong', async () => {
    expect(await history('cm')).toBe(2)
    expect(await history('cm', 'c', '--restore', '1')).toBe(2)
    expect(await history('cm', 'c', '--restore', '1', '--write', '--dry-run')).toBe(2)
    expect(await history('cm', 'c', '--write')).toBe(2)
    expect(await history('cm', 'c', '--diff', '1')).toBe(2)
    complained = ''
    expect(await history('cm', 'c', '--diff', '1', '2')).toBe(1)
    expect(complained).toMatch(/^quarterdeck history: there is no version 1; there are \d+, \d+, \d+\n$/)
    complained = ''
    expect(await history('ns', 'default', '-n', 'default')).toBe(2)
    expect(complained).toBe('quarterdeck: --namespace default: namespaces have no namespace\n')
    expect(await history('gadgets', 'c')).toBe(1)
    expect(complained).toContain('the server has no resource "gadgets"')
  })
})
