// The chart in deploy/chart, by helm itself: what it makes of its values, that the server takes all of it, and that a server starts with
// the flags and files that it says.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMAND } from '../fakes/command.ts'
import { startEtcd } from '../fakes/etcd-server.ts'
import { buildGoProgram } from '../fakes/go-program.ts'
import { newHome, type ServerProcess, startServerProcess } from '../fakes/server-process.ts'

const run = promisify(execFile)
const CHART = path.join(import.meta.dirname, '../../deploy/chart')
const HELM = { name: 'helm', module: 'helm.sh/helm/v4', folder: '/cmd/helm', version: '4.3.1' }

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly template?: { readonly spec: PodSpec }
    readonly volumeClaimTemplates?: readonly unknown[]
  }
}

interface PodSpec {
  readonly containers: readonly [{ readonly args: readonly string[]; readonly volumeMounts: readonly Mount[] }]
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[]
}

interface Mount {
  readonly name: string
  readonly mountPath: string
}

let helm: string

beforeAll(async () => {
  helm = await buildGoProgram('helm', HELM)
})

const sets = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`])

async function rendered(values: Readonly<Record<string, string>>): Promise<readonly Manifest[]> {
  const { stdout } = await run(helm, ['template', 'sea', CHART, '--namespace', 'ships', ...sets(values)])
  return (loadAll(stdout) as readonly (Manifest | null)[]).filter((each) => each !== null)
}

async function refusal(values: Readonly<Record<string, string>>): Promise<string> {
  try {
    await rendered(values)
    return ''
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
}

const ON_ETCD = { 'storage.kind': 'etcd', 'storage.etcd.endpoints[0]': 'https://etcd:2379' }

const WAYS: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ['by default', {}, ['NetworkPolicy', 'Secret', 'Secret', 'Service', 'StatefulSet']],
  [
    'on etcd',
    { ...ON_ETCD, 'storage.etcd.secretName': 'etcd-client' },
    ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Secret', 'Service'],
  ],
  [
    'with a certificate of cert-manager, and watched by Prometheus',
    { 'tls.mode': 'certManager', 'tls.certManager.issuerRef.name': 'ours', 'serviceMonitor.enabled': 'true' },
    ['Certificate', 'NetworkPolicy', 'Secret', 'Service', 'ServiceMonitor', 'StatefulSet'],
  ],
  [
    'with keys of the operator',
    {
      'tls.mode': 'secret',
      'tls.secretName': 'own',
      clientCaSecretName: 'clients',
      'encryption.secretName': 'sealed',
      'networkPolicy.enabled': 'false',
    },
    ['Secret', 'Service', 'StatefulSet'],
  ],
]

describe('the chart', () => {
  it('has nothing that helm would warn of', async () => {
    const { stdout } = await run(helm, ['lint', '--strict', CHART])
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed')
    expect(stdout).not.toMatch(/WARNING|ERROR/)
  })

  it.each(WAYS)('%s makes what belongs to it, and the server finds nothing wrong with it', async (_, values, kinds) => {
    const manifests = await rendered(values)
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds)
    const file = path.join(await newHome(), 'manifests.json')
    const known = manifests.filter(({ kind }) => !['Certificate', 'ServiceMonitor'].includes(kind))
    writeFileSync(file, known.map((each) => JSON.stringify(each)).join('\n---\n'))
    const { stdout } = await run(process.execPath, [COMMAND, 'check', file])
    expect(stdout).toMatch(new RegExp(`${known.length} objects`))
  })

  it.each([
    ['storage.kind', { 'storage.kind': 'mysql' }, 'storage/kind'],
    ['endpoints', { 'storage.kind': 'etcd' }, 'storage.etcd.endpoints is needed'],
    ['issuer', { 'tls.mode': 'certManager' }, 'tls.certManager.issuerRef.name is needed'],
    ['secret', { 'tls.mode': 'secret' }, 'tls.secretName is needed'],
    ['a word that it does not know', { replcas: '2' }, 'replcas'],
  ])('says what is wrong with the values: %s', async (_, values, words) => {
    expect(await refusal(values)).toContain(words)
  })
})

describe('installed', () => {
  it('on our own server it is there, is upgraded without new keys, and goes', async () => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    const env = { ...process.env, KUBECONFIG: server.kubeconfigFile, HOME: await newHome() }
    const call = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
      run(helm, [...args, '--namespace', 'ships'], { env })
    const get = async (place: string): Promise<Manifest> =>
      JSON.parse((await server.request(place, { token: server.adminToken })).body) as Manifest
    const keys = '/api/v1/namespaces/ships/secrets/sea-quarterdeck-keys'
    await call('install', 'sea', CHART, '--create-namespace')
    const before = await get(keys)
    expect(Object.keys(before.data ?? {}).toSorted()).toEqual([
      'admin-token',
      'encryption.yaml',
      'metrics-token',
      'service-account.key',
      'tokens.csv',
    ])
    await call('upgrade', 'sea', CHART, '--set', 'shutdownDelay=3s')
    expect((await get(keys)).data).toEqual(before.data)
    const workload = await get('/apis/apps/v1/namespaces/ships/statefulsets/sea-quarterdeck')
    expect(workload.spec?.template?.spec.containers[0].args).toContain('--shutdown-delay-duration=3s')
    await call('uninstall', 'sea')
    expect((await get('/apis/apps/v1/namespaces/ships/statefulsets/sea-quarterdeck')).kind).toBe('Status')
    // The data stays, and what it was sealed with.
    expect((await get(keys)).kind).toBe('Secret')
  })

  it.each(['embedded', 'etcd'] as const)(
    'a server starts with the flags and files that it names, on %s',
    async (kind) => {
      const etcd = kind === 'etcd' ? await startEtcd() : undefined
      const manifests = await rendered({
        'storage.kind': kind,
        ...(etcd === undefined ? {} : { 'storage.etcd.endpoints[0]': etcd.endpoint }),
      })
      const home = await newHome()
      const { args } = containerOf(manifests)
      writeMounts(manifests, home)
      const [command = '', ...flags] = args.map((each) => each.replace('=/pki/', `=${home}/pki/`))
      expect(command).toBe('serve')
      const server = await startServerProcess(flags, home)
      const secret = manifests.find(({ metadata: { name } }) => name === 'sea-quarterdeck-keys')
      const decoded = (key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
      const statusOf = async (place: string, token: string): Promise<number> =>
        (await server.request(place, { token, ca: authorityOf(manifests) })).status
      expect(await statusOf('/api/v1/secrets', decoded('admin-token'))).toBe(200)
      expect(await statusOf('/metrics', decoded('metrics-token'))).toBe(200)
      expect(await statusOf('/api/v1/secrets', decoded('metrics-token'))).toBe(403)
      await stopped(server)
    },
  )
})

function containerOf(manifests: readonly Manifest[]): PodSpec['containers'][0] {
  return podOf(manifests).containers[0]
}

function podOf(manifests: readonly Manifest[]): PodSpec {
  const pod = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment')?.spec?.template?.spec
  if (pod === undefined) throw new Error('the chart makes no pods')
  return pod
}

/** The secrets that are mounted, as files below `home`. */
function writeMounts(manifests: readonly Manifest[], home: string): void {
  const pod = podOf(manifests)
  for (const { name, mountPath } of pod.containers[0].volumeMounts) {
    const secretName = pod.volumes.find((each) => each.name === name)?.secret?.secretName
    const secret = manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName)
    if (secret === undefined) continue
    mkdirSync(path.join(home, mountPath), { recursive: true })
    for (const [file, content] of Object.entries(secret.data ?? {})) {
      writeFileSync(path.join(home, mountPath, file), Buffer.from(content, 'base64'), { mode: 0o600 })
    }
  }
}

function authorityOf(manifests: readonly Manifest[]): string {
  const tls = manifests.find(({ metadata: { name } }) => name === 'sea-quarterdeck-tls')
  return Buffer.from(tls?.data?.['ca.crt'] ?? '', 'base64').toString()
}

async function stopped(server: ServerProcess): Promise<void> {
  server.child.kill('SIGTERM')
  expect((await server.exited).code).toBe(0)
}
