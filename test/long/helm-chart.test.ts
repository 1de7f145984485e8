// The chart in deploy/chart, by helm itself: what it makes of its values, that the server takes all of it, and that a server starts with
// the flags and files that it says.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import {
  CHART,
  type ChartValues,
  findHelm,
  type Manifest,
  named,
  podFlags,
  renderChart,
  secretsSeen,
  secretText,
} from '../rigs/helm-chart.ts'
import { fetchModules } from '../corpora/public-modules.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const run = promisify(execFile)

/** The kinds of cert-manager that the chart has objects of, as it defines them. */
const CERT_MANAGER = 'github.com/cert-manager/cert-manager@v1.21.2'
const DEFINITIONS = ['certificates', 'issuers'].map((kinds) => `deploy/crds/cert-manager.io_${kinds}.yaml`)

let helm: string
let definitions: readonly string[]

beforeAll(async () => {
  helm = await findHelm()
  const folder = (await fetchModules([CERT_MANAGER])).get(CERT_MANAGER) ?? ''
  definitions = DEFINITIONS.map((file) => path.join(folder, file))
})

async function refusal(values: ChartValues): Promise<string> {
  try {
    await renderChart(values)
    return ''
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
}

function withEndpoints(...endpoints: readonly string[]): ChartValues {
  return { 'storage.kind': 'etcd', 'storage.etcd.endpoints': `{${endpoints.join(',')}}` }
}

const ON_ETCD = { 'storage.kind': 'etcd', 'storage.etcd.endpoints[0]': 'https://etcd:2379' }

const ON_ETCD_ARGS = Object.entries(ON_ETCD).flatMap(([name, value]) => ['--set', `${name}=${value}`])
const BY_CERT_MANAGER = { 'tls.mode': 'certManager', 'tls.certManager.issuerRef.name': 'ours' }
const OWN_CERTIFICATE = { 'tls.mode': 'secret', 'tls.secretName': 'own' }

const WAYS: readonly (readonly [string, ChartValues, readonly string[]])[] = [
  ['by default', {}, ['NetworkPolicy', 'Secret', 'Secret', 'Service', 'StatefulSet']],
  [
    'on etcd',
    { ...ON_ETCD, 'storage.etcd.secretName': 'etcd-client' },
    ['NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Secret', 'Secret', 'Service', 'Service', 'StatefulSet'],
  ],
  [
    'on etcd, by one replica',
    { ...ON_ETCD, replicas: '1' },
    ['Deployment', 'NetworkPolicy', 'Secret', 'Secret', 'Service'],
  ],
  [
    'on etcd, by replicas that do not ask each other',
    { ...ON_ETCD, 'peers.enabled': 'false' },
    ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Secret', 'Service'],
  ],
  [
    'on etcd, with certificates of cert-manager',
    { ...ON_ETCD, ...BY_CERT_MANAGER },
    [
      'Certificate',
      'Certificate',
      'Certificate',
      'Issuer',
      'Issuer',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'Service',
      'StatefulSet',
    ],
  ],
  [
    'on etcd, with a serving certificate of the operator',
    { ...ON_ETCD, ...OWN_CERTIFICATE },
    ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Service'],
  ],
  [
    'on etcd, with all certificates of the operator',
    { ...ON_ETCD, ...OWN_CERTIFICATE, 'peers.secretName': 'proxy' },
    ['NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Service', 'Service', 'StatefulSet'],
  ],
  [
    'with a certificate of cert-manager, and watched by Prometheus',
    { ...BY_CERT_MANAGER, 'serviceMonitor.enabled': 'true' },
    ['Certificate', 'NetworkPolicy', 'Secret', 'Service', 'ServiceMonitor', 'StatefulSet'],
  ],
  [
    'with keys of the operator',
    {
      ...OWN_CERTIFICATE,
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
    const manifests = await renderChart(values)
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds)
    const file = path.join(await newHome(), 'manifests.json')
    const known = manifests.filter(({ kind }) => kind !== 'ServiceMonitor')
    writeFileSync(file, known.map((each) => JSON.stringify(each)).join('\n---\n'))
    const { stdout } = await run(process.execPath, [COMMAND, 'check', file, ...definitions])
    expect(stdout).toContain(`${known.length + definitions.length} objects: no errors`)
  })

  it.each([
    ['storage.kind', { 'storage.kind': 'mysql' }, 'storage/kind'],
    ['endpoints', { 'storage.kind': 'etcd' }, 'storage.etcd.endpoints is needed'],
    [
      'etcd without TLS',
      withEndpoints('https://etcd-0:2379', 'http://etcd-1:2379'),
      'http://etcd-1:2379 is a remote etcd without TLS',
    ],
    ['etcd without TLS at a name like localhost', withEndpoints('http://localhost.example:2379'), 'without TLS'],
    ['etcd without a port', withEndpoints('https://etcd-0'), 'storage/etcd/endpoints/0'],
    ['a time without a unit', { shutdownDelay: '10 seconds' }, 'shutdownDelay'],
    ['a time that is none', { 'storage.etcd.compactionInterval': 'often' }, 'compactionInterval'],
    ['a prefix that is none', { 'storage.etcd.prefix': '/' }, 'storage/etcd/prefix'],
    ['issuer', { 'tls.mode': 'certManager' }, 'tls.certManager.issuerRef.name is needed'],
    ['secret', { 'tls.mode': 'secret' }, 'tls.secretName is needed'],
    ['a word that it does not know', { replcas: '2' }, 'replcas'],
  ])('says what is wrong with the values: %s', async (_, values, words) => {
    expect(await refusal(values)).toContain(words)
  })

  const own = {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'quarterdeck', 'app.kubernetes.io/instance': 'sea' } },
  }
  const FEW = {
    'networkPolicy.from[0].podSelector.matchLabels.app': 'ship',
    'networkPolicy.egress[0].ports[0].port': '2379',
  }

  it.each([
    ['on this machine', withEndpoints('http://127.0.0.1:2379', 'http://localhost:2379', 'http://[::1]:2379')],
    ['for development', { ...withEndpoints('http://etcd:2379'), 'extraArgs[0]': '--dev' }],
    ['that nobody uses', { ...withEndpoints('http://etcd:2379'), 'storage.kind': 'embedded' }],
  ])('takes etcd without TLS %s, as the server does', async (_, values) => {
    expect(await refusal(values)).toBe('')
  })

  it('lets replicas reach each other where only a few may be called or call', async () => {
    const { spec } = named(await renderChart({ ...ON_ETCD, ...FEW }), 'NetworkPolicy', 'sea-quarterdeck')
    expect(spec?.ingress).toEqual([
      {
        ports: [{ port: 'https', protocol: 'TCP' }],
        from: [{ podSelector: { matchLabels: { app: 'ship' } } }, own],
      },
    ])
    expect(spec?.egress).toEqual([{ ports: [{ port: 2379 }] }, { ports: [{ port: 6443, protocol: 'TCP' }], to: [own] }])
    const alone = named(await renderChart({ ...ON_ETCD, ...FEW, replicas: '1' }), 'NetworkPolicy', 'sea-quarterdeck')
    expect([alone.spec?.ingress?.[0]?.from, alone.spec?.egress]).toEqual([
      [{ podSelector: { matchLabels: { app: 'ship' } } }],
      [{ ports: [{ port: 2379 }] }],
    ])
  })

  it('gives replicas names that stay, by a service without an address', async () => {
    const manifests = await renderChart(ON_ETCD)
    const { serviceName = '' } = named(manifests, 'StatefulSet', 'sea-quarterdeck').spec ?? {}
    expect(named(manifests, 'Service', serviceName).spec?.clusterIP).toBe('None')
  })

  it.each([
    ['made by the chart', {}, ['tls', 'keys', 'front-proxy'].map((each) => `sea-quarterdeck-${each}`)],
    ['made by cert-manager', BY_CERT_MANAGER, ['tls', 'keys', 'front-proxy'].map((each) => `sea-quarterdeck-${each}`)],
    ['of the operator', { ...OWN_CERTIFICATE, 'peers.secretName': 'proxy' }, ['own', 'sea-quarterdeck-keys', 'proxy']],
    ['of the operator, without one for replicas', OWN_CERTIFICATE, ['own', 'sea-quarterdeck-keys']],
  ])('shows a pod its own keys and no authority, where they are %s', async (_, values, secrets) => {
    const manifests = await renderChart({ ...ON_ETCD, ...values })
    expect(secretsSeen(manifests)).toEqual(secrets)
    const keys = manifests.flatMap(({ kind, data = {} }) => (kind === 'Secret' ? Object.keys(data) : []))
    expect(keys.filter((key) => /^ca.*key/.test(key))).toEqual([])
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

  it('on our own server by several replicas, it keeps the certificate by which they ask each other', async () => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    const env = { ...process.env, KUBECONFIG: server.kubeconfigFile, HOME: await newHome() }
    const call = (...args: readonly string[]): Promise<unknown> =>
      run(helm, [...args, '--namespace', 'ships', ...ON_ETCD_ARGS], { env })
    const get = async (place: string): Promise<Manifest> =>
      JSON.parse((await server.request(place, { token: server.adminToken })).body) as Manifest
    const certificate = '/api/v1/namespaces/ships/secrets/sea-quarterdeck-front-proxy'
    const replicas = '/apis/apps/v1/namespaces/ships/statefulsets/sea-quarterdeck'
    await call('install', 'sea', CHART, '--create-namespace')
    const before = await get(certificate)
    expect(Object.keys(before.data ?? {}).toSorted()).toEqual(['ca.crt', 'tls.crt', 'tls.key'])
    expect((await get(replicas)).spec?.replicas).toBe(3)
    await call('upgrade', 'sea', CHART, '--set', 'replicas=5')
    expect((await get(replicas)).spec?.replicas).toBe(5)
    expect((await get(certificate)).data).toEqual(before.data)
    await call('upgrade', 'sea', CHART, '--set', 'replicas=1')
    expect((await get(replicas)).kind).toBe('Status')
    expect((await get('/apis/apps/v1/namespaces/ships/deployments/sea-quarterdeck')).spec?.replicas).toBe(1)
  })

  it.each(['embedded', 'etcd'] as const)(
    'a server starts with the flags and files that it names, on %s',
    async (kind) => {
      const etcd = kind === 'etcd' ? await startEtcd() : undefined
      const manifests = await renderChart({
        'storage.kind': kind,
        ...(etcd === undefined ? {} : { 'storage.etcd.endpoints[0]': etcd.endpoint, replicas: '1' }),
      })
      const home = await newHome()
      const server = await startServerProcess(podFlags(manifests, home), home)
      const decoded = (key: string): string => secretText(manifests, 'sea-quarterdeck-keys', key)
      const ca = secretText(manifests, 'sea-quarterdeck-tls', 'ca.crt')
      const statusOf = async (place: string, token: string): Promise<number> =>
        (await server.request(place, { token, ca })).status
      expect(await statusOf('/api/v1/secrets', decoded('admin-token'))).toBe(200)
      expect(await statusOf('/metrics', decoded('metrics-token'))).toBe(200)
      expect(await statusOf('/api/v1/secrets', decoded('metrics-token'))).toBe(403)
      await stopped(server)
    },
  )
})

async function stopped(server: ServerProcess): Promise<void> {
  server.child.kill('SIGTERM')
  expect((await server.exited).code).toBe(0)
}
