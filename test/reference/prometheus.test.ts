// Prometheus with the configuration and the alerts that are deployed: promtool judges them, and a real one scrapes the topology of
// docker-compose.yml, answers every query of the dashboard and raises an alert when its cause is there.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import path from 'node:path'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ComposeStack, makeCertificates, startStack } from '../rigs/compose-stack.ts'
import { kill } from '../rigs/etcd-cluster.ts'
import {
  ALERTS,
  buildPrometheus,
  CONFIGURATION,
  configurationFor,
  type Prometheus,
  promtool,
  type Sample,
  startPrometheus,
} from '../rigs/prometheus.ts'
import { newHome } from '../rigs/server-process.ts'

const ALERT_TESTS = path.join(import.meta.dirname, '../fixtures/alerts-test.yaml')
const NAMES = ['replica-1', 'replica-2']
const MAPS = '/api/v1/namespaces/default/configmaps'

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface AlertTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
  }[]
}

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly query: { readonly query: string } }[] }
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[]
}

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

const { groups } = load(readFileSync(ALERTS, 'utf8')) as Alerts
const RULES = groups.flatMap(({ rules }) => rules)
const DASHBOARD = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../deploy/observe/quarterdeck.json'), 'utf8'),
) as Dashboard

// One after another: a build takes all processors, and the second most of what the first has compiled.
beforeAll(() => buildPrometheus('promtool').then(() => {}))
beforeAll(() => buildPrometheus('prometheus').then(() => {}))

describe('what promtool says', () => {
  it('finds no fault with the configuration as it is deployed, nor with its files', async () => {
    await promtool('check', 'config', '--syntax-only', CONFIGURATION)
    const pki = makeCertificates(await newHome())
    const file = await configurationFor({ quarterdeck: ['127.0.0.1:1'], etcd: ['127.0.0.1:2'] }, pki)
    expect(await promtool('check', 'config', '--lint=all', '--lint-fatal', file)).toContain('SUCCESS')
  })

  it('finds no fault with the alerts', async () => {
    const said = await promtool('check', 'rules', '--lint=all', '--lint-fatal', ALERTS)
    expect(said).toContain(`SUCCESS: ${RULES.length} rules found`)
  })

  it('every alert fires when it is to, and is quiet when it is not', async () => {
    expect(await promtool('test', 'rules', ALERT_TESTS)).toContain('SUCCESS')
    const { tests } = load(readFileSync(ALERT_TESTS, 'utf8')) as AlertTests
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    for (const isQuiet of [true, false]) {
      const tried = cases.filter(({ exp_alerts }) => (exp_alerts.length === 0) === isQuiet)
      expect(new Set(tried.map(({ alertname }) => alertname))).toEqual(new Set(RULES.map(({ alert }) => alert)))
    }
  })
})

interface Scraped {
  readonly activeTargets: readonly {
    readonly labels: { readonly job: string; readonly instance: string }
    readonly health: string
    readonly lastError: string
  }[]
}

interface JudgedRules {
  readonly groups: readonly {
    readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[]
  }[]
}

interface Raised {
  readonly alerts: readonly {
    readonly labels: { readonly alertname: string; readonly instance: string }
    readonly state: string
  }[]
}

/** As Grafana fills them in: every replica, over four scrapes and more. */
function filledIn(expression: string): string {
  return expression.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '10s')
}

/** What the alert compares, without the limit that it is held against. */
function compared(expression: string): string {
  return expression.replaceAll(/ (?:<|>|==) [\d.e]+/g, '')
}

/** A watch, what it is to see, what is refused: something of everything that is measured. */
async function makeTraffic({ replicas, admin }: ComposeStack): Promise<void> {
  const [{ url }] = replicas as [ComposeStack['replicas'][0]]
  const { certificate, ca } = admin
  const watch = https.get(`${url}${MAPS}?watch=1`, { agent: false, ca, ...certificate })
  onTestFinished(() => void watch.destroy())
  const [events] = (await once(watch, 'response')) as [IncomingMessage]
  watch.on('error', () => {})
  events.on('error', () => {}).resume()
  let count = 0
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const go = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${count++}` } })
      const headers = { 'content-type': 'application/json' }
      for (const replica of replicas) {
        await replica.request(MAPS, { ...admin, method: 'POST', headers, body })
        await replica.request(`${MAPS}/nobody`, admin)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  // Those that are killed no longer answer.
  void go().catch(() => {})
}

async function targetsOf(prometheus: Prometheus): Promise<readonly (readonly string[])[]> {
  const { activeTargets } = await prometheus.get<Scraped>('targets')
  return activeTargets
    .map(({ labels, health, lastError }) => [labels.job, labels.instance, health, lastError])
    .toSorted((a, b) => a.join().localeCompare(b.join()))
}

async function raised(prometheus: Prometheus, state: 'pending' | 'firing'): Promise<readonly string[]> {
  const { alerts } = await prometheus.get<Raised>('alerts')
  return alerts
    .filter((alert) => alert.state === state)
    .map(({ labels }) => `${labels.alertname} ${labels.instance}`)
    .toSorted()
}

/** A client of the first replica that watches and does not read. */
async function stopReading({ replicas, admin }: ComposeStack): Promise<void> {
  const [replica] = replicas as [ComposeStack['replicas'][0]]
  const session = http2.connect(replica.url, { ca: admin.ca, ...admin.certificate })
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':path': `${MAPS}?watch=1` }).on('error', () => {})
  await once(stream, 'response')
  stream.pause()
  const headers = { 'content-type': 'application/json' }
  for (let i = 0; i < 20; i++) {
    const data = { text: 'x'.repeat(100_000) }
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `large-${i}` }, data })
    expect((await replica.request(MAPS, { ...admin, method: 'POST', headers, body })).status).toBe(201)
  }
}

/** What nothing has to be there for: requests that are rejected, a comparison that takes a minute to come. */
const MAY_BE_EMPTY: readonly string[] = ['apiserver_flowcontrol_rejected', 'apiserver_storage_consistency_checks']

const hasToBeThere = (expression: string): boolean => !MAY_BE_EMPTY.some((name) => expression.includes(name))

/** Every query has an answer, with the labels that its legend shows. */
async function askForPanels(prometheus: Prometheus): Promise<void> {
  for (const { title, targets } of DASHBOARD.panels) {
    for (const { expr, legendFormat } of targets) {
      const samples = await answerTo(prometheus, title, filledIn(expr))
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        for (const { metric } of samples)
          expect([title, Object.keys(metric)]).toEqual([title, expect.arrayContaining([label])])
      }
    }
  }
}

async function askForAlerts(prometheus: Prometheus): Promise<void> {
  for (const { alert, expr } of RULES) await answerTo(prometheus, alert, compared(expr))
}

async function answerTo(prometheus: Prometheus, what: string, query: string): Promise<readonly Sample[]> {
  if (hasToBeThere(query)) {
    await expect.poll(async () => [what, (await prometheus.query(query)).length]).not.toEqual([what, 0])
  }
  return prometheus.query(query)
}

it('a real one scrapes the replicas and etcd, answers what is asked of it, and tells of what goes down', async () => {
  const stack = await startStack(NAMES)
  const { pki, cluster, replicas } = stack
  const instances = replicas.map(({ url }) => new URL(url).host)
  const members = cluster.members.map(({ metrics }) => metrics)
  const prometheus = await startPrometheus(await configurationFor({ quarterdeck: instances, etcd: members }, pki))
  const all = [...members.map((at) => ['etcd', at, 'up', '']), ...instances.map((at) => ['quarterdeck', at, 'up', ''])]
  const inOrder = all.toSorted((a, b) => a.join().localeCompare(b.join()))
  await expect.poll(() => targetsOf(prometheus)).toEqual(inOrder)
  await makeTraffic(stack)

  await askForPanels(prometheus)
  const [, metric = '', label = ''] =
    /^label_values\((\w+), (\w+)\)$/.exec(DASHBOARD.templating.list[0]!.query.query) ?? []
  expect(await prometheus.get(`label/${label}/values`, { 'match[]': metric })).toEqual(instances.toSorted())
  await askForAlerts(prometheus)
  const judged = (await prometheus.get<JudgedRules>('rules')).groups.flatMap(({ rules }) => rules)
  const verdicts = judged.map(({ name, health, lastError = '' }) => `${name} ${health} ${lastError}`)
  expect(verdicts.toSorted()).toEqual(RULES.map(({ alert }) => `${alert} ok `).toSorted())
  expect(await raised(prometheus, 'firing')).toEqual([])

  await stopReading(stack)
  await expect.poll(() => raised(prometheus, 'pending')).toContain(`WatchClientDoesNotKeepUp ${instances[0]}`)
  await replicas[1]!.stop('SIGKILL')
  await kill(cluster.members[2]!.child)
  await expect
    .poll(() => raised(prometheus, 'firing'), { timeout: 120_000, interval: 1000 })
    .toEqual([`EtcdMemberIsDown ${members[2]}`, `ReplicaIsDown ${instances[1]}`])
})
