// Two replicas with the flags, names and certificates of the chart, as processes on one etcd: each tells who watches the other.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { identityOf } from '../../src/controllers/server-identity.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import {
  type ChartValues,
  findHelm,
  type Manifest,
  podFlags,
  renderChart,
  secretText,
  withIssued,
} from '../rigs/helm-chart.ts'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const PODS = ['sea-quarterdeck-0', 'sea-quarterdeck-1'] as const
const FRONT_PROXY = 'sea-quarterdeck-front-proxy'
const SERVING = 'sea-quarterdeck-tls'

interface Page {
  readonly replicas: readonly { readonly name: string; readonly problem?: string }[]
  readonly watchers: readonly { readonly agent: string; readonly replica: string }[]
}

const WAYS: readonly (readonly [string, ChartValues])[] = [
  ['that the chart makes', {}],
  ['that cert-manager makes', { 'tls.mode': 'certManager', 'tls.certManager.issuerRef.name': 'ours' }],
]

beforeAll(async () => {
  await findHelm()
})

async function rendered(endpoint: string, values: ChartValues): Promise<readonly Manifest[]> {
  const asked = { 'storage.kind': 'etcd', 'storage.etcd.endpoints[0]': endpoint, replicas: '2', ...values }
  return withIssued(await renderChart(asked))
}

/** What the kubelet fills in: its address, and the name of its host. */
async function startPod(manifests: readonly Manifest[], name: string): Promise<ServerProcess> {
  const home = await newHome()
  const flags = podFlags(manifests, home).map((flag) => flag.replace('$(POD_IP)', '127.0.0.1'))
  return startServerProcess([...flags, '--hostname-override', name], home)
}

async function openWatch({ url }: ServerProcess, ca: string, token: string, agent: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': agent }
  const request = https.get(`${url}/api/v1/pods?watch=1`, { agent: false, ca, headers })
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  await once(request, 'response')
}

async function topOf({ url }: ServerProcess, authority: string, token: string): Promise<Page> {
  const home = await newHome()
  const file = path.join(home, 'kubeconfig')
  writeFileSync(file, JSON.stringify(kubeconfigOf({ url, authority, user: { name: 'admin', credential: { token } } })))
  const { code, stdout, stderr } = await runCommand(['top', '--all-replicas', '-o', 'json', '--kubeconfig', file], home)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Page
}

describe.each(WAYS)('with certificates %s', (_, values) => {
  it('replicas tell who watches all of them, and whoever takes the place of one has its name', async () => {
    await using etcd = await startEtcd()
    const manifests = await rendered(etcd.endpoint, values)
    const authority = secretText(manifests, SERVING, 'ca.crt')
    const token = secretText(manifests, 'sea-quarterdeck-keys', 'admin-token')
    const [one, two] = [await startPod(manifests, PODS[0]), await startPod(manifests, PODS[1])]
    await openWatch(one, authority, token, 'reader/one')
    await openWatch(two, authority, token, 'reader/two')
    const names = PODS.map((pod) => identityOf(pod))
    const replicasFor = async (asked: ServerProcess): Promise<Page['replicas']> =>
      (await topOf(asked, authority, token)).replicas.toSorted((a, b) => a.name.localeCompare(b.name))
    const bothAnswer = names.toSorted().map((name) => ({ name }))
    for (const asked of [one, two]) {
      await expect.poll(() => replicasFor(asked), { timeout: 30_000 }).toEqual(bothAnswer)
      const { watchers } = await topOf(asked, authority, token)
      expect(watchers.map(({ agent, replica }) => `${agent} ${replica}`).toSorted()).toEqual([
        `reader/one ${names[0]}`,
        `reader/two ${names[1]}`,
      ])
    }
    await two.stop('SIGKILL')
    expect(await replicasFor(one)).toContainEqual({
      name: names[1],
      problem: expect.stringMatching(/refused/) as string,
    })
    await startPod(manifests, PODS[1])
    await expect.poll(() => replicasFor(one), { timeout: 30_000 }).toEqual(bothAnswer)
  })

  it('are what a replica needs of the others and no more', async () => {
    await using etcd = await startEtcd()
    const manifests = await rendered(etcd.endpoint, values)
    const certificateOf = (secret: string, file = 'tls.crt'): X509Certificate =>
      new X509Certificate(secretText(manifests, secret, file))
    const proxy = certificateOf(FRONT_PROXY)
    expect(proxy.subject).toBe('CN=front-proxy-client')
    expect(proxy.verify(certificateOf(FRONT_PROXY, 'ca.crt').publicKey)).toBe(true)
    expect(certificateOf(FRONT_PROXY, 'ca.crt').fingerprint256).not.toBe(
      certificateOf(SERVING, 'ca.crt').fingerprint256,
    )
    for (const name of ['kubernetes.default.svc', ...PODS.map((pod) => `${pod}.sea-quarterdeck-replicas.ships.svc`)]) {
      expect([name, certificateOf(SERVING).checkHost(name)]).toEqual([name, name])
    }
    // Who serves by that name is not believed to speak for others: another authority has signed it.
    const server = await startPod(manifests, PODS[0])
    const statusFor = async (secret: string): Promise<number> => {
      const certificate = {
        cert: secretText(manifests, secret, 'tls.crt'),
        key: secretText(manifests, secret, 'tls.key'),
      }
      const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' }
      const ca = secretText(manifests, SERVING, 'ca.crt')
      return (await server.request('/api/v1/secrets', { ca, certificate, headers })).status
    }
    expect(await statusFor(FRONT_PROXY)).toBe(200)
    expect(await statusFor(SERVING)).toBe(401)
  })
})
