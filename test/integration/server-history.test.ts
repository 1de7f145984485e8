// The past of objects, by a running server and by `quarterdeck history`.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../src/commands/commands.ts'
import { kubeconfigOf } from '../../src/server/admin.ts'
import { startEtcd } from '../fakes/etcd-server.ts'
import { openReplica, type OpenServer, openServer } from '../fakes/running-server.ts'
import { tempFolder } from '../fakes/temp-folder.ts'

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

  it('is for those who may get the object, secrets too, and not for the audit log', async () => {
    const folder = await tempFolder()
    const [tokens, policy, log] = ['tokens.csv', 'policy.yaml', 'audit.log'].map((name) => path.join(folder, name))
    await writeFile(tokens!, 'nobody,nobody,1\n')
    await writeFile(policy!, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n')
    const audit = ['--audit-policy-file', policy!, '--audit-log-path', log!]
    await using server = await openServer([...GATE, '--token-auth-file', tokens!, ...audit])
    const secrets = '/api/v1/namespaces/default/secrets'
    await writeThrice(server, secrets, 'Secret')
    expect((await server.request(`${secrets}/c?history=5`, { token: 'nobody' })).status).toBe(403)
    expect(((await server.must(`${secrets}/c?history=5`)) as unknown as Listed).items[2]?.data).toEqual({ key: 'MTE=' })
    await expect.poll(async () => readFile(log!, 'utf8')).toMatch(/history=5.*"kind":"SecretList"/)
    expect(await readFile(log!, 'utf8')).not.toMatch(/MTE=|MjI=|MzM=/)
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
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const version = (name: string): object => ({ name, served: true, storage: name === 'v1', schema })
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Cluster',
        versions: [version('v1'), version('v2')],
      },
    }
    await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: definition })
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
    expect(await history('gadgets', 'c')).toBe(1)
    expect(complained).toContain('the server has no resource "gadgets"')
  })
})
