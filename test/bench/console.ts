// What the console costs the server: ten tabs with a table of 10,000 pods, and ten kubectl that watch the same, at 100 writes a second. Told is
// the processor time of the server alone, by which tabs may cost a tenth more.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logIn, openBrowser, openPage } from '../rigs/browser.ts'
import { findKubectls } from '../rigs/kubectl.ts'
import { processorMillisecondsOf } from '../rigs/process-measures.ts'
import { type OpenServer, reachServer } from '../rigs/running-server.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { median } from './median.ts'

const PODS = 10_000
const WATCHERS = 10
const WRITES_PER_SECOND = 100
const SECONDS = 15
const ROUNDS = 3
const PLACE = '/api/v1/namespaces/default/pods'

export async function bench(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-bench-'))
  const child = new ServerProcess(['serve', '--in-memory', '--secure-port', '0'], folder, {})
  await child.listening()
  const { url, kubeconfigFile, adminToken, kubeconfig } = child
  const authority = Buffer.from(kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? '', 'base64').toString()
  await using server = reachServer({ url, authority, adminToken }, async () => {
    await child.stop()
    await rm(folder, { recursive: true, force: true })
  })
  await makePods(server)
  const [binary = ''] = await findKubectls()
  const rounds = { none: [] as number[], kubectl: [] as number[], tabs: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    rounds.none.push(await measure(server, child))
    rounds.kubectl.push(
      await withKubectls(binary, { KUBECONFIG: kubeconfigFile, HOME: folder }, () => measure(server, child)),
    )
    rounds.tabs.push(await withTabs(server, () => measure(server, child)))
  }
  for (const [name, times] of Object.entries(rounds)) {
    process.stdout.write(
      `${name.padEnd(8)} ${median(times).toFixed(0)} ms of processor time in ${SECONDS} s (${times.map((ms) => ms.toFixed(0)).join(', ')})\n`,
    )
  }
}

function podNamed(name: string): object {
  return { metadata: { name }, spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] } }
}

async function makePods(server: OpenServer): Promise<void> {
  for (let at = 0; at < PODS; at += 50) {
    const some = Array.from({ length: 50 }, (_, i) => podNamed(`pod-${at + i}`))
    await Promise.all(some.map((body) => server.must(PLACE, { method: 'POST', body })))
  }
}

/** Of the server, while it is written to, in milliseconds. */
async function measure(server: OpenServer, { child }: ServerProcess): Promise<number> {
  await sleep(3000)
  const before = processorMillisecondsOf(child.pid)
  const until = performance.now() + SECONDS * 1000
  const writes: Promise<unknown>[] = []
  for (let n = 0; performance.now() < until; n++) {
    const body = { metadata: { labels: { round: `${n}` } } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    writes.push(server.must(`${PLACE}/pod-${(n * 7919) % PODS}`, { method: 'PATCH', headers, body }))
    const next = until - SECONDS * 1000 + ((n + 1) * 1000) / WRITES_PER_SECOND
    await sleep(Math.max(0, next - performance.now()))
  }
  await Promise.all(writes)
  return processorMillisecondsOf(child.pid) - before
}

async function withKubectls(binary: string, env: Record<string, string>, work: () => Promise<number>): Promise<number> {
  const started = Array.from({ length: WATCHERS }, () =>
    spawn(binary, ['get', 'pods', '--watch'], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  try {
    await sleep(5000)
    return await work()
  } finally {
    for (const one of started) one.kill('SIGKILL')
  }
}

async function withTabs({ url, adminToken }: OpenServer, work: () => Promise<number>): Promise<number> {
  const browser = await openBrowser()
  try {
    const { page } = await openPage(browser, url)
    await logIn(page, adminToken)
    for (let tab = 0; tab < WATCHERS; tab++) {
      const opened = await page.context().newPage()
      await opened.goto(`${url}/console/kinds/pods?namespace=default`)
      await opened.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 })
    }
    await page.close()
    return await work()
  } finally {
    await browser.close()
  }
}
