import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lintRole } from '../../../src/auth/role-lint.ts'
import { runCommand } from '../../../src/commands/commands.ts'

const role = (rule: object): object => ({ kind: 'ClusterRole', metadata: { name: 'r' }, rules: [rule] })
const binding = (name: string, subject: object): object => ({
  kind: 'ClusterRoleBinding',
  metadata: { name: 'b' },
  roleRef: { kind: 'ClusterRole', name },
  subjects: [subject],
})

function rows(object: object): readonly string[] {
  return lintRole(object as never).map(({ row }) => row)
}

describe('roles that people regret', () => {
  it.each<[string, object, string[]]>([
    ['nothing', role({ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }), []],
    ['secrets', role({ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }), ['5.1.2']],
    ['stars', role({ apiGroups: ['apps'], resources: ['*'], verbs: ['get'] }), ['5.1.3']],
    ['pods', role({ apiGroups: [''], resources: ['pods'], verbs: ['create'] }), ['5.1.4']],
    ['escalation', role({ apiGroups: ['x'], resources: ['roles'], verbs: ['bind', 'escalate'] }), ['5.1.8', '5.1.8']],
    ['nodes', role({ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }), ['5.1.10']],
    ['tokens', role({ apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }), ['5.1.13']],
    [
      'webhooks',
      role({
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations'],
        verbs: ['update'],
      }),
      ['5.1.12'],
    ],
    ['administrators', binding('cluster-admin', { kind: 'User', name: 'jane' }), ['5.1.1']],
    ['default accounts', binding('view', { kind: 'ServiceAccount', name: 'default' }), ['5.1.5']],
    ['masters', binding('view', { kind: 'Group', name: 'system:masters' }), ['5.1.7']],
    ['strangers', binding('view', { kind: 'Group', name: 'system:unauthenticated' }), ['1.2.1']],
    ['other kinds', { kind: 'ConfigMap', metadata: { name: 'c' } }, []],
  ])('%s', (_, object, expected) => {
    expect(rows(object)).toEqual(expected)
  })

  it('are not those that come with the server', () => {
    const metadata = { name: 'r', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }
    expect(rows({ ...role({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }), metadata })).toEqual([])
  })
})

describe('quarterdeck lint-rbac', () => {
  let folder = ''
  let said = ''

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'quarterdeck-lint-'))
    said = ''
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        said += String(text)
        return true
      })
    }
  })

  afterEach(async () => {
    vi.restoreAllMocks()
    await rm(folder, { recursive: true, force: true })
  })

  it('reads several documents and lists, and says what it finds', async () => {
    const file = path.join(folder, 'roles.yaml')
    const list = { kind: 'List', items: [role({ apiGroups: [''], resources: ['secrets'], verbs: ['get'] })] }
    const text = `kind: Role\nmetadata: {name: a, namespace: n}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n---\n${JSON.stringify(list)}\n`
    await writeFile(file, text)
    expect(await runCommand(['lint-rbac', file], {})).toBe(1)
    expect(said).toBe(`${file}: ClusterRole "r" reads secrets (CIS 5.1.2)\n`)
  })

  it('reads a list as the API writes it, and finds nothing in an empty one', async () => {
    const file = path.join(folder, 'list.json')
    const { kind: _, ...item } = role({ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }) as { kind: string }
    await writeFile(file, JSON.stringify({ kind: 'ClusterRoleList', items: [item] }))
    expect(await runCommand(['lint-rbac', file], {})).toBe(1)
    expect(said).toBe(`${file}: ClusterRole "r" reads secrets (CIS 5.1.2)\n`)
    await writeFile(file, JSON.stringify({ kind: 'List', items: [] }))
    expect(await runCommand(['lint-rbac', file], {})).toBe(0)
  })

  it.each(['', '[]', 'text', 'kind: ""', 'rules: []', '---\n---\n'])(
    'refuses a file without objects: %j',
    async (text) => {
      const file = path.join(folder, 'none.yaml')
      await writeFile(file, text)
      expect(await runCommand(['lint-rbac', file], {})).toBe(1)
      expect(said).toBe(`quarterdeck lint-rbac: ${file}: there is no object with a kind\n`)
    },
  )

  it('goes on where a file cannot be read', async () => {
    expect(await runCommand(['lint-rbac', path.join(folder, 'none')], {})).toBe(1)
    expect(said).toMatch(/^quarterdeck lint-rbac: .*none: /)
    expect(await runCommand(['lint-rbac', '--odd'], {})).toBe(2)
  })
})
