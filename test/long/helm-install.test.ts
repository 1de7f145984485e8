// Public charts on a cluster in one process: `helm install --wait` ends when all of their workloads are ready.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fetchModules } from '../corpora/public-modules.ts'
import { buildGoClient, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findHelm } from '../rigs/helm-chart.ts'
import { Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

/** A project has its chart in its Go module. */
const CHARTS = [
  ['github.com/stefanprodan/podinfo@v1.8.1-0.20250910200901-e86405a8674e', 'charts/podinfo', ['replicaCount=3']],
  ['sigs.k8s.io/metrics-server@v0.7.2', 'charts/metrics-server', ['apiService.create=false']],
  ['sigs.k8s.io/external-dns@v0.19.0', 'charts/external-dns', []],
] as const

it.each(CHARTS)(
  'helm installs the chart of %s, waits for it and removes it',
  async (module, folder, values) => {
    const home = await newHome()
    const modules = await fetchModules([module])
    const chart = path.join(modules.get(module)!, folder)
    const server = await startServerProcess(['--in-memory', '--nodes', '3'], home)
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: server.kubeconfigFile }
    const program = await findHelm()
    const helm = (...args: readonly string[]): Promise<unknown> => promisify(execFile)(program, [...args], { env })
    const sets = values.flatMap((value) => ['--set', value])
    await helm('install', 'one', chart, '--wait', '--timeout=2m', ...sets)
    const kubectl = new Kubectl(await buildGoClient('kubectl'), { kubeconfig: server.kubeconfigFile, home })
    const pods = await kubectl.run(['get', 'pods', '--no-headers'])
    const lines = pods.stdout.trim().split('\n')
    expect(lines.filter((line) => !/ 1\/1 +Running /.test(line))).toEqual([])
    expect((await kubectl.run(['logs', lines[0]!.split(' ')[0]!])).code).toBe(0)
    await helm('upgrade', 'one', chart, '--wait', '--timeout=2m', ...sets, '--set', 'podAnnotations.changed=yes')
    await helm('uninstall', 'one', '--wait', '--timeout=2m')
    await expect.poll(async () => (await kubectl.run(['get', 'pods', '--no-headers'])).stdout).toBe('')
    await server.stop()
  },
  GO_BUILD_LIMIT_MS,
)
